"""A run as one labelled Dataset: bodies (time, body), beams (time, node of the beam), joints, energies, monitors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cosserat.results import attitude, rolling
from cosserat.results.kinematics import rotate
from cosserat.results.motion import Motion
from cosserat.results.quantities import JOINT, KINDS, unit_of

if TYPE_CHECKING:
    from xarray import Dataset

    from cosserat.results.run import Run

Array = NDArray[np.float64]

AXIS, QUATERNION = ["x", "y", "z"], ["w", "x", "y", "z"]
WRENCH = ["fx", "fy", "fz", "mx", "my", "mz"]


def dataset(run: Run) -> Dataset:
    """Everything a run knows, named ``<body or beam>.<quantity>``, with units and long names."""
    from xarray import Dataset

    motion = run.motion
    mechanism = motion.mechanism
    variables: dict[str, Any] = {}
    coords: dict[str, Any] = {
        "time": ("time", run.time, {"units": "s", "long_name": "time"}),
        "axis": ("axis", AXIS),
        "quaternion": ("quaternion", QUATERNION),
        "component": ("component", WRENCH),
    }
    for name, node in mechanism.bodies.items():
        for quantity, (dims, values, units) in _frame_quantities(motion, np.array([node])).items():
            variables[f"{name}.{quantity}"] = (("time", *dims), values[:, 0], _about(quantity, name, units))
    for name, mesh in mechanism.beams.items():
        dim = f"{name}.node"
        coords[f"{name}.s"] = (dim, mesh.s, {"units": "1", "long_name": f"position along {name}"})
        nodes = mesh.first_node + np.arange(mesh.n_nodes)
        for quantity, (dims, values, units) in _frame_quantities(motion, nodes).items():
            variables[f"{name}.{quantity}"] = (("time", dim, *dims), values, _about(quantity, name, units))
    for name, info in mechanism.modal.items():
        places = {name: info.frame, **{f"{name}.{key}": node for key, node in info.interfaces.items()}}
        for label, node in places.items():
            for quantity, (dims, values, units) in _frame_quantities(motion, np.array([node])).items():
                variables[f"{label}.{quantity}"] = (("time", *dims), values[:, 0], _about(quantity, label, units))
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
    for name, joint in mechanism.joints.items():
        for word, row in KINDS.items():
            quantity = "coordinate_rate" if word == "rate" else word
            if row.of != JOINT:
                continue
            values = row.values(motion, joint)
            if row.components:
                units = ", ".join(dict.fromkeys(row.units))
                variables[f"{name}.{quantity}"] = (("time", "component"), values, _about(quantity, name, units))
                continue
            for k, label in enumerate(joint.coordinates):
                about = _about(quantity, label, unit_of(word, 0, joint.kinds[k]))
                variables[f"{label}.{quantity}"] = (("time",), values[:, k], about)
    for name, k in mechanism.rolling.items():
        wrench = rolling.reactions(motion, k)
        variables[f"{name}.reaction"] = (("time", "component"), wrench, _about("reaction", name, "N, N m"))
        variables[f"{name}.slip"] = (("time",), rolling.slips(motion, k), _about("slip", name, "m/s"))
    for key, array in run.energy.data_vars.items():
        variables[f"energy.{key}"] = (("time",), array.values, array.attrs)
    variables["momentum"] = (("time", "component"), run.momentum.values, run.momentum.attrs)
    for key in ("constraint_violation", "transport_residual"):
        array = getattr(run, key)
        variables[key] = (("time",), array.values, array.attrs)
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


def _frame_quantities(motion: Motion, nodes: NDArray[np.int64]) -> dict[str, tuple[tuple[str, ...], Array, str]]:
    """Position, orientation and velocities (nt, n, ...) of nodes, world axes."""
    position, quaternion, velocity, spin = [], [], [], []
    for node in nodes:
        R, x = motion.node(node)
        position.append(x)
        quaternion.append(attitude.quaternion(R))
        velocity.append(rotate(R, motion.twist[:, node, :3]))
        spin.append(rotate(R, motion.twist[:, node, 3:]))
    stack = lambda parts: np.stack(parts, axis=1)  # noqa: E731
    return {
        "position": (("axis",), stack(position), "m"),
        "orientation": (("quaternion",), stack(quaternion), "1"),
        "velocity": (("axis",), stack(velocity), "m/s"),
        "angular_velocity": (("axis",), stack(spin), "rad/s"),
    }
