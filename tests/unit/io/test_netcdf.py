"""Runs in and out of files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cosserat as cs
from cosserat.errors import FileFormatError, PlaceError, SolveError


def arm(motion: object) -> cs.Model:
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    beam = model.add(
        cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.02), material=cs.materials.STEEL, elements=2)
    )
    load = model.add(cs.RigidBody.box("load", size=(0.3, 0.1, 0.1), mass=0.5, com=(1.15, 0, 0)))
    model.add(cs.Revolute("drive", cs.GROUND, beam.start, axis=(0, 0, 1), motion=motion))
    model.add(cs.Cylindrical("elbow", beam.end, load.at((1, 0, 0)), axis=(0, 0, 1), stiffness=(50.0, 1.0)))
    model.add(cs.DistributedLoad("wind", beam, force=(0, 0.5, 0)))
    return model


def same_answers(run: cs.Run, other: cs.Run) -> None:
    assert np.array_equal(run.time, other.time)
    for place in ("beam.end", "beam.at(0.3)", "load", "load.at(1.3, 0, 0)", "ground"):
        assert run.position(place).identical(other.position(place))
        assert run.rotation(place).identical(other.rotation(place))
        assert run.velocity(place, frame="body").identical(other.velocity(place, frame="body"))
        assert run.acceleration(place).identical(other.acceleration(place))
    for joint in ("drive", "elbow"):
        for name in ("coordinate", "coordinate_rate", "effort", "reaction"):
            assert getattr(run, name)(joint).identical(getattr(other, name)(joint))
    assert run.section_force("beam", 0.4).identical(other.section_force("beam", 0.4))
    assert run.energy.identical(other.energy)
    assert run.momentum.identical(other.momentum)
    assert run.transport_residual.identical(other.transport_residual)
    assert run.status == other.status
    assert run.stats == other.stats
    assert run.settings == other.settings


def test_round_trip_with_the_model(tmp_path: Path) -> None:
    run = cs.simulate(arm("t - sin(t)"), duration=0.2, step=0.01)
    path = tmp_path / "arm.nc"
    run.save(path)
    back = cs.load_run(path)
    same_answers(run, back)
    assert run.strain("beam", 0.4).identical(back.strain("beam", 0.4))
    assert back.model == run.model
    again = cs.simulate(back.model, duration=0.05, step=0.01, start=back)
    assert again.time[0] == pytest.approx(0.2)
    back.save(tmp_path / "again.nc")
    same_answers(run, cs.load_run(tmp_path / "again.nc"))


def test_round_trip_of_python_functions(tmp_path: Path) -> None:
    run = cs.simulate(arm(lambda t: t - np.sin(t)), duration=0.2, step=0.01)
    run.save(tmp_path / "arm.nc")
    back = cs.load_run(str(tmp_path / "arm.nc"))
    same_answers(run, back)
    assert "Run of 'arm'" in repr(back)
    with pytest.raises(SolveError, match=r"the file has no model.*joint 'drive': motion is a Python function"):
        _ = back.model
    with pytest.raises(PlaceError, match=r"unknown frame 'beam.tip'; frames of 'beam'"):
        back.position("beam.tip")
    with pytest.raises(PlaceError, match="not on the beam"):
        back.position("beam.at(2)")


def test_a_failed_run_is_saved_too(tmp_path: Path) -> None:
    run = cs.simulate(arm("t - sin(t)"), duration=0.05, step=0.01)
    failed = cs.Status(cs.Outcome.NOT_CONVERGED, 0.03, "for the test")
    object.__setattr__(run.trajectory, "status", failed)
    run.save(tmp_path / "failed.nc")
    back = cs.load_run(tmp_path / "failed.nc")
    assert not back.status.ok
    assert back.status == failed


def test_any_reader_can_read_it(tmp_path: Path) -> None:
    import xarray

    run = cs.simulate(arm("t - sin(t)"), duration=0.05, step=0.01)
    run.save(tmp_path / "arm.nc")
    with xarray.open_dataset(tmp_path / "arm.nc", engine="h5netcdf") as data:
        assert data["beam.position"].dims == ("time", "beam.node", "axis")
        assert data["beam.position"].attrs["units"] == "m"
        assert np.allclose(data["energy.total"], run.energy.total)


def test_bad_files(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="no such file"):
        cs.load_run(tmp_path / "none.nc")
    (tmp_path / "text.nc").write_text("not a run")
    with pytest.raises(FileFormatError, match=r"not a file written by Run.save"):
        cs.load_run(tmp_path / "text.nc")
    run = cs.simulate(arm("t"), duration=0.02, step=0.01)
    with pytest.raises(FileFormatError, match=r"the folder .* does not exist"):
        run.save(tmp_path / "missing" / "arm.nc")


def test_names_with_spaces(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    """Files list coordinates by name with spaces between, which must cost neither a warning nor a name."""
    import xarray

    model = cs.Model("two words")
    line = [(0, 0, 0), (1, 0, 0)]
    rod = model.add(cs.Beam("left arm", points=line, section=cs.Rod(0.02), material=cs.materials.STEEL))
    model.add(cs.Revolute("left shoulder", cs.GROUND, rod.start, axis=(0, 0, 1), motion="t"))
    run = cs.simulate(model, duration=0.02, step=0.01)
    run.save(tmp_path / "arm.nc")
    assert not recwarn.list
    back = cs.load_run(tmp_path / "arm.nc")
    assert back.data.identical(run.data)
    assert back.reaction("left shoulder").identical(run.reaction("left shoulder"))
    floating = cs.simulate(model, duration=0.02, step=0.01, formulation="floating", modes=2)
    floating.save(tmp_path / "arm.nc")
    back = cs.load_run(tmp_path / "arm.nc")
    assert back.data.identical(floating.data)
    assert back.coordinate("left arm").identical(floating.coordinate("left arm"))
    pytest.importorskip("zarr")
    floating.save(tmp_path / "arm.zarr")
    assert not recwarn.list
    with xarray.open_zarr(tmp_path / "arm.zarr") as data:
        assert np.allclose(data["left arm.position"], floating.data["left arm.position"])
