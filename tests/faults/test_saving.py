"""Files are written whole or not at all: full disks, kills, folders that are not there, names that mean nothing."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import cosserat as cs
from cosserat.cli.app import app
from cosserat.errors import FileFormatError
from cosserat.io import formats, output

posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="signals and rights of POSIX")


def pendulum(motion: object = None) -> cs.Model:
    model = cs.Model("pendulum", gravity=(0, 0, -9.81))
    bob = model.add(cs.RigidBody.sphere("bob", diameter=0.1, mass=cs.Parameter("m", 1.0), com=(1, 0, 0)))
    model.add(cs.Revolute("pivot", cs.GROUND, bob, axis=(0, 1, 0), at=(0, 0, 0), motion=motion))
    return model


@pytest.fixture(scope="module")
def run() -> cs.Run:
    return cs.simulate(pendulum(), duration=0.1, step=0.01)


@pytest.mark.parametrize("name", ("a.mp4", "a", "a.txt", "a.nc4", ".nc", "a.html", "a.csv.gz"))
def test_unknown_suffixes_are_refused(tmp_path, run, name):
    with pytest.raises(FileFormatError, match=r"suffix.*\.csv or \.parquet"):
        run.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ("", " ", "a\0b.nc", 3, None, b"a.nc", ["a.nc"], "x" * 5000 + ".nc"))
def test_no_name_of_a_file(run, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for write in (run.save, run.show, lambda path: cs.save_model(pendulum(), path)):
        if name is None and write == run.show:
            continue
        with pytest.raises(cs.CosseratError):
            write(name)
    for load in (cs.load_run, cs.load_model, cs.load_equilibrium):
        with pytest.raises(cs.CosseratError):
            load(name)


def test_folders_are_not_made(tmp_path, run):
    for write in (run.save, lambda path: run.show(path.with_suffix(".html")), lambda path: run.plot(path=path)):
        with pytest.raises(cs.CosseratError, match=r"the folder .*nowhere' does not exist|no pictures of the kind"):
            write(tmp_path / "nowhere" / "a.nc")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", (".nc", ".h5", ".H5"))
def test_formats_that_load_again(tmp_path, run, suffix):
    path = tmp_path / f"a{suffix}"
    run.save(path)
    assert cs.load_run(path).position("bob").identical(run.position("bob"))


def test_tables(tmp_path, run):
    run.save(tmp_path / "a.csv")
    table = np.genfromtxt(tmp_path / "a.csv", delimiter=",", names=True, deletechars="")
    np.testing.assert_array_equal(table["time"], run.time)
    np.testing.assert_array_equal(table["bob.position.z"], run.position("bob").values[:, 2])
    np.testing.assert_array_equal(table["pivot.coordinate"], run.coordinate("pivot").values)
    with pytest.raises(FileFormatError, match=r"not a file written by Run\.save"):
        cs.load_run(tmp_path / "a.csv")
    parquet = pytest.importorskip("pyarrow.parquet")
    run.save(tmp_path / "a.parquet")
    rows = parquet.read_table(tmp_path / "a.parquet")
    assert rows.column_names == list(formats.columns(run.data))
    np.testing.assert_array_equal(rows["bob.position.z"].to_numpy(), run.position("bob").values[:, 2])


def test_zarr(tmp_path, run):
    pytest.importorskip("zarr")
    xarray = pytest.importorskip("xarray")
    for _ in range(2):  # the second takes the place of the first
        run.save(tmp_path / "a.zarr")
        with xarray.open_zarr(tmp_path / "a.zarr") as back:
            assert (back["bob.position"].values == run.data["bob.position"].values).all()
    assert [p.name for p in tmp_path.iterdir()] == ["a.zarr"]
    (tmp_path / "b.zarr").mkdir()
    (tmp_path / "b.zarr" / "thesis.tex").write_text("all of it")
    with pytest.raises(FileFormatError, match="other content stands there"):
        run.save(tmp_path / "b.zarr")
    assert (tmp_path / "b.zarr" / "thesis.tex").read_text() == "all of it"


def test_a_missing_library_is_named(tmp_path, run, monkeypatch):
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(formats, "import_module", missing)
    for suffix, extra in ((".parquet", "parquet"), (".zarr", "cluster")):
        with pytest.raises(cs.CosseratError, match=rf"pip install 'cosserat\[{extra}\]'"):
            run.save(tmp_path / f"a{suffix}")


def test_what_is_saved_is_the_model_as_it_was_run(tmp_path):
    model = pendulum()
    run = cs.simulate(model, duration=0.05, step=0.01)
    before = model.copy()
    model.set(m=7.0)
    model.gravity = (0, 0, -1.62)
    model.add(cs.Force("late", "bob", (1, 0, 0)))
    run.save(tmp_path / "a.nc")
    back = cs.load_run(tmp_path / "a.nc")
    assert back.model == before
    assert back.energy.identical(run.energy)
    assert model.parameters == {"m": 7.0}


@posix
def test_rights_links_and_protected_files(tmp_path):
    path, link = tmp_path / "a.csv", tmp_path / "link.csv"
    output.write(path, "one")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
    path.chmod(0o640)
    link.symlink_to(path)
    output.write(link, "two")
    assert link.is_symlink()
    assert path.read_text() == "two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    with pytest.raises(FileFormatError, match="not a regular file"):
        output.target("/dev/null")


@posix
@pytest.mark.parametrize("formulation", ["galilean", "floating"])
@pytest.mark.parametrize("step", [1e-3, None])
def test_a_disk_full_of_checkpoints_takes_nothing_from_the_run(tmp_path, formulation, step):
    import resource

    path, given = tmp_path / "run.ckpt", {"step": step, "formulation": formulation}
    whole = cs.simulate(pendulum(), 1.0, **given)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, limits[1]))
    try:
        with pytest.warns(cs.CosseratWarning, match=r"run.ckpt: cannot be written \(File too large\).*the run goes on"):
            run = cs.simulate(pendulum(), 1.0, checkpoint=path, checkpoint_interval=0.0, **given)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)
    assert run.status.ok
    assert len(run.time) == len(whole.time)
    assert not list(tmp_path.iterdir())


@pytest.mark.filterwarnings("ignore:simulate")
@pytest.mark.parametrize("formulation", ["galilean", "floating"])
@pytest.mark.parametrize("step", [1e-3, None])
def test_a_state_that_cannot_be_had_ends_the_run_and_keeps_it(tmp_path, formulation, step):
    calls = []

    def controller(t, state):
        calls.append(t)

    def get_state():
        return 1.0 / (len(calls) < 5)

    controller.get_state, controller.set_state = get_state, lambda state: None
    given = {"step": step, "formulation": formulation, "controller": controller}
    run = cs.simulate(pendulum(), 1.0, checkpoint=tmp_path / "run.ckpt", checkpoint_interval=0.0, **given)
    assert run.status.outcome is cs.Outcome.CALL_FAILED
    assert "controller: get_state(): ZeroDivisionError" in run.status.message
    assert len(run.time) == len(run.position("bob")) > 4
    assert run.time[-1] == run.status.time


LIMITED = """
import resource, sys
import cosserat as cs
sys.path.insert(0, {tests!r})
from test_saving import pendulum
run = cs.simulate(pendulum(), duration=0.1, step=0.01)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    {call}
except cs.CosseratError as error:
    print(error)
print(run.status.ok, len(run.time))
"""


@posix
@pytest.mark.parametrize(
    "call", ("save('a.nc')", "save('a.h5')", "save('a.zarr')", "show('a.html')", "plot(path='a.png')")
)
def test_a_full_disk(tmp_path, call):
    """The process lives, the error says where, what stood there stands."""
    name = call.split("'")[1]
    old = b"x" * 100
    if name.endswith("zarr"):
        pytest.importorskip("zarr")
        call = f"cs.simulate(pendulum(), 100.0, 0.01).{call}"  # has files that are too large
    else:
        call = f"run.{call}"
        (tmp_path / name).write_bytes(old)
    code = LIMITED.format(call=call, tests=str(Path(__file__).parent))
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"{name}: cannot be written (File too large), and nothing was changed there; make room" in done.stdout
    assert "True 11" in done.stdout
    if not name.endswith("zarr"):
        assert [p.name for p in tmp_path.iterdir()] == [name]
        assert (tmp_path / name).read_bytes() == old
    else:
        assert not list(tmp_path.iterdir())


SAVING = """
import sys
import cosserat as cs
sys.path.insert(0, {tests!r})
from test_saving import pendulum
run = cs.simulate(pendulum(), duration=2.0, step=0.001)
run.save("a.nc")
print("ready", flush=True)
while True:
    run.save("a.nc")
"""


@posix
def test_killed_while_saving(tmp_path, rng):
    """Whatever the moment: the file is one of those that were saved."""
    code = SAVING.format(tests=str(Path(__file__).parent))
    for delay in rng.uniform(0.0, 0.5, 4):
        job = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE)
        assert job.stdout is not None
        assert job.stdout.readline() == b"ready\n"
        time.sleep(delay)
        job.send_signal(signal.SIGKILL)
        job.communicate()
        run = cs.load_run(tmp_path / "a.nc")
        assert len(run.time) == 2001


def test_interrupted_while_writing(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    output.write(path, "old")

    def interrupt(handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        output.write(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.parametrize("exchange", [True, False])
def test_a_folder_is_never_gone(tmp_path, monkeypatch, exchange):
    """Whatever is interrupted: the old folder stands there, or the new one."""

    def fill(text):
        def write(folder):
            folder.mkdir()
            (folder / "content").write_text(text)

        return write

    path, rename, left = tmp_path / "a.zarr", os.rename, []
    if not exchange:
        monkeypatch.setattr(output, "_exchanged", lambda one, two: False)
    output.write_folder(path, fill("old"), lambda folder: True)

    def interrupted(one, two):
        left.append(one)
        if len(left) == ends:
            raise KeyboardInterrupt
        rename(one, two)

    for end in (1, 2, 3):
        ends = end
        left.clear()
        monkeypatch.setattr(os, "rename", interrupted)
        try:
            output.write_folder(path, fill("new"), lambda folder: True)
        except KeyboardInterrupt:
            assert (path / "content").read_text() == "old"
        else:
            assert (path / "content").read_text() == "new"
            break
        finally:
            monkeypatch.setattr(os, "rename", rename)
    assert [p.name for p in tmp_path.iterdir()] == ["a.zarr"]


def test_a_folder_that_cannot_be_written_to_is_known_before_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)
    with pytest.raises(FileFormatError, match="nothing can be written to the folder"):
        output.target(tmp_path / "a.nc")


def test_the_command_keeps_what_it_cannot_write_where_it_should(tmp_path, monkeypatch):
    """A full disk at the end of a long run."""
    cs.save_model(pendulum(), tmp_path / "pendulum.yaml")
    refuge, write = tmp_path / "refuge", output.write
    refuge.mkdir()

    def full(path, content):
        if refuge not in path.parents:
            raise FileFormatError(f"{path}: cannot be written (No space left on device); make room")
        write(path, content)

    monkeypatch.setattr(tempfile, "tempdir", str(refuge))
    monkeypatch.setattr(output, "write", full)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["run", "pendulum.yaml", "--duration", "0.1", "--step", "0.01"])
    assert done.exit_code == 2
    (kept,) = refuge.rglob("pendulum.nc")
    assert len(cs.load_run(kept).time) == 11
    assert "the result is kept in" in " ".join(done.output.split())
