"""The cache of compiled code: what is swapped, damaged, foreign or open to others is compiled again, never run."""

from __future__ import annotations

import os
import pickle
import signal
import stat
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cosserat.errors import CosseratWarning
from cosserat.jit import cache, store
from cosserat.jit.cache import CachedCode
from cosserat.jit.switch import COMPILED

posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="rights of POSIX")
compiled = pytest.mark.skipif(not COMPILED, reason="the compiler is off")

SMALL = """
import numpy as np
from cosserat.kernels.alpha import move
frames = np.tile(np.concatenate((np.eye(3).ravel(), np.zeros(3))), (2, 1))
increments, moved = np.zeros((2, 6)), np.zeros((2, 12))
increments[0, 0] = 1.0
print("ready", flush=True)
move(frames, increments, 1.0, moved)
assert moved[0, 9] == 1.0
import sys
print("numba" in sys.modules)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache of its own."""
    monkeypatch.setattr(cache, "cache_directory", lambda folder="": tmp_path / "cosserat" / f"digest{folder}")
    monkeypatch.setattr(store, "_warned", set())
    return tmp_path / "cosserat" / "digest"


def environment(root, **others):
    return {**os.environ, "COSSERAT_CACHE_DIR": str(root), **others}


def python(code, root, **others):
    return subprocess.run(
        [sys.executable, "-W", "default", "-c", code], env=environment(root, **others), capture_output=True, text=True,
        timeout=120, check=False, cwd=others.get("cwd"),
    )  # fmt: skip


@posix
def test_folders_and_files_are_private(folder):
    old = os.umask(0)
    try:
        cache.write("beams.strain", "", CachedCode("entry", "i", b"code", {}))
    finally:
        os.umask(old)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "beams.strain.kernel").stat().st_mode) == 0o600
    assert cache.read("beams.strain", "") == CachedCode("entry", "i", b"code", {})


def test_a_file_of_another_kernel_is_refused(folder):
    """Two kernels of the same signature, exchanged: once the wrong physics, without a word."""
    cache.write("beams.strain", "", CachedCode("entry", "i,d2", b"code of one", {}))
    cache.write("beams.forces", "", CachedCode("entry", "i,d2", b"code of another", {}))
    one, other = folder / "beams.strain.kernel", folder / "beams.forces.kernel"
    one.write_bytes(other.read_bytes())
    assert cache.read("beams.strain", "") is None
    assert cache.read("beams.forces", "") is not None


def test_a_file_of_another_version_is_refused(folder):
    cache.write("beams.strain", "", CachedCode("entry", "i", b"code", {}))
    cache.write("beams.strain", "old", CachedCode("entry", "i", b"old code", {}))
    (folder / "beams.strain.kernel").write_bytes((folder.with_name("digestold") / "beams.strain.kernel").read_bytes())
    assert cache.read("beams.strain", "") is None


@pytest.mark.parametrize("what", (b"entry", b"i,d2", b"code of a kernel"))
def test_every_part_is_in_the_checksum(folder, what):
    cache.write("beams.strain", "", CachedCode("entry", "i,d2", b"code of a kernel", {}))
    path = folder / "beams.strain.kernel"
    content = path.read_bytes()
    assert content.count(what) == 1
    path.write_bytes(content.replace(what, bytes([what[0] ^ 1]) + what[1:]))
    assert cache.read("beams.strain", "") is None


@posix
@pytest.mark.parametrize("mode", (0o720, 0o702, 0o777))
@pytest.mark.parametrize("which", ("root", "folder", "file"))
def test_what_others_can_write_to_is_refused(folder, which, mode):
    cache.write("beams.strain", "", CachedCode("entry", "i", b"code", {}))
    path = {"root": folder.parent, "folder": folder, "file": folder / "beams.strain.kernel"}[which]
    path.chmod(mode)
    with pytest.warns(CosseratWarning, match=r"others can write to it, mode 07.*chmod"):
        assert cache.read("beams.strain", "") is None
    path.chmod(0o700)
    assert cache.read("beams.strain", "") is not None


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("which", ("root", "folder", "file"))
def test_what_belongs_to_others_is_refused(folder, which):
    cache.write("beams.strain", "", CachedCode("entry", "i", b"code", {}))
    path = {"root": folder.parent, "folder": folder, "file": folder / "beams.strain.kernel"}[which]
    os.chown(path, 65534, 65534)
    with pytest.warns(CosseratWarning, match="belongs to another user"):
        assert cache.read("beams.strain", "") is None
    if which != "file":
        assert cache.compiled_names() == []


@posix
def test_links_are_not_followed(folder, tmp_path):
    cache.write("beams.strain", "", CachedCode("entry", "i", b"code", {}))
    path = folder / "beams.strain.kernel"
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert cache.read("beams.strain", "") is None


@posix
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(folder):
    cache.write("beams.strain", "", CachedCode("entry", "i", b"code", {}))
    path = folder / "beams.strain.kernel"
    path.unlink()
    os.mkfifo(path, 0o600)
    with pytest.warns(CosseratWarning, match="it is not a file"):
        assert cache.read("beams.strain", "") is None


def test_threads_that_write_the_same_file(folder):
    """None of them meets the unfinished file of another."""
    with ThreadPoolExecutor(8) as pool, warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel = CachedCode("entry", "i", b"code" * 100_000, {})
        for _ in range(20):
            list(pool.map(lambda k: cache.write("beams.strain", "", kernel), range(8)))
            assert cache.read("beams.strain", "") == kernel
    assert [p.name for p in folder.iterdir()] == ["beams.strain.kernel"]


class Bomb:
    """Its pickle makes a file when it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return (Path.touch, (self.path,))


@compiled
def test_nothing_is_unpickled_before_the_check(folder, tmp_path):
    from cosserat.jit.compiler import _Overloads

    overloads, proof = _Overloads(folder / "link.move-7"), tmp_path / "exploded"
    overloads.save("a signature", ["compiled code"])
    (path,) = folder.glob("*.overload")
    assert overloads.load("a signature") == ["compiled code"]
    assert cache.compiled_names() == ["link.move"]
    path.write_bytes(pickle.dumps(Bomb(proof)))
    assert overloads.load("a signature") is None
    store.write(path, pickle.dumps(Bomb(proof)))  # with a checksum
    path.chmod(0o622)
    with pytest.warns(CosseratWarning, match="others can write"):
        assert overloads.load("a signature") is None
    assert not proof.exists()
    path.chmod(0o600)
    overloads.load("a signature")
    assert proof.exists()


@compiled
def test_numba_finds_its_overloads_again(tmp_path):
    code = "from cosserat.demo import two_link_arm; import cosserat as cs, numpy as np; m = two_link_arm('RR');"
    code += "print(cs.mass_matrix(m, np.zeros(2))[0, 0])"
    first = python(code, tmp_path / "c")
    assert first.returncode == 0, first.stderr
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "c").rglob("*.overload")}
    assert kept
    assert not list((tmp_path / "c").rglob("*.nb[ic]"))
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in kept)
    again = python(code, tmp_path / "c")
    assert again.stdout == first.stdout
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "c").rglob("*.overload")} == kept


@compiled
def test_two_processes_compile_at_once(tmp_path):
    jobs = [
        subprocess.Popen([sys.executable, "-c", SMALL], env=environment(tmp_path / "c"), stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    for job in jobs:
        out, _ = job.communicate(timeout=120)
        assert (job.returncode, out.split()) == (0, [b"ready", b"True"])
    (path,) = (tmp_path / "c").rglob("*.kernel")
    assert [p.name for p in path.parent.iterdir()] == [path.name]  # nothing unfinished
    after = python(SMALL, tmp_path / "c")
    assert after.stdout.split() == ["ready", "False"], after.stderr


@compiled
@posix
def test_killed_while_compiling(tmp_path, rng):
    for delay in (0.0, *rng.uniform(0.1, 1.5, 2)):
        job = subprocess.Popen([sys.executable, "-c", SMALL], env=environment(tmp_path / "c"), stdout=subprocess.PIPE)
        assert job.stdout is not None
        job.stdout.readline()
        time.sleep(delay)
        job.send_signal(signal.SIGKILL)
        job.communicate()
    for _ in range(2):
        after = python(SMALL, tmp_path / "c")
        assert after.returncode == 0, after.stderr
    assert after.stdout.split() == ["ready", "False"]


@compiled
def test_killed_while_writing(folder):
    """The last moment: the unfinished file is there and not renamed."""
    cache.write("beams.strain", "", CachedCode("entry", "i", b"code", {}))
    (folder / ".beams.strain.kernel.12345").write_bytes((folder / "beams.strain.kernel").read_bytes()[:40])
    (folder / "beams.strain.kernel").unlink()
    assert cache.read("beams.strain", "") is None
    assert cache.compiled_names() == []
    cache.write("beams.strain", "", CachedCode("entry", "i", b"code", {}))
    assert cache.read("beams.strain", "") is not None


@compiled
def test_a_cache_that_cannot_be_written(tmp_path):
    """As in a read-only home, or on a full disk: compiled in memory, and said once."""
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    done = python(SMALL, blocked / "cache")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["ready", "True"]
    assert done.stderr.count("compiled kernels are neither read from nor kept in") == 1
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    done = python(limit + SMALL, tmp_path / "c")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("File too large") == 1
    assert not list((tmp_path / "c").rglob("*kernel*"))


@pytest.mark.parametrize("given", ("", "  ", "relative", "~/kernels", None))
def test_the_folder_is_absolute(tmp_path, monkeypatch, given):
    cache._root.cache_clear()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    monkeypatch.chdir(tmp_path)
    if given is None:
        monkeypatch.delenv("COSSERAT_CACHE_DIR", raising=False)
    else:
        monkeypatch.setenv("COSSERAT_CACHE_DIR", given)
    names = {"relative": "relative", "~/kernels": "kernels"}
    expected = tmp_path / names.get(given, ".cache/cosserat")
    try:
        assert cache._root() == expected
        monkeypatch.chdir("/")
        assert cache._root() == expected
    finally:
        cache._root.cache_clear()


@pytest.mark.parametrize("count", [200, pytest.param(3000, marks=pytest.mark.slow)])
def test_noise_in_cache_files(folder, rng, count):
    """Files with a byte changed, cut or added: none is used."""
    cache.write("beams.strain", "", CachedCode("entry", "i,d2", bytes(range(256)) * 4, {}))
    path = folder / "beams.strain.kernel"
    good = path.read_bytes()
    for _ in range(count):
        at, how = int(rng.integers(len(good))), rng.integers(3)
        changed = bytes([good[at] ^ int(rng.integers(1, 256))])
        path.write_bytes(good[:at] + (changed + good[at + 1 :], b"", changed + good[at:])[how])
        assert cache.read("beams.strain", "") is None
    path.write_bytes(good)
    assert cache.read("beams.strain", "") is not None


LAWS = """
import numpy as np


def one(t, frame, twist, parameters):
    w = np.zeros(6)
    w[0] = {first}
    return w


def two(t, frame, twist, parameters):
    w = np.zeros(6)
    w[1] = {second}
    return w
"""
PUSHED = """
import sys
import cosserat as cs, laws
model = cs.Model("pushed")
for name in sys.argv[1:]:
    body = model.add(cs.RigidBody.sphere(name, diameter=0.1, mass=1.0))
    model.add(cs.StateLoad("load " + name, body, getattr(laws, name)))
run = cs.simulate(model, 0.1, step=0.01)
print(*(float(v) for name in sys.argv[1:] for v in run.velocity(name)[-1][:2]))
"""


@compiled
def test_laws_that_two_processes_kept_are_not_called_for_one_another(tmp_path):
    """Names of the compiler count within a process: two laws of two processes have the same ones."""
    first, second = 2.0 + time.time() % 1.0, 5.0 + time.time() % 1.0  # never compiled before
    (tmp_path / "laws.py").write_text(LAWS.format(first=first, second=second))

    def process(*names):
        done = subprocess.run(
            [sys.executable, "-c", PUSHED, *names], cwd=tmp_path, capture_output=True, text=True, timeout=120,
            check=True,
        )  # fmt: skip
        return [float(word) for word in done.stdout.split()]

    assert process("one") == pytest.approx([0.1 * first, 0.0], abs=1e-9)
    assert process("two") == pytest.approx([0.0, 0.1 * second], abs=1e-9)
    assert process("one", "two") == pytest.approx([0.1 * first, 0.0, 0.0, 0.1 * second], abs=1e-9)
