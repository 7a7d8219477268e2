"""Result files that were damaged or made to harm: refused with a located error, or harmless. Nothing crashes."""

from __future__ import annotations

import io
import json
import os
import warnings
from pathlib import Path
from typing import Any, get_type_hints

import h5py
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cosserat as cs
from cosserat.compile.compiled import System
from cosserat.errors import FileFormatError
from cosserat.io import netcdf
from cosserat.io import stored as bounds

MANY = [60, pytest.param(3000, marks=pytest.mark.slow)]
EXTREMES = (-(2**63), -(2**31), -2, -1, 0, 1, 2, 3, 7, 63, 1000, 2**31, 2**62, 2**63 - 1)


def fuzz(n: int) -> Any:
    return settings(
        max_examples=n, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
    )


def arm() -> cs.Model:
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    section, steel = cs.Rod(0.02), cs.materials.STEEL
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=section, material=steel, elements=2))
    load = model.add(cs.RigidBody.box("load", size=(0.3, 0.1, 0.1), mass=0.5, com=(1.15, 0, 0)))
    model.add(cs.Revolute("drive", cs.GROUND, beam.start, axis=(0, 0, 1), motion="0.1*t"))
    model.add(cs.Screw("elbow", beam.end, load.at((1, 0, 0)), axis=(0, 0, 1), pitch=0.1, stiffness=1.0, friction=0.1))
    model.add(cs.DistributedLoad("wind", beam, force=(0, 0.5, 0)))
    model.add(cs.Force("push", load, (1, 0, 0), follower=True))
    model.add(cs.Spring("spring", cs.GROUND, load, stiffness=10.0))
    return model


@pytest.fixture(scope="module")
def content() -> bytes:
    return netcdf.image(cs.simulate(arm(), duration=0.03, step=0.01))


@pytest.fixture(scope="module")
def parts(content: bytes) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any], dict[str, str]]:
    with h5py.File(io.BytesIO(netcdf.unsealed(content, "a.nc")), "r") as file:
        raw, arrays = ({k: file[g][k][()] for k in file[g]} for g in ("raw", "system"))
        layout = json.loads(bytes(file["layout/json"][()]))
        return raw, arrays, layout, {name: str(file.attrs[name]) for name in ("settings", "stats")}


def built(raw: dict[str, Any], arrays: dict[str, Any], layout: Any, attributes: dict[str, Any]) -> bytes:
    """A sealed file of these parts."""
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        for name, values in (("raw", raw), ("system", arrays)):
            group = file.create_group(name)
            for key, value in values.items():
                group.create_dataset(key, data=value)
        text = json.dumps(layout).encode()
        file.create_group("layout").create_dataset("json", data=np.frombuffer(text, dtype=np.uint8))
        file.attrs.update(attributes)
    return netcdf.seal(stream.getvalue())


def use(content: bytes) -> None:
    """Load and ask everything: what is refused must be located, and nothing may leave the process."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            run = netcdf.run_from(content, "a.nc")
            _ = run.energy, run.momentum, run.constraint_violation, run.transport_residual
            _ = run.position("beam.at(0.3)"), run.acceleration("load"), run.section_force("beam", 0.2)
            _ = run.coordinate("elbow"), run.effort("elbow"), run.reaction("drive"), run.data
        except cs.CosseratError:
            return


def test_a_sound_file_loads(parts, content):
    run = netcdf.run_from(built(*parts), "a.nc")
    assert run.energy.identical(netcdf.run_from(content, "a.nc").energy)


def test_every_array_of_the_system_has_bounds():
    """Who adds an array to the compiled model says here how large it is and what its indices may be."""
    groups = bounds._groups()
    assert set(groups) == {"history", "inputs", *get_type_hints(System)} - {"pattern"}
    for group, fields in groups.items():
        for field, (dtype, ndim) in fields.items():
            assert len(bounds.SHAPES[f"{group}.{field}"]) == ndim
            assert dtype != "int64" or f"{group}.{field}" in bounds.RANGES


@pytest.mark.parametrize("n", MANY)
def test_noise(content, n):
    """Bytes changed, cut or added: the checksum tells, before any library reads the file."""

    @fuzz(n)
    @given(st.integers(0, len(content) - 1), st.binary(min_size=1, max_size=8), st.sampled_from(("set", "cut", "add")))
    def noise(at: int, some: bytes, how: str) -> None:
        changed = {
            "set": content[:at] + some + content[at + len(some) :],
            "cut": content[:at],
            "add": content[:at] + some + content[at:],
        }[how]
        if changed != content:
            with pytest.raises(FileFormatError, match=r"a\.nc: "):
                netcdf.run_from(changed, "a.nc")

    noise()


@pytest.mark.parametrize("n", MANY)
def test_numbers_made_to_harm(parts, n):
    """Indices and shapes that lead out of the arrays, with a right checksum."""
    raw, arrays, layout, attributes = parts
    names = sorted([("raw", k) for k in raw] + [("system", k) for k in arrays])

    @fuzz(n)
    @given(
        st.sampled_from(names),
        st.integers(0, 10_000),
        st.sampled_from(EXTREMES),
        st.sampled_from(("entry", "all", "shorter", "longer", "flat", "type", "gone")),
    )
    def harm(which: tuple[str, str], at: int, value: int, how: str) -> None:
        groups = {"raw": dict(raw), "system": dict(arrays)}
        array = np.array(groups[which[0]][which[1]])
        if how in ("entry", "all") and array.size:
            number = value if array.dtype.kind == "i" else float(value)
            array.ravel()[at % array.size if how == "entry" else slice(None)] = number
        elif how == "shorter":
            array = array[:-1]
        elif how == "longer":
            array = np.concatenate((array, array))
        elif how == "flat":
            array = array.ravel() if array.ndim > 1 else array[None]
        elif how == "type":
            array = array.astype(np.float64 if array.dtype.kind == "i" else np.int64)
        groups[which[0]][which[1]] = array
        if how == "gone":
            del groups[which[0]][which[1]]
        use(built(groups["raw"], groups["system"], layout, attributes))

    harm()


def _leaves(value: Any, route: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [route, *(leaf for k, v in value.items() for leaf in _leaves(v, (*route, k)))]
    if isinstance(value, list):
        return [route, *(leaf for k, v in enumerate(value) for leaf in _leaves(v, (*route, k)))]
    return [route]


@pytest.mark.parametrize("n", MANY)
def test_layouts_made_to_harm(parts, n):
    raw, arrays, layout, attributes = parts
    routes = [route for route in _leaves(layout) if route]
    hostile = st.sampled_from((*EXTREMES, None, True, "", "x", "\0", [], {}, [1], {"a": 1}, 0.5, 1e308, "ground"))

    @fuzz(n)
    @given(st.sampled_from(routes), hostile)
    def harm(route: tuple[Any, ...], value: Any) -> None:
        changed = json.loads(json.dumps(layout))
        place = changed
        for step in route[:-1]:
            place = place[step]
        place[route[-1]] = value
        use(built(raw, arrays, changed, attributes))

    harm()


@pytest.mark.parametrize(
    "attributes",
    ({}, {"settings": "{", "stats": "{}"}, {"settings": "[]", "stats": "{}"}, {"settings": "3", "stats": 1}),
)
def test_attributes(parts, attributes):
    with pytest.raises(FileFormatError, match=r"a\.nc: the file is damaged"):
        netcdf.run_from(built(*parts[:3], attributes), "a.nc")


def test_sizes_that_no_file_has(parts):
    """An array of terabytes in a file of kilobytes is not allocated."""
    raw, arrays, layout, attributes = parts
    stream = io.BytesIO(
        netcdf.unsealed(
            built({k: v for k, v in raw.items() if k != "history.frame"}, arrays, layout, attributes), "a.nc"
        )
    )
    with h5py.File(stream, "r+") as file:
        file["raw"].create_dataset("history.frame", shape=(10**9, 10**3, 12), dtype=float, chunks=(1, 1, 12))
    with pytest.raises(FileFormatError, match=r"claims .* bytes"):
        netcdf.run_from(netcdf.seal(stream.getvalue()), "a.nc")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="devices of POSIX")
def test_files_without_end(tmp_path):
    os.mkfifo(tmp_path / "pipe.nc")
    for path in ("/dev/zero", tmp_path / "pipe.nc"):
        for load in (cs.load_run, cs.load_equilibrium, cs.load_model, cs.load_mesh):
            with pytest.raises(cs.CosseratError):
                load(path)


@pytest.mark.parametrize("name", ("folder", "text.nc", "empty.nc", "foreign.nc", "pickle.nc"))
def test_foreign_files(tmp_path, name):
    import pickle

    (tmp_path / "folder").mkdir()
    (tmp_path / "text.nc").write_text("no run")
    (tmp_path / "empty.nc").write_bytes(b"")
    (tmp_path / "pickle.nc").write_bytes(pickle.dumps([1]))
    with h5py.File(tmp_path / "foreign.nc", "w") as file:
        file["x"] = 1.0
    for load in (cs.load_run, cs.load_equilibrium):
        with pytest.raises(FileFormatError):
            load(tmp_path / name)
    with pytest.raises(cs.CosseratError):
        cs.load_model(tmp_path / name)
    with pytest.raises(cs.CosseratError):
        cs.load_mesh(tmp_path / name)
