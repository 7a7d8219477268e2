"""A readable table of a model."""

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.model import checks
from cosserat.model.places import Place
from cosserat.model.rolling import Constraint, RollingDisc

if TYPE_CHECKING:
    from cosserat.model.model import Model


def summarize(model: "Model") -> str:
    """Components by kind with what matters of each, then freedoms and parameters."""
    g = model.gravity
    pull = model.field.text if model.field is not None else checks.listed(g) if np.any(g) else "none"
    lines = [f"Model {model.name!r}, gravity {pull}"]
    if model.fluid is not None:
        lines.append(f"  in a {model.fluid.text}")
    tables: list[tuple[str, list[tuple[str, ...]]]] = [
        ("bodies", [(b.name, f"{b.mass:.6g} kg", f"centre of mass {checks.listed(b.com)}") for b in model.bodies]),
        ("beams", [_beam_row(b) for b in model.beams]),
        ("modal bodies", [_modal_row(b) for b in model.modal_bodies]),
        ("joints", [_joint_row(j) for j in model.all_joints]),
        (
            "loads",
            [
                *((c.name, type(c).__name__, f"at {_label(c.as_given('place'))}", _follower(c)) for c in model.loads),
                *((c.name, type(c).__name__, f"along {c.beam.name}", _follower(c)) for c in model.distributed_loads),
                *((c.name, type(c).__name__, f"at {_label(c._place)}", _between(c)) for c in model.given_state_loads),
                *((c.name, type(c).__name__, _stretch(c._place), "") for c in model.along_beams),
            ],
        ),
        ("springs", [(c.name, type(c).__name__, _line(c), _link(c)) for c in model.springs]),
        ("servos", [(c.name, type(c).__name__, f"in {c.coordinate}", _servo(c)) for c in model.servos]),
        ("rolling", [(c.name, type(c).__name__, f"at {_label(c._place)}", _rolling(c)) for c in model.rolling]),
        ("parameters", [(name, f"{value:.6g}") for name, value in model.parameters.items()]),
    ]
    for title, rows in tables:
        if rows:
            lines.append(f"  {title}")
            lines += ["    " + line for line in _aligned(rows)]
    lines.append("  " + _counts(model))
    return "\n".join(lines)


def _counts(model: "Model") -> str:
    nodes = sum(beam.elements + 1 for beam in model.beams)
    rigid = len(model.bodies)
    modal = [6 + body.n_modes for body in model.modal_bodies]
    joints = sum(len(j.freedoms) for j in model.joints)
    driven = sum(f is not None for j in model.joints for f in j.motion)
    return (
        f"{6 * (rigid + nodes) + sum(modal)} absolute freedoms ({counted(rigid, 'rigid body', 'rigid bodies')}, "
        f"{counted(nodes, 'beam node', 'beam nodes')}"
        f"{', ' + counted(len(modal), 'modal body', 'modal bodies') if modal else ''}), "
        f"{counted(joints, 'joint coordinate', 'joint coordinates')}, {driven} of them driven"
    )


def counted(n: int, one: str, several: str) -> str:
    """A number and what is counted."""
    return f"{n} {one if n == 1 else several}"


def _beam_row(beam: Any) -> tuple[str, ...]:
    section = beam._section if beam.medium is None else beam.medium
    name = " -> ".join(type(s).__name__ for s in section) if isinstance(section, tuple) else type(section).__name__
    material = "" if beam.material is None else beam.material.name or "unnamed material"
    return (
        beam.name,
        f"{beam.length:.6g} m",
        counted(beam.elements, "element", "elements"),
        name.replace("function", "variable"),
        material,
    )


def _modal_row(body: Any) -> tuple[str, ...]:
    f = body.frequencies
    return body.name, f"{body.mass:.6g} kg", f"{body.n_modes} modes, {f[0]:.4g} to {f[-1]:.4g} Hz", body.place_names()


def _joint_row(joint: Any) -> tuple[str, ...]:
    notes = []
    for freedom, q, u, k, c, f in zip(
        joint.freedoms, joint.motion, joint.effort, joint.stiffness, joint.damping, joint.friction, strict=True
    ):
        words = [w for w, on in (("motion", q), ("effort", u), ("elastic", k), ("viscous", c), ("friction", f)) if on]
        if joint.armature[joint.freedoms.index(freedom)] != 0.0:
            words.append("armature")
        if words:
            notes.append(f"{freedom.name}: {' '.join(words)}")
    if joint.open:
        notes.append("open")
    pair = _ends(joint, "parent", "child")
    return joint.name, type(joint).__name__, pair, "; ".join(notes) or ("passive" if joint.freedoms else "")


def _stretch(place: Place) -> str:
    return f"at {_label(place)}" if place.s is None else f"along {place.owner.name}"


def _follower(load: Any) -> str:
    return "follower" if load.follower else "dead"


def _between(load: Any) -> str:
    if load.joins:
        return f"law, also at {', '.join(map(_label, load._other))}"
    return "law" if load._other is None else f"law, opposite at {_label(load._other)}"


def _link(link: Any) -> str:
    more = (", slack" if link.slack else "") + ("" if link.tension is None else ", with a tension")
    return f"stiffness {link.stiffness:.6g} N/m, damping {link.damping:.6g} N s/m{more}"


def _servo(servo: Any) -> str:
    limit = "" if np.isinf(servo.limit) else f", limit {servo.limit:.6g}"
    return f"kp {servo.kp:.6g}, kd {servo.kd:.6g}{limit}"


def _rolling(item: Any) -> str:
    if isinstance(item, RollingDisc):
        return f"radius {item.radius:.6g} m, on the plane with normal {checks.listed(item.normal)}"
    if isinstance(item, Constraint):
        return f"holds a {item.level} by a law" + (f" of {', '.join(item.names)}" if item.names else "")
    return f"across {checks.listed(item.direction)}"


def _ends(item: Any, a: str, b: str) -> str:
    return f"{_label(item.as_given(a))} - {_label(item.as_given(b))}"


def _line(link: Any) -> str:
    given = (link.as_given(field.name) for field in link.place_fields)
    places = [place for target in given for place in (target if isinstance(target, tuple) else (target,))]
    return " - ".join(map(_label, places))


def _label(target: Any) -> str:
    label = target.label if isinstance(target, Place) else str(target)
    return re.sub(r"-?\d+\.\d{7,}(e-?\d+)?", lambda number: f"{round(float(number[0]), 12) + 0.0:.6g}", label)


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
