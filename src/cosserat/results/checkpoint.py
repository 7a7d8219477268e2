"""Checkpoints of long runs: all that a run needs to go on as if nothing had happened, in one sealed file.

The file is written whole or not at all and carries a checksum; nothing in it is executed. It holds a fingerprint of the
model, the settings of the call and the version, and is refused where one of them is another.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import platform
import time as clock
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import CompiledModel
from cosserat.errors import CosseratError, FileFormatError, SolveError, shown, warn
from cosserat.kernels.arrays import source_digest
from cosserat.model.model import Model
from cosserat.results.run import Run
from cosserat.results.traits import traits, traits_of

_MAGIC = b"cosserat checkpoint 2\n"
_SEAL = 64
INTERVAL = 10.0  # s of wall time between two writes
BARRIER = 32  # steps: what is sampled or asked in groups of steps begins anew at multiples of it, however fast it goes


class Checkpoint:
    """The checkpoint of one run.

    Parameters
    ----------
    path : path
    identity : dict of str
        What the run is: settings by name, and fingerprints.
    interval : float
        Wall time (s) between two writes.
    controller : optional
        Whose `get_state` and `set_state` keep its memory.
    model : Model, optional
        Whose functions must be the same.
    events : iterable of Event
        Whose functions must be the same, too.
    """

    def __init__(
        self,
        path: Any,
        identity: Mapping[str, str],
        interval: float = INTERVAL,
        controller: Any = None,
        model: Model | None = None,
        events: Iterable[Any] = (),
    ) -> None:
        from cosserat.io import output

        self.path: Path = output.target(path)
        self._identity = dict(identity)
        self._interval, self._controller, self._model, self._events = interval, controller, model, tuple(events)
        self._written, self._failed = clock.monotonic(), False
        if controller is not None:
            _demand_states(controller)
        self._traits = self._now()
        self.kept: dict[str, Any] | None = self._read() if self.path.exists() else None

    def resume(self, walk: Any, begun: Callable[[Mapping[str, Any]], None]) -> bool:
        """Let walk, driver (by `begun`) and controller become what they were; False where all begins."""
        if self.kept is None:
            return False
        try:
            walk.resume(self.kept)
            begun(self.kept)
        except Exception as error:
            raise self._unreadable(error) from None
        if self._controller is not None:
            try:
                self._controller.set_state(self.kept["controller"])
            except Exception as error:
                raise SolveError(
                    f"simulate: checkpoint: controller: set_state() fails with {type(error).__name__}: {error}; it "
                    "must take what its get_state() gave, or remove the file to begin anew"
                ) from error
        now = self._now()
        for name, there in self.kept["traits"].items():
            self._demand(name, there, now.get(name, "nothing"))
        return True

    def _unreadable(self, error: Exception) -> FileFormatError:
        what = f"{type(error).__name__}: {error}"
        return FileFormatError(f"{self.path}: the checkpoint cannot be read ({what}); delete it to begin anew")

    def _now(self) -> dict[str, str]:
        """What controller and functions of the model are made of."""
        own = {} if self._controller is None else traits(self._controller)
        functions = {} if self._model is None else traits_of(self._model)
        for event in self._events:
            for word, function in (("when", event.when), ("then", event.then)):
                functions |= {f"event {event.name!r}: {word}: its {k}": text for k, text in traits(function).items()}
        return {f"controller: its {name}": text for name, text in own.items()} | functions

    @property
    def due(self) -> bool:
        """Whether it is time to write."""
        return clock.monotonic() - self._written >= self._interval

    def save(self, content: Mapping[str, Any]) -> None:
        """Write numbers, texts, lists, dicts and arrays."""
        from cosserat.io import output

        whole = dict(content)
        whole["controller"] = None if self._controller is None else self._controller.get_state()
        now = self._now()
        whole["traits"] = {name: text for name, text in self._traits.items() if now.get(name) == text}
        arrays: dict[str, NDArray[Any]] = {}
        plain = json.dumps({"identity": self._identity, "content": _encoded(whole, arrays, "checkpoint")})
        stream = io.BytesIO()
        np.savez(stream, **{"json": np.frombuffer(plain.encode("utf-8"), dtype=np.uint8)}, **arrays)  # type: ignore[arg-type]
        body = _MAGIC + stream.getvalue()
        try:
            output.write(self.path, body + hashlib.sha256(body).hexdigest().encode("ascii"))
        except FileFormatError as error:  # a full disk takes nothing from the run itself
            if not self._failed:
                warn(f"simulate: {error}; the run goes on without this checkpoint")
            self._failed = True
        self._written = clock.monotonic()

    def _read(self) -> dict[str, Any]:
        try:
            data = self.path.read_bytes()
        except OSError as error:
            raise FileFormatError(f"{self.path}: cannot be read ({error.strerror})") from None
        body, seal = data[:-_SEAL], data[-_SEAL:]
        if not data.startswith(_MAGIC):
            raise FileFormatError(f"{self.path}: is no checkpoint of this version; pass another name, or delete it")
        if hashlib.sha256(body).hexdigest().encode("ascii") != seal:
            raise FileFormatError(f"{self.path}: the checkpoint is damaged: its checksum is wrong; delete it")
        try:
            with np.load(io.BytesIO(body[len(_MAGIC) :]), allow_pickle=False) as found:
                arrays = {key: found[key] for key in found.files}
            plain = json.loads(arrays.pop("json").tobytes().decode("utf-8"))
            identity, content = plain["identity"], _decoded(plain["content"], arrays)
            for key, value in self._identity.items():
                self._demand(key, identity.get(key, "nothing"), value)
            if not all(isinstance(text, str) for text in content["traits"].values()):
                raise ValueError("traits are not texts")
            return dict(content)
        except CosseratError:
            raise
        except Exception as error:  # whatever readers raise for a file that was made to harm
            raise self._unreadable(error) from None

    def _demand(self, name: str, there: str, here: str) -> None:
        if there == here:
            return
        what = f"{name} is other than it was" if len(here) == _SEAL else f"{name} was {there} and is {here}"
        raise SolveError(
            f"checkpoint {str(self.path)!r}: it belongs to another run: {what}; give the same model and "
            "arguments to go on, or delete the file to begin anew"
        )


def _demand_states(controller: Any) -> None:
    if not (callable(getattr(controller, "get_state", None)) and callable(getattr(controller, "set_state", None))):
        raise SolveError(
            f"simulate: checkpoint: controller {shown(controller)} has no get_state and set_state, so that what it "
            "remembers would be lost; give it both (get_state() gives numbers, text, lists, dicts and arrays, "
            "set_state(them) takes them back; without memory: lambda: None and lambda state: None)"
        )
    try:
        state = controller.get_state()
    except Exception as error:
        text = f"simulate: checkpoint: controller: get_state() fails with {type(error).__name__}: {error}"
        raise SolveError(text) from error
    try:
        json.dumps(_encoded(state, {}, "get_state()"))
    except (TypeError, ValueError, RecursionError) as error:
        raise SolveError(f"simulate: checkpoint: controller: get_state() gives what cannot be kept: {error}") from None


def identity_of(compiled: CompiledModel, settings: Mapping[str, Any]) -> dict[str, str]:
    """What a run is, as texts: settings, a fingerprint of the model and of where it starts, version and machine."""
    out = {key: _named(value) for key, value in settings.items() if key not in ("start", "controller")}
    start, controller, begin = settings.get("start"), settings.get("controller"), float(settings["start_time"])
    if start is None or isinstance(start, str):
        out["start"] = shown(start)
    else:
        kept = start.trajectory
        held = [*(kept.carried or ())[:4], *(kept.held or {}).values()]
        out["start"] = _fingerprint([kept.time[-1:], *held, *(a[-1] for a in kept.history if len(a))])
        begin = float(kept.time[-1]) if isinstance(start, Run) else begin
    out["controller period"] = "no controller" if controller is None else shown(getattr(controller, "period", None))
    out["model"] = _model_fingerprint(compiled, begin, float(settings["duration"]))
    out["version"] = hashlib.sha256(f"{source_digest()} {np.__version__} {platform.machine()}".encode()).hexdigest()
    return out


def _named(value: Any) -> str:
    """A setting for an error message, a checksum where that cannot hold all of it."""
    text = shown(value)
    return text if len(text) < 200 else _fingerprint([repr(value)])


def _model_fingerprint(compiled: CompiledModel, start: float, duration: float) -> str:
    """Of arrays, names and sampled functions of time."""
    times = start + duration * np.linspace(0.0, 1.0, 65)
    parts: list[Any] = [array for group in compiled.system for array in group]
    parts += [compiled.frames, compiled.twists, *compiled.sampler.sample(times)]
    parts += [repr([joint.name for joint in compiled.joints]), repr(sorted(compiled.beams)), repr(compiled.freedoms)]
    for body in compiled.model.modal_bodies:
        parts += [body.stiffness, body.damping, body.stiffening, body.rates, repr(list(body.interfaces))]
        for record in (body.inertia, *body.interfaces.values()):
            parts += [getattr(record, field.name) for field in fields(record)]
    return _fingerprint(parts)


def _fingerprint(parts: list[Any]) -> str:
    found = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            found.update(f"{part.shape}{part.dtype}".encode())
            found.update(np.ascontiguousarray(part).tobytes())
        else:
            found.update(str(part).encode())
    return found.hexdigest()


def _encoded(value: Any, arrays: dict[str, NDArray[Any]], where: str) -> Any:
    """Plain values for JSON; arrays go into `arrays`, by number."""
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject or isinstance(value, np.ma.MaskedArray):
            raise TypeError(f"{where} holds an array of objects, or a masked one")
        key = f"a{len(arrays)}"
        arrays[key] = value
        return {"array": key}
    if isinstance(value, Mapping):
        return {"dict": [[_encoded(k, arrays, where), _encoded(v, arrays, where)] for k, v in value.items()]}
    if isinstance(value, tuple):
        return {"tuple": [_encoded(v, arrays, where) for v in value]}
    if isinstance(value, list):
        return [_encoded(v, arrays, where) for v in value]
    if isinstance(value, np.generic):
        return {"array": _encoded(np.asarray(value), arrays, where)["array"], "scalar": True}
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    raise TypeError(f"{where} holds a {type(value).__name__}; numbers, text, lists, dicts and arrays can be kept")


def _decoded(value: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    if isinstance(value, list):
        return [_decoded(v, arrays) for v in value]
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return arrays[value["array"]][()] if value.get("scalar") else arrays[value["array"]]
    if "tuple" in value:
        return tuple(_decoded(v, arrays) for v in value["tuple"])
    if "float" in value:
        return float(value["float"])
    return {_decoded(k, arrays): _decoded(v, arrays) for k, v in value["dict"]}
