"""Runs in and out as NetCDF files.

The root of a file holds what `Run.data` shows, for any reader. The groups ``raw``, ``system`` and ``layout`` hold the
stored states, the arrays of the mechanism and its names, from which `load_run` answers every question of a run, and
the layout the model file, if the model can be written as one. After the last byte of NetCDF stands a checksum of all
before it, which is looked at before anything is read.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.calls import answered
from cosserat.errors import CosseratError, FileFormatError, SolveError, shown
from cosserat.io.formats import listable
from cosserat.io.stored import MATRICES, StoredModel, arrays_of, check_arrays, demand, layout_of, mechanism_from
from cosserat.kernels.arrays import History, Inputs
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.motion import Motion
from cosserat.results.run import Run
from cosserat.results.status import Outcome, Status
from cosserat.results.trajectory import Carried, Crossed, FloatingRecord, LinkLedger, Phase, Trajectory, as_simulated

FORMAT = 8
_SEAL = b"\ncosserat sha256 "
_SEALED = len(_SEAL) + 64 + 1
_HDF5 = b"\x89HDF\r\n\x1a\n"


def image(run: Run) -> bytes:
    """The content of a file with a run, finished or not; made in memory, for HDF5 crashes where a disk is full."""
    from cosserat.io.yaml_writer import to_text

    text, reason = "", ""
    matrices: dict[str, NDArray[Any]] = {}
    motion, mechanism = run.motion, run.motion.mechanism
    try:
        model = motion.model or run.model
        with as_simulated(model, motion.parameters):
            text = to_text(model, None, matrices, MATRICES)
    except (FileFormatError, SolveError) as error:
        reason = str(error)
    layout = {
        "format": FORMAT,
        **layout_of(mechanism),
        "coordinates": None if run.floating is None else run.floating.coordinates,
        "outcome": run.status.outcome.name,
        "status_time": float(run.status.time),
        "status_detail": run.status.detail,
        "parameters": motion.parameters,
        "held": run.trajectory.held,
        "phases": [[phase.first, list(phase.open)] for phase in motion.phases],
        "model": text,
        "model_missing": reason,
    }
    carried = {} if run.trajectory.carried is None else run.trajectory.carried._asdict()
    groups: dict[str, dict[str, Any]] = {
        "history": run.trajectory.history._asdict(), "inputs": motion.inputs._asdict(), "prescribed": motion.prescribed,
        "floating": {} if run.floating is None else run.floating.arrays,
        "crossed": {} if motion.crossed is None else motion.crossed._asdict(),
        "carried": {k: np.atleast_1d(a) for k, a in carried.items() if k != "factors"},
    }  # fmt: skip
    raw = {"time": run.time} | {f"{group}.{k}": a for group, found in groups.items() for k, a in found.items()}
    if len(raw["history.inner"]) != len(run.time):  # no law owns states
        raw["history.inner"] = np.zeros((len(run.time), 0))
    if len(raw["history.spent"]) != len(run.time):  # of another integrator
        raw["history.spent"] = np.full((len(run.time), 1), np.nan)
    arrays = arrays_of(mechanism) | {f"matrices.{key}": value for key, value in matrices.items()}
    return seal(_written(run.data, raw, arrays, layout))


def _written(data: Any, raw: dict[str, Any], arrays: dict[str, Any], layout: dict[str, Any]) -> bytes:
    import h5netcdf
    import h5py  # type: ignore[import-untyped]
    from xarray.backends import H5NetCDFStore

    stream = io.BytesIO()
    data = listable(data)
    with h5netcdf.File(stream, "w") as root:
        packed = {str(k): {"zlib": True, "complevel": 4, "fletcher32": True} for k in data.data_vars}
        data.dump_to_store(H5NetCDFStore(root), encoding=packed)
    with h5py.File(stream, "r+") as file:
        for name, content in (("raw", raw), ("system", arrays)):
            group = file.create_group(name)
            for key, array in content.items():
                group.create_dataset(key, data=np.ascontiguousarray(array))
        plain = json.dumps(layout, default=_plain).encode("utf-8")
        file.create_group("layout").create_dataset("json", data=np.frombuffer(plain, dtype=np.uint8))
    return stream.getvalue()


def seal(content: bytes) -> bytes:
    """Content with its checksum behind it."""
    return content + _SEAL + hashlib.sha256(content).hexdigest().encode("ascii") + b"\n"


def unsealed(content: bytes, path: Any) -> bytes:
    """Content without its checksum, or a located error."""
    if not content.startswith(_HDF5):
        raise FileFormatError(f"{path}: not a file written by Run.save: it is no NetCDF file")
    body, tail = content[:-_SEALED], content[-_SEALED:]
    if not tail.startswith(_SEAL):
        raise FileFormatError(
            f"{path}: not a file written by Run.save of this version, or it was cut off or edited since; "
            "xarray.open_dataset may read what is in it"
        )
    if seal(body) != content:
        raise FileFormatError(f"{path}: the file is damaged: its checksum is wrong; save the run again")
    return body


@answered()
def load_run(path: str | Path) -> Run:
    """Read a run that `Run.save` wrote; it answers the same questions.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("fall", gravity=(0, 0, -9.81))
    >>> ball = model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0))
    >>> cs.simulate(model, duration=1.0, step=0.01).save("fall.nc")  # doctest: +SKIP
    >>> cs.load_run("fall.nc").position("ball")[-1, 2]  # doctest: +SKIP
    """
    return run_from(read_bytes(path), str(path))


def read_bytes(path: Any) -> bytes:
    """The content of a file, or a located error."""
    if not isinstance(path, (str, os.PathLike)):
        raise FileFormatError(f"{shown(path)} is not the name of a file; pass text or a path")
    try:
        if not Path(path).exists():
            raise FileFormatError(f"{path}: no such file; pass the name of a result file")
        if not Path(path).is_file():  # a pipe or a device may have no end
            raise FileFormatError(f"{path}: is not a regular file; pass the name of a result file")
        return Path(path).read_bytes()
    except (OSError, ValueError, MemoryError) as error:
        if isinstance(error, FileFormatError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise FileFormatError(f"{str(path)!r}: cannot be read ({reason}); pass the name of a file") from None


def run_from(content: bytes, path: str) -> Run:
    """The run in the content of a file."""
    body = unsealed(content, path)
    try:
        return _run(body, path)
    except CosseratError:
        raise
    except Exception as error:  # the library for HDF5 raises anything for a file that was made to harm
        raise FileFormatError(f"{path}: the file is damaged ({type(error).__name__}: {error})") from None


def _run(body: bytes, path: str) -> Run:
    import h5py

    with h5py.File(io.BytesIO(body), "r") as file:
        settings, stats = (json.loads(file.attrs[name]) for name in ("settings", "stats"))
        layout = json.loads(bytes(_array(file["layout"], "json", len(body))).decode("utf-8"))
        demand(isinstance(layout, dict) and isinstance(settings, dict) and isinstance(stats, dict), "its layout")
        if layout["format"] != FORMAT:
            raise FileFormatError(f"{path}: written in format {layout['format']}; this version reads format {FORMAT}")
        raw, arrays = ({k: _array(file[g], k, len(body)) for k in file[g]} for g in ("raw", "system"))
    raw.setdefault("history.spent", np.full((len(raw["time"]), 1), np.nan))  # not in older files
    sizes = check_arrays(raw, arrays)
    history = History(*(raw[f"history.{k}"] for k in History._fields))
    inputs = Inputs(*(raw[f"inputs.{k}"] for k in Inputs._fields))
    prescribed = {k.split(".", 1)[1]: v for k, v in raw.items() if k.startswith("prescribed.")}
    sampled = all(v.shape == (sizes["nt"],) and v.dtype == np.float64 for v in prescribed.values())
    demand(sampled, "prescribed motions")
    for key in ("model", "model_missing", "status_detail"):
        demand(isinstance(layout[key], str), f"{key} is not text")
    status = Status(Outcome[layout["outcome"]], float(layout["status_time"]), layout["status_detail"])
    floating = _floating(layout["coordinates"], raw, sizes)
    matrices = {k.split(".", 1)[1]: v for k, v in arrays.items() if k.startswith("matrices.")}
    carried = _carried(raw, floating, sizes)
    stored = StoredModel(path, layout, matrices)
    efforts, held = (inputs.effort, layout.get("held")) if settings.get("controlled") else (None, None)
    if held is not None:  # older files do not tell
        numbers = isinstance(held, dict) and all(isinstance(v, float) and np.isfinite(v) for v in held.values())
        demand(numbers, "what the controller held")
    mechanism = mechanism_from(layout, arrays, sizes, stored)
    for joint in mechanism.joints.values():
        for name, driven in zip(joint.names, joint.driven, strict=True):
            wanted = joint.name if len(joint.names) == 1 else f"{joint.name}.{name}"
            demand(not driven or wanted in prescribed, f"the prescribed motion of {wanted!r} is missing")
    parameters = layout["parameters"]
    plain = parameters is None or all(isinstance(v, float) for v in parameters.values())
    demand(plain, "values of parameters")
    phases = _phases(layout.get("phases", []), sizes["nt"], {**mechanism.joints, **mechanism.springs})
    trajectory = Trajectory(
        stored, raw["time"], history, status, settings, stats, efforts, floating, carried, held=held, phases=phases
    )
    motion = Motion(
        mechanism, raw["time"], history, settings, lambda: (inputs, prescribed), parameters, None, _crossed(raw),
        phases=phases,
    )  # fmt: skip
    run = Run.of_motion(trajectory, motion)
    run.status = status  # judged before it was written
    return run


def _array(group: Any, name: str, most: int) -> NDArray[Any]:
    """An array of a group; none can be larger than its file, for they are stored as they are."""
    found = group[name]
    demand(found.dtype in (np.float64, np.int64, np.uint8, np.bool_), f"{name} holds {found.dtype}")
    demand(found.nbytes <= most, f"{name} claims {found.nbytes} bytes")
    return np.ascontiguousarray(found[()])


def _carried(raw: dict[str, Any], floating: FloatingRecord | None, sizes: dict[str, int]) -> Carried | None:
    if "carried.accel" not in raw:
        return None
    accel, step = raw["carried.accel"], raw["carried.step"]
    shape = (sizes["n"], 6) if floating is None else (len(floating.coordinates),)
    demand(accel.shape == shape and accel.dtype == np.float64 and np.isfinite(accel).all(), "carried accelerations")
    demand(step.shape == (1,) and step.dtype == np.float64 and np.isfinite(step).all() and step[0] >= 0.0, "last step")
    empty = {"inner": np.zeros((2, 0)), "force": np.zeros(0)}  # older files have none
    inner, force = (raw.get(f"carried.{key}", none) for key, none in empty.items())
    rates = inner.ndim == 2 and len(inner) == 2 and inner.shape[1] in (0, sizes["ny"])
    demand(rates and inner.dtype == np.float64 and np.isfinite(inner).all(), "carried rates of states of laws")
    demand(force.ndim == 1 and force.dtype == np.float64 and np.isfinite(force).all(), "carried multipliers")
    return Carried(accel, float(step[0]), inner, force)


def _crossed(raw: dict[str, Any]) -> Crossed | None:
    if "crossed.time" not in raw:
        return None
    found = Crossed(*(raw[f"crossed.{k}"] for k in Crossed._fields))
    n = len(np.atleast_1d(found.time))
    shapes = found.time.shape == (n,) and found.before.shape == found.after.shape == (n, 2) and found.work.shape == (n,)
    demand(shapes and all(a.dtype == np.float64 and np.isfinite(a).all() for a in found), "powers at jumps")
    return found


def _phases(plain: Any, nt: int, known: Collection[str]) -> tuple[Phase, ...]:
    """Which joints and springs were open; older files tell nothing."""
    found = tuple(Phase(first, tuple(open)) for first, open in plain)
    first = [phase.first for phase in found]
    rising = all(isinstance(k, int) for k in first) and first == sorted(set(first)) and first[:1] in ([], [0])
    demand(rising and (not first or first[-1] < nt), "parts of the run")
    demand(all(name in known for phase in found for name in phase.open), "joints that are open")
    return found


def _floating(coordinates: Any, raw: dict[str, Any], sizes: dict[str, int]) -> FloatingRecord | None:
    if coordinates is None:
        return None
    demand(isinstance(coordinates, list) and all(isinstance(c, str) for c in coordinates), "names of coordinates")
    parts = {k: raw[f"floating.{k}"] for k in ("q", "v", "a", *LinkLedger._fields)}
    nt, links = sizes["nt"], len(parts["origin"][0])
    shapes = {**dict.fromkeys(("q", "v", "a"), (nt, len(coordinates))), "powers": (nt, 5), "origin": (nt, links, 3),
              "momentum": (nt, links, 6), "force": (nt, links, 6)}  # fmt: skip
    for key, array in parts.items():
        demand(array.shape == shapes.get(key, array.shape) and array.dtype == np.float64, f"floating.{key}")
    q, v, a = (parts.pop(key) for key in ("q", "v", "a"))
    return FloatingRecord(tuple(coordinates), q, v, a, LinkLedger(**parts))


@answered()
def load_equilibrium(path: str | Path) -> Equilibrium:
    """Read an equilibrium that `Equilibrium.save` wrote; it answers the same questions.

    Examples
    --------
    >>> import cosserat as cs
    >>> rest = cs.load_equilibrium("crane.nc")  # doctest: +SKIP
    """
    return equilibrium_from(read_bytes(path), str(path))


def equilibrium_from(content: bytes, path: str) -> Equilibrium:
    """The equilibrium in the content of a file."""
    run = run_from(content, path)
    if len(run.time) != 1:
        raise FileFormatError(f"{path}: it holds a run of {len(run.time)} times, not an equilibrium; use load_run")
    if run.settings.get("spin") is not None:
        try:
            run.settings["spin"] = np.array(run.settings["spin"], dtype=float)
        except (TypeError, ValueError):
            raise FileFormatError(f"{path}: the file is damaged (spin)") from None
    return Equilibrium.of_motion(run.trajectory, run.motion)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} cannot be written")
