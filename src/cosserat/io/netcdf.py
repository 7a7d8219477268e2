"""Runs in and out as NetCDF files.

The root of a file holds what `Run.data` shows, for any reader. The groups ``raw``, ``system`` and ``layout`` hold the
stored states, the arrays of the mechanism and its names, from which `load_run` answers every question of a run, and
the attribute ``model`` the model file, if the model can be written as one.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.build import compile_model
from cosserat.compile.compiled import CompiledModel, System, row_to_frame
from cosserat.compile.mesh import BeamMesh
from cosserat.compile.rows import ActiveFreedom
from cosserat.errors import FileFormatError, SolveError
from cosserat.kernels.arrays import History, Inputs
from cosserat.model.interfaces import Outline, RecoveryPoint
from cosserat.model.model import Model
from cosserat.model.places import Owner
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.floating import FloatingRecord
from cosserat.results.mechanism import JointInfo, LineLoad, Mechanism, ModalInfo, StoredModal, StoredOwner
from cosserat.results.motion import Motion, as_simulated
from cosserat.results.run import Run
from cosserat.results.status import Outcome, Status

Array = NDArray[np.float64]

FORMAT = 2
_RECOVERED = ("position", "strain", "stress", "strain_rest", "stress_rest")
_MATRICES = "matrices.npz"
_DRAWN = ("points", "shape", "cells")


class StoredTrajectory:
    """What a file holds in the place of `results.trajectory.Trajectory`; the model is compiled when it is needed."""

    def __init__(
        self,
        path: str,
        time: Array,
        history: History,
        status: Status,
        attributes: dict[str, Any],
        floating: FloatingRecord | None,
        matrices: dict[str, NDArray[Any]],
    ) -> None:
        self.path = path
        self.floating = floating
        self.time = time
        self.history = history
        self.status = status
        self.settings: dict[str, Any] = attributes["settings"]
        self.stats: dict[str, Any] = attributes["stats"]
        self.efforts: Array | None = None
        self._text: str = attributes["model"]
        self._reason: str = attributes["model_missing"]
        self._matrices: dict[str, NDArray[Any]] = matrices

    @functools.cached_property
    def compiled(self) -> CompiledModel:
        """The compiled model."""
        return compile_model(self.model, floating=self.floating is not None)

    @functools.cached_property
    def model(self) -> Model:
        """The model, if the file has it."""
        if not self._text:
            raise SolveError(
                f"{self.path}: the file has no model, because it could not be written as text ({self._reason}); "
                "positions, coordinates, reactions, section forces and energies are there, the model is not"
            )
        from cosserat.io.yaml_model import load_model

        with TemporaryDirectory() as folder:
            path = Path(folder) / "model.yaml"
            path.write_text(self._text, encoding="utf-8")
            if self._matrices:
                np.savez(path.with_name(_MATRICES), **self._matrices)  # type: ignore[arg-type]
            return load_model(path)


def save_run(run: Run, path: str | Path) -> None:
    """Write a run, finished or not."""
    from cosserat.io.yaml_writer import to_text

    text, reason = "", ""
    matrices: dict[str, NDArray[Any]] = {}
    try:
        with as_simulated(run.model, run.motion.parameters):
            text = to_text(run.model, None, matrices, _MATRICES)
    except (FileFormatError, SolveError) as error:
        reason = str(error)
    motion, mechanism = run.motion, run.motion.mechanism
    layout = {
        "format": FORMAT,
        "name": mechanism.name,
        "length": mechanism.length,
        "bodies": mechanism.bodies,
        "beams": {name: [mesh.first_node, mesh.first_element] for name, mesh in mechanism.beams.items()},
        "modal": {name: _modal_to_plain(info) for name, info in mechanism.modal.items()},
        "coordinates": None if run.floating is None else run.floating.coordinates,
        "joints": [_joint_to_plain(joint) for joint in mechanism.joints.values()],
        "rolling": mechanism.rolling,
        "line_loads": {
            name: [[load.column, load.follower] for load in mechanism.line_loads(name)] for name in mechanism.beams
        },
        "outcome": run.status.outcome.name,
        "status_time": float(run.status.time),
        "status_detail": run.status.detail,
        "parameters": run.motion.parameters,
        "model": text,
        "model_missing": reason,
    }
    history, inputs = run.trajectory.history, motion.inputs
    raw = {f"history.{k}": a for k, a in history._asdict().items()}
    raw.update({f"inputs.{k}": a for k, a in inputs._asdict().items()})
    raw.update({f"prescribed.{k}": a for k, a in motion.prescribed.items()})
    if run.floating is not None:
        raw.update({f"floating.{k}": a for k, a in run.floating._asdict().items() if k != "coordinates"})
    raw["time"] = run.time
    arrays = {"frames": mechanism.frames}
    for group, values in mechanism.system._asdict().items():
        if group != "pattern":
            arrays.update({f"{group}.{k}": a for k, a in values._asdict().items()})
    for name, mesh in mechanism.beams.items():
        for part in ("s", "piece", "frames", "pairs"):
            arrays[f"beam.{name}.{part}"] = getattr(mesh, part)
        arrays.update({f"beam.{name}.line{k}": load.spread for k, load in enumerate(mechanism.line_loads(name))})
    arrays.update({f"matrices.{key}": value for key, value in matrices.items()})
    for name, info in mechanism.modal.items():
        for k, point in enumerate(info.recovery.values()):
            arrays.update({f"modal.{name}.{k}.{part}": getattr(point, part) for part in _RECOVERED})
        arrays.update({f"modal.{name}.{part}": getattr(info.outline, part) for part in _DRAWN})
    path = Path(path)
    try:
        data = run.data
        packed = {str(k): {"zlib": True, "complevel": 4} for k in data.data_vars}
        data.to_netcdf(path, engine="h5netcdf", encoding=packed)
        for group, content in (("raw", raw), ("system", arrays)):
            _numbered(content).to_netcdf(path, engine="h5netcdf", mode="a", group=group)
        from xarray import Dataset

        Dataset(attrs={"layout": json.dumps(layout)}).to_netcdf(path, engine="h5netcdf", mode="a", group="layout")
    except OSError as error:
        raise FileFormatError(f"{path}: cannot write the file ({error})") from None


def load_run(path: str | Path) -> Run:
    """Read a run that `Run.save` wrote; it answers the same questions.

    Examples
    --------
    >>> import cosserat as cs
    >>> run = cs.load_run("two_link.nc")  # doctest: +SKIP
    """
    path = Path(path)
    if not path.exists():
        raise FileFormatError(f"{path}: no such file")
    import xarray

    try:
        with xarray.open_dataset(path, engine="h5netcdf") as root:
            settings, stats = json.loads(root.attrs["settings"]), json.loads(root.attrs["stats"])
        groups = []
        for group in ("raw", "system"):
            with xarray.open_dataset(path, engine="h5netcdf", group=group) as content:
                groups.append({str(k): np.ascontiguousarray(v.values) for k, v in content.data_vars.items()})
        with xarray.open_dataset(path, engine="h5netcdf", group="layout") as content:
            layout = json.loads(content.attrs["layout"])
    except (OSError, KeyError, ValueError) as error:
        raise FileFormatError(f"{path}: not a file written by Run.save ({error})") from None
    if layout["format"] != FORMAT:
        raise FileFormatError(f"{path}: written in format {layout['format']}; this version reads format {FORMAT}")
    raw, arrays = groups
    history = History(*(raw[f"history.{k}"] for k in History._fields))
    inputs = Inputs(*(raw.get(f"inputs.{k}", np.zeros((len(raw["time"]), 0, 6))) for k in Inputs._fields))
    prescribed = {k.split(".", 1)[1]: v for k, v in raw.items() if k.startswith("prescribed.")}
    status = Status(Outcome[layout["outcome"]], layout["status_time"], layout["status_detail"])
    attributes = {"settings": settings, "stats": stats, **layout}
    floating = None
    if layout.get("coordinates") is not None:
        parts = {k: raw[f"floating.{k}"] for k in FloatingRecord._fields if k != "coordinates"}
        floating = FloatingRecord(coordinates=tuple(layout["coordinates"]), **parts)
    matrices = {k.split(".", 1)[1]: v for k, v in arrays.items() if k.startswith("matrices.")}
    trajectory = StoredTrajectory(str(path), raw["time"], history, status, attributes, floating, matrices)
    mechanism = _mechanism(str(path), layout, arrays, trajectory)
    motion = Motion(mechanism, raw["time"], history, settings, lambda: (inputs, prescribed), layout["parameters"])
    return Run.of_motion(trajectory, motion)


def load_equilibrium(path: str | Path) -> Equilibrium:
    """Read an equilibrium that `Equilibrium.save` wrote; it answers the same questions.

    Examples
    --------
    >>> import cosserat as cs
    >>> rest = cs.load_equilibrium("crane.nc")  # doctest: +SKIP
    """
    run = load_run(path)
    if len(run.time) != 1:
        raise FileFormatError(f"{path}: it holds a run of {len(run.time)} times, not an equilibrium; use load_run")
    if run.settings.get("spin") is not None:
        run.settings["spin"] = np.array(run.settings["spin"], dtype=float)
    return Equilibrium.of_motion(run.trajectory, run.motion)


def _mechanism(path: str, layout: dict[str, Any], arrays: dict[str, Any], trajectory: StoredTrajectory) -> Mechanism:
    groups = []
    for name, group in get_type_hints(System).items():
        fields = group._fields
        missing = name == "pattern"
        if name == "state_loads" and f"{name}.node" not in arrays:  # written before there were any
            missing = True
        groups.append(group(*(np.zeros(0) if missing else arrays[f"{name}.{k}"] for k in fields)))
    beams = {
        name: BeamMesh(
            s=arrays[f"beam.{name}.s"],
            piece=arrays[f"beam.{name}.piece"],
            frames=arrays[f"beam.{name}.frames"],
            first_node=first_node,
            pairs=arrays[f"beam.{name}.pairs"],
            first_element=first_element,
        )
        for name, (first_node, first_element) in layout["beams"].items()
    }
    owners: dict[str, Owner] = {
        name: StoredOwner(name, row_to_frame(arrays["frames"][node])) for name, node in layout["bodies"].items()
    }
    owners.update({name: StoredOwner(name, None) for name in beams})
    modal = {name: _modal_from_plain(name, plain, arrays) for name, plain in layout.get("modal", {}).items()}
    owners.update({name: StoredModal(name, tuple(info.interfaces)) for name, info in modal.items()})

    def line_loads(name: str) -> list[LineLoad]:
        return [
            LineLoad(column, follower, arrays[f"beam.{name}.line{k}"])
            for k, (column, follower) in enumerate(layout["line_loads"][name])
        ]

    def compliance(name: str, s: float) -> Array:
        beam = next(b for b in trajectory.model.beams if b.name == name)
        return np.asarray(np.linalg.inv(beam.section_at(s)[0]))

    return Mechanism(
        name=layout["name"],
        system=System(*groups),
        frames=arrays["frames"],
        bodies=layout["bodies"],
        beams=beams,
        joints={entry["name"]: _joint_from_plain(entry) for entry in layout["joints"]},
        rolling=layout["rolling"],
        owners=owners,
        length=layout["length"],
        line_loads=line_loads,
        compliance=compliance,
        modal=modal,
    )


def _modal_to_plain(info: ModalInfo) -> dict[str, Any]:
    recovery = {key: point.section for key, point in info.recovery.items()}
    return {"frame": info.frame, "interfaces": info.interfaces, "recovery": recovery}


def _modal_from_plain(name: str, plain: dict[str, Any], arrays: dict[str, Any]) -> ModalInfo:
    recovery = {}
    for k, (key, section) in enumerate(plain["recovery"].items()):
        recovery[key] = RecoveryPoint(
            **{part: arrays[f"modal.{name}.{k}.{part}"] for part in _RECOVERED}, section=section
        )
    outline = Outline(*(arrays[f"modal.{name}.{part}"] for part in _DRAWN))
    return ModalInfo(plain["frame"], plain["interfaces"], recovery, outline)


def _joint_to_plain(joint: JointInfo) -> dict[str, Any]:
    plain: dict[str, Any] = dict(vars(joint))
    plain["freedoms"] = [[f.index, f.kind, f.axis.tolist(), f.cosine.tolist(), f.sine.tolist()] for f in joint.freedoms]
    return plain


def _joint_from_plain(plain: dict[str, Any]) -> JointInfo:
    freedoms = tuple(ActiveFreedom(i, k, *(np.array(v) for v in vectors)) for i, k, *vectors in plain["freedoms"])
    rest: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in plain.items() if k != "freedoms"}
    return JointInfo(freedoms=freedoms, **rest)


def _numbered(arrays: dict[str, Any]) -> Any:
    """A Dataset of bare arrays, each with dimensions of its own."""
    from xarray import Dataset

    variables = {}
    for name, array in arrays.items():
        array = np.asarray(array)
        variables[name] = (tuple(f"{name}.{k}" for k in range(array.ndim)), array)
    return Dataset(variables)
