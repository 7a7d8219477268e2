"""A run as one labelled Dataset: bodies (time, body), beams (time, node of the beam), joints, monitors; and as text."""

from __future__ import annotations

import json
import textwrap
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.lie.protocol import Array
from cosserat.results.kinematics import place_frames, quaternion
from cosserat.results.labels import AXES, WRENCH, aligned, titled
from cosserat.results.mechanism import Station, at_node
from cosserat.results.motion import Motion
from cosserat.results.quantities import JOINT, KINDS, LINE, PLACE, SpringNumber, called, unit_of
from cosserat.results.rolling import slips

if TYPE_CHECKING:
    from xarray import Dataset

    from cosserat.results.run import Run


def dataset(run: Run) -> Dataset:
    """Everything a run knows, named ``<body or beam>.<quantity>``, with units and long names."""
    from xarray import Dataset

    motion = run.motion
    mechanism = motion.mechanism
    variables: dict[str, Any] = {}
    coords: dict[str, Any] = {
        "time": ("time", run.time, {"units": "s", "long_name": "time"}),
        "axis": ("axis", list(AXES)),
        "quaternion": ("quaternion", list("wxyz")),
        "component": ("component", list(WRENCH)),
    }
    own = [word for word, row in KINDS.items() if row.of == PLACE and row.stored and _dimension(word) != "axis"]
    coords |= {_dimension(word): (_dimension(word), list(KINDS[word].components)) for word in own}

    def add_places(name: str, stations: list[Station], dim: str = "") -> None:
        """Quantities of one place, or of several along a dimension."""
        for quantity, (row_dim, values, units) in _of_places(motion, stations).items():
            dims, found = (("time", dim), values) if dim else (("time",), values[:, 0])
            variables[f"{name}.{quantity}"] = ((*dims, row_dim), found, _about(quantity, name, units))

    for name, node in mechanism.bodies.items():
        add_places(name, [at_node(node)])
    for name, mesh in mechanism.beams.items():
        dim = f"{name}.node"
        coords[f"{name}.s"] = (dim, mesh.s, {"units": "1", "long_name": f"position along {name}"})
        add_places(name, [at_node(mesh.first_node + k) for k in range(mesh.n_nodes)], dim)
    for name, info in mechanism.modal.items():
        for label, node in {name: info.frame, **{f"{name}.{key}": k for key, k in info.interfaces.items()}}.items():
            add_places(label, [at_node(node)])
        for point in info.recovery:
            for quantity, found in (("stress", run.stress(name, point)), ("strain", run.strain(name, point))):
                dim = f"{name}.{quantity}_component"
                coords[dim] = (dim, found["component"].values)
                variables[f"{name}.{point}.{quantity}"] = (("time", dim), found.values, found.attrs)
    if run.floating is not None:
        for name in run.floating.elastic:
            columns, modes = run.floating.modal(name)
            dim = f"{name}.mode"
            coords[dim] = (dim, modes)
            for quantity, part in (("modal_coordinate", run.floating.q), ("modal_rate", run.floating.v)):
                variables[f"{name}.{quantity}"] = (("time", dim), part[:, columns], _about(quantity, name, "modal"))
    for name, number in mechanism.springs.items():
        for word, row in KINDS.items():
            if row.of == LINE and row.stored:
                values = row.values(motion, SpringNumber(number))[:, 0]
                variables[f"{name}.{called(word)}"] = (("time",), values, _about(called(word), name, row.units[0]))
    for name, joint in mechanism.joints.items():
        for word, row in KINDS.items():
            if row.of != JOINT or not row.stored:
                continue
            quantity = called(word)
            values = row.values(motion, joint)
            if row.components:
                units = ", ".join(dict.fromkeys(row.units))
                variables[f"{name}.{quantity}"] = (("time", "component"), values, _about(quantity, name, units))
                continue
            for k, label in enumerate(joint.coordinates):
                about = _about(quantity, label, unit_of(word, 0, joint.kinds[k]))
                variables[f"{label}.{quantity}"] = (("time",), values[:, k], about)
    for name in mechanism.rolling:
        variables |= {f"{name}.reaction": run.reaction(name).variable, f"{name}.slip": run.slip(name).variable}
    variables |= {f"energy.{key}": array.variable for key, array in run.energy.data_vars.items()}
    for key in ("momentum", "constraint_violation", "transport_residual"):
        variables[key] = getattr(run, key).variable
    return Dataset(variables, coords=coords, attrs=attributes(run))


def attributes(run: Run) -> dict[str, Any]:
    """What was run, how it ended, and with which versions."""
    from importlib.metadata import PackageNotFoundError, version

    versions = {}
    for package in ("cosserat", "numpy", "numba"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "title": run.motion.mechanism.name,
        "conventions": "SI units; quaternions wxyz; world axes unless stated otherwise",
        "status": run.status.message,
        "settings": json.dumps(run.settings, default=_plain),
        "stats": json.dumps(run.stats, default=_plain),
        "versions": json.dumps(versions),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.item() if isinstance(value, np.generic) else repr(value)


def _about(quantity: str, name: str, units: str) -> dict[str, str]:
    return {"units": units, "long_name": f"{quantity.replace('_', ' ')} of {name}"}


def _dimension(word: str) -> str:
    """Of the components of a quantity of places: the axes, where it has one component for each."""
    return "axis" if len(KINDS[word].components) == 3 else f"{word}_component"


def _of_places(motion: Motion, stations: list[Station]) -> dict[str, tuple[str, Array, str]]:
    """Dimension, values (nt, n, k) and units of the quantities of places, and quaternions of their axes."""
    out: dict[str, tuple[str, Array, str]] = {}
    for word, row in KINDS.items():
        if row.of == PLACE and row.stored:
            out[word] = (_dimension(word), np.stack([row.values(motion, at) for at in stations], axis=1), row.units[0])
    turns = [quaternion(place_frames(motion, at)[0]) for at in stations]
    return {"position": out.pop("position"), "orientation": ("quaternion", np.stack(turns, axis=1), "1"), **out}


_COUNTS = {
    "steps": "steps",
    "solves": "residuals and back-substitutions",
    "factorizations": "factorizations",
    "careful_steps": "steps that needed care",
    "searched_steps": "steps solved by a line search",
    "stalled_steps": "steps accepted though stalled",
    "steps_split": "steps split",
    "steps_rejected": "steps rejected",
    "nodes": "nodes",
    "joints": "joints",
}
_TIMES = {"setup_seconds": "set-up, CPU time", "solve_seconds": "solution, CPU time", "wall_seconds": "wall time"}


def report(run: Run) -> str:
    """The table as text."""
    energy = run.monitors.energies()
    scale = max(float(np.ptp(energy[k])) for k in ("kinetic", "strain", "potential", "dissipated", "work"))
    worst = float(np.max(np.abs(energy["balance"])))
    rows = [("status", run.status.message), ("stored times", f"{len(run.time)}, to t = {run.time[-1]:g} s")]
    asked = {k: v for k, v in run.settings.items() if v is not None and not (isinstance(v, list) and not v)}
    if asked:
        listed = ", ".join(f"{k} = {_short(v)}".replace(" ", "\0") for k, v in asked.items())
        lines = [line.replace("\0", " ") for line in textwrap.wrap(listed, 60, break_long_words=False)]
        rows += list(zip_longest(("settings",), lines, fillvalue=""))
    rows += [(text, str(run.stats[key])) for key, text in _COUNTS.items() if key in run.stats]
    rows += [(text, f"{run.stats[key]:.3g} s") for key, text in _TIMES.items() if key in run.stats]
    share = f" ({worst / scale:.2g} of the largest exchange)" if scale > 0.0 else ""
    coarse = ", works added up over stored times" if run.settings.get("every", 1) > 1 else ""
    rows += [
        ("largest energy imbalance", f"{worst:.3g} J{share}{coarse}"),
        ("work, dissipated", f"{energy['work'][-1]:.4g} J, {energy['dissipated'][-1]:.4g} J"),
        ("largest constraint violation", f"{float(run.monitors.violation().max()):.2g}"),
    ]
    if run.motion.mechanism.rolling:
        slip = max(float(slips(run.motion, k).max()) for k in run.motion.mechanism.rolling.values())
        rows.append(("largest slip", f"{slip:.2g} m/s"))
    rows.append(("momentum transport residual", f"{float(run.monitors.transport().max()):.2g}"))
    return titled(f"Run of {run.motion.mechanism.name!r}", aligned(rows, left=(0, 1)))


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
