"""A 3D animation of a run as one HTML file: no network, no libraries, WebGL written here (`scene.html`)."""

from __future__ import annotations

import base64
import json
import tempfile
import webbrowser
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import CosseratError
from cosserat.io import output
from cosserat.lie.protocol import Array
from cosserat.results.kinematics import place_frames, quaternion
from cosserat.results.rolling import discs, touched

if TYPE_CHECKING:
    from cosserat.results.run import Run

MAX_FRAMES = 900
PER_ELEMENT = 4  # pieces drawn per element
PALETTE = ("#2f7fd1", "#e4572e", "#2a9d74", "#8e5bd0", "#d99a1c", "#c2417c", "#3aa6b9", "#7a6a58")
LINES = "#6b3f8f"  # springs, dampers and tendons
_FAR = 1e3  # sizes of the mechanism at which single precision begins to show


def show(run: Run, path: str | Path | None, open: bool | None, trail: Any, title: str = "") -> Path:
    """Write the animation and, if wanted, open it; with the name of the model, unless another title is given."""
    if path is None:
        name = "".join(c if c.isalnum() else "_" for c in run.motion.mechanism.name[:80])
        target = Path(tempfile.mkdtemp(prefix="cosserat_")) / f"{name}.html"
    else:
        target = output.target(path, (".html", ".htm"), "an animation is an HTML file, such as 'run.html'")
    output.write(target, html(run, trail, title))
    if open if open is not None else path is None:
        webbrowser.open(target.resolve().as_uri())
    return target


def html(run: Run, trail: Any = None, title: str = "") -> str:
    """The text of the file."""
    page = files("cosserat.view").joinpath("scene.html").read_text(encoding="utf-8")
    title = escape(title or run.motion.mechanism.name, quote=False)
    data = json.dumps(scene(run, trail), separators=(",", ":")).replace("</", "<\\/")
    return page.replace("__TITLE__", title).replace("__DATA__", data)


def scene(run: Run, trail: Any = None) -> dict[str, Any]:
    """Everything the page draws, arrays as base64 of float32; points relative to an origin in float64."""
    motion, mechanism = run.motion, run.motion.mechanism
    rows = _rows(run.time)
    parts = len(mechanism.beams) + len(mechanism.bodies) + len(mechanism.modal)
    colours = iter(PALETTE * (1 + parts // len(PALETTE)))
    model = _model(run)
    beams: list[dict[str, Any]] = []
    for name, mesh in mechanism.beams.items():
        nodes = motion.frame[rows][:, mesh.nodes]
        radius = _beam_radius(model, name)
        points = smooth(nodes, mesh.s, mesh.piece)
        line = {"name": name, "colour": next(colours), "radius": radius, "n": points.shape[1], "x": points}
        beams.append(line)
    bodies: list[dict[str, Any]] = []
    for name, node in mechanism.bodies.items():
        R, x = motion.node(node)
        bodies.append(
            {
                "name": name,
                "colour": next(colours),
                "x": x[rows],
                "q": _pack(quaternion(R[rows])),
                "shape": _body_shape(model, name),
                "links": _links(run, node),
            }
        )
    own = {node: body["colour"] for node, body in zip(mechanism.bodies.values(), bodies, strict=True)}
    wheels = [_wheel(run, k, own, rows) for k in discs(motion)]
    outlines = [_outline(run, name, next(colours), rows) for name in mechanism.modal]
    joints = []
    for joint in mechanism.joints.values():
        arrays = mechanism.system.joints
        R, x = motion.node(arrays.node[joint.index, 1])
        joints.append({"name": joint.name, "x": (x + R @ arrays.frame_b[joint.index, 9:])[rows]})
    lines = [{"name": name, "colour": LINES, "x": _line(run, k)[rows]} for name, k in mechanism.springs.items()]
    trails = []
    for place in _trail_places(run, trail):
        station, label = mechanism.station(place)
        trails.append({"name": label, "x": place_frames(motion, station)[1][rows]})
    everything = motion.frame[rows][:, :-1, 9:].reshape(-1, 3)
    everything = np.concatenate(
        (
            everything,
            *(_corners(run, name, rows) for name in mechanism.modal),
            *(touched(motion, k)[rows] for k in discs(motion)),
            *(_line(run, k)[rows].reshape(-1, 3) for k in mechanism.springs.values()),
        )
    )
    low, high = everything.min(axis=0), everything.max(axis=0)
    centre, size = 0.5 * (low + high), float(np.max(high - low))
    size = max(size, 4.0 * max((b["radius"] or 0.0 for b in beams), default=0.0), _body_extent(bodies), 1e-6)
    size = max(size, 2.5 * max((wheel["radius"] for wheel in wheels), default=0.0))
    if outlines:  # bulky bodies need more room than lines
        size = max(size, float(np.linalg.norm(high - low)))
    spread = max(_spread(run, rows), _body_extent(bodies), *(2.0 * wheel["radius"] for wheel in wheels), 0.0)
    scale = size if outlines or spread == 0.0 else min(size, spread)
    origin = _origin(motion.frame[rows][:, :-1, 9:], scale)
    for item in (*beams, *bodies, *wheels, *outlines, *joints, *lines, *trails):
        x = item["x"]
        item["x"] = _pack(x - origin.reshape(-1, *(1,) * (x.ndim - 2), 3))
    up = _up(motion.inputs.gravity[0])
    return {
        "time": _pack(run.time[rows]),
        "origin": _pack(origin, "<f8"),
        "centre": centre.tolist(),
        "size": size,
        "scale": scale,
        "low": low.tolist(),
        "high": high.tolist(),
        "room": 0.5 * _body_extent(bodies),
        "up": up,
        "status": "" if run.status.ok else run.status.message,
        "beams": beams,
        "bodies": bodies,
        "wheels": wheels,
        "outlines": outlines,
        "joints": joints,
        "lines": lines,
        "trails": trails,
    }


def _rows(time: Array) -> NDArray[np.int64]:
    """Stored times to draw: at most MAX_FRAMES, evenly spread."""
    if len(time) <= MAX_FRAMES:
        return np.arange(len(time))
    return np.unique(np.searchsorted(time, np.linspace(time[0], time[-1], MAX_FRAMES)).clip(0, len(time) - 1))


def smooth(nodes: Array, s: Array, piece: NDArray[np.int64]) -> Array:
    """Points (nt, m, 3) on cubic curves through the nodes, tangent to their section axes."""
    x, axis = nodes[..., 9:], nodes[..., [0, 3, 6]]
    parts = []
    for k in range(len(s) - 1):
        if piece[k] != piece[k + 1]:
            continue
        chord = np.linalg.norm(x[:, k + 1] - x[:, k], axis=1)[:, None]
        for z in np.arange(PER_ELEMENT) / PER_ELEMENT:
            parts.append(
                (1 + 2 * z) * (1 - z) ** 2 * x[:, k]
                + z**2 * (3 - 2 * z) * x[:, k + 1]
                + chord * (z * (1 - z) ** 2 * axis[:, k] - z**2 * (1 - z) * axis[:, k + 1])
            )
    parts.append(x[:, -1])
    return np.stack(parts, axis=1)


def _model(run: Run) -> Any:
    try:
        return run.trajectory.compiled.model
    except CosseratError:
        return None


def _beam_radius(model: Any, name: str) -> float | None:
    """Radius of the round bar with the same mass and rotary inertia; None: the page chooses."""
    if model is None:
        return None
    _, mass = model[name].section_at(0.5)
    return float(np.sqrt(2.0 * mass[3, 3] / mass[0, 0])) if mass[0, 0] > 0.0 else None


def _body_shape(model: Any, name: str) -> dict[str, Any] | None:
    shape = None if model is None else getattr(model[name], "shape", None)
    if shape is None:
        return None
    return {"kind": shape.kind, "size": np.atleast_1d(shape.size).tolist(), "axis": np.asarray(shape.axis).tolist()}


def _body_extent(bodies: list[dict[str, Any]]) -> float:
    return max((max(b["shape"]["size"]) for b in bodies if b["shape"]), default=0.0)


def _spread(run: Run, rows: NDArray[np.int64]) -> float:
    """Largest extent at one time of the nodes and joints of the mechanism."""
    arrays = run.motion.mechanism.system.joints
    points = [run.motion.frame[rows][:, :-1, 9:]]
    for j, node in enumerate(arrays.node[:, 1]):
        R, x = run.motion.node(node)
        points.append((x + R @ arrays.frame_b[j, 9:])[rows, None])
    return float(np.ptp(np.concatenate(points, axis=1), axis=1).max())


def _links(run: Run, node: int) -> list[list[float]]:
    """Points of a body, in its own axes, where joints, springs and loads hold or push it."""
    system = run.motion.mechanism.system
    points = [system.joints.frame_a[j, 9:] for j in np.nonzero(system.joints.node[:, 0] == node)[0]]
    points += [system.joints.frame_b[j, 9:] for j in np.nonzero(system.joints.node[:, 1] == node)[0]]
    points += [system.springs.point[j] for j in np.nonzero(system.springs.node == node)[0]]
    for places in (system.loads, system.state_loads):
        points += [places.frame[j, 9:] for j in np.nonzero(places.node == node)[0]]
    return [p.tolist() for p in points]


def _line(run: Run, k: int) -> Array:
    """Points (nt, n, 3) that a spring, damper or tendon is stretched through."""
    lines = run.motion.mechanism.system.springs
    points = []
    for p in range(lines.start[k], lines.start[k + 1]):
        R, x = run.motion.node(lines.node[p])
        points.append(x + R @ lines.point[p])
    return np.stack(points, axis=1)


def _wheel(run: Run, k: int, colours: dict[int, str], rows: NDArray[np.int64]) -> dict[str, Any]:
    """A rolling disc: the page draws its rim and spokes, in the colour of the rigid body that carries it."""
    arrays = run.motion.mechanism.system.rolling
    node = int(arrays.node[k])
    R, x = run.motion.node(node)
    return {
        "colour": colours.get(node, PALETTE[-1]), "radius": float(arrays.radius[k]), "axis": arrays.axis[k].tolist(),
        "x": (x + R @ arrays.point[k])[rows], "q": _pack(quaternion(R[rows])),
    }  # fmt: skip


def _outline(run: Run, name: str, colour: str, rows: NDArray[np.int64]) -> dict[str, Any]:
    """A modal body: the page bends its lines or triangles by the modal coordinates, and moves them with its frame."""
    info, record = run.motion.mechanism.modal[name], run.floating
    assert record is not None
    R, x = run.motion.node(info.frame)
    outline = info.outline
    return {
        "name": name, "colour": colour, "x": x[rows], "q": _pack(quaternion(R[rows])),
        "modes": _pack(record.q[rows][:, record.modal(name)[0]]), "m": outline.shape.shape[2],
        "points": _pack(outline.points), "shape": _pack(outline.shape), "cells": outline.cells.tolist(),
    }  # fmt: skip


def _corners(run: Run, name: str, rows: NDArray[np.int64]) -> Array:
    """Corners of a box around the undeformed outline of a modal body, where it moves, (n, 3)."""
    info = run.motion.mechanism.modal[name]
    low, high = info.outline.points.min(axis=0), info.outline.points.max(axis=0)
    box = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1)
    R, x = run.motion.node(info.frame)
    return np.asarray(np.swapaxes(R[rows] @ box, 1, 2) + x[rows, None]).reshape(-1, 3)


def _trail_places(run: Run, trail: Any) -> list[Any]:
    if trail is not None:
        return list(trail) if isinstance(trail, (list, tuple)) else [trail]
    mechanism = run.motion.mechanism
    if mechanism.beams:
        return [f"{list(mechanism.beams)[-1]}.end"]
    if mechanism.bodies:
        return [list(mechanism.bodies)[-1]]
    name, info = list(mechanism.modal.items())[-1]
    return [f"{name}.{list(info.interfaces)[-1]}" if info.interfaces else name]


def _up(gravity: Array) -> list[float]:
    """World axis that points up in the picture: against gravity, or z."""
    k = int(np.argmax(np.abs(gravity)))
    up = np.array([0.0, 0.0, 1.0]) if gravity[k] == 0.0 else -np.sign(gravity[k]) * np.eye(3)[k]
    return [float(v) for v in up]


def _origin(x: Array, scale: float) -> Array:
    """Zero (1, 3), or where that is far from the nodes (nt, n, 3) for single precision, points (nt, 3) among these."""
    return x.mean(axis=1) if np.abs(x).max() > _FAR * scale else np.zeros((1, 3))


def _pack(values: Array, kind: str = "<f4") -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode("ascii")
