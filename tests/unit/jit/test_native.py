"""Compiled kernels: kept between processes, linked without the compiler, and strict about what they are called with."""

import os
import subprocess
import sys

import numpy as np
import pytest

import cosserat as cs
from cosserat.errors import CosseratWarning
from cosserat.jit import cache, helper, native
from cosserat.jit.cache import CachedCode
from cosserat.jit.switch import COMPILED
from cosserat.kernels.alpha import move

compiled = pytest.mark.skipif(not COMPILED, reason="the compiler is off")

RUN = """
import sys
import cosserat as cs
from cosserat.demo import two_link_arm
assert cs.simulate(two_link_arm("FF"), 0.02, 0.01).status.ok
sys.exit("numba" in sys.modules or "scipy" in sys.modules)
"""


@compiled
def test_a_second_process_needs_no_compiler():
    from cosserat.demo import two_link_arm

    assert cs.simulate(two_link_arm("FF"), 0.02, 0.01).status.ok  # everything is in the cache now
    assert subprocess.run([sys.executable, "-c", RUN], env=os.environ, check=False).returncode == 0


@compiled
def test_a_kernel_refuses_other_types():
    frames = np.tile(np.concatenate((np.eye(3).ravel(), np.zeros(3))), (2, 1))
    increments, moved = np.zeros((2, 6)), np.zeros((2, 12))
    increments[0, 0] = 1.0
    move(frames, increments, 1.0, moved)
    np.testing.assert_array_equal(moved[0], [1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0])
    with pytest.raises(TypeError, match="d2,d2,d,d2"):
        move(frames, increments[0], 1.0, moved)
    with pytest.raises(TypeError, match="C-contiguous"):
        move(frames[:, ::-1], increments, 1.0, moved)
    with pytest.raises(TypeError, match="float32"):
        move(frames.astype(np.float32), increments, 1.0, moved)


@compiled
def test_the_compiler_is_left_as_it_was():
    """Stages go their own way through Numba; users' functions, and what is collected, must not notice."""
    import gc

    from numba.core.registry import cpu_target
    from numba.np import arrayobj

    from cosserat.jit.compiler import compile_object

    def found():
        typing, target = cpu_target.typing_context, cpu_target.target_context
        return vars(typing).keys(), vars(type(target)).keys(), arrayobj.make_array, gc.isenabled()

    def add_one(values_out):
        values_out[0] += 1.0
        return 0

    def wrong(values_out):
        return values_out.nothing

    before = found()
    entry, _, code, _ = compile_object(add_one, "d1")
    values = np.ones(1)
    assert native.caller(native.link(code, entry), "d1")(values) == 0
    assert values[0] == 2.0
    with pytest.raises(Exception, match="nothing"):
        compile_object(wrong, "d1")
    assert found() == before


@compiled
def test_threads_compile_in_turn():
    """What a stage changes in Numba holds for all threads; in a process of its own, for clashes may crash it."""
    script = """
from concurrent.futures import ThreadPoolExecutor
from cosserat.jit.compiler import compile_object

def total(x, out):
    out[0] = 0.0
    for k in range(len(x)):
        out[0] += x[k]
    return 0

with ThreadPoolExecutor(8) as pool:
    found = list(pool.map(lambda k: compile_object(total, "d1,d1").code, range(16)))
assert all(len(code) > 0 for code in found)
"""
    assert subprocess.run([sys.executable, "-c", script], env=os.environ, check=False).returncode == 0


@compiled
def test_functions_that_numba_learns_between_two_stages():
    """Kernels of rigid trees bring some, and may be imported after other stages were compiled."""
    from numba.extending import overload

    from cosserat.jit.compiler import compile_object

    def one(values_out):
        values_out[0] = 1.0
        return 0

    compile_object(one, "d1")

    def taught(x):
        return 3.0 * x

    overload(taught)(lambda x: lambda x: 3.0 * x)

    def three(values_out):
        values_out[0] = taught(values_out[0])
        return 0

    entry, _, code, _ = compile_object(three, "d1")
    values = np.ones(1)
    assert native.caller(native.link(code, entry), "d1")(values) == 0
    assert values[0] == 3.0


@compiled
def test_stages_bring_those_that_they_call(tmp_path):
    """Also through helpers, and from the cache, in a process of its own; types that differ are refused."""
    (tmp_path / "stages_in_turn.py").write_text("""
from cosserat.jit import helper, stage

@stage
def innermost(values, k, out):
    out[0] += k * values[0]
    return 0

@helper
def twice(values, out):
    innermost(values, 2, out)

@stage
def middle(values, out):
    twice(values, out)
    return innermost(values, 1, out)

@stage
def outermost(values, out):
    return middle(values, out) + innermost(values, 0, out)

@stage
def wrong(values, out):
    return innermost(values, 1.0, out)
""")
    script = """
import numpy as np
from stages_in_turn import innermost, middle, outermost, wrong
out = np.zeros(1)
assert outermost(np.full(1, 5.0), out) == 0
assert out[0] == 15.0
assert middle.signature == "d1,d1"
assert innermost.signature == "d1,i,d1"
try:
    wrong(np.ones(1), out)
except TypeError as error:
    assert "innermost" in str(error)
else:
    raise AssertionError
"""
    settings = {**os.environ, "COSSERAT_CACHE_DIR": str(tmp_path / "kept")}
    settings["PYTHONPATH"] = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    for _ in range(2):  # compiled, then read
        assert subprocess.run([sys.executable, "-c", script], env=settings, check=False).returncode == 0


@compiled
def test_groups_are_read_where_they_are_asked_for():
    """A stage reads the arrays that it uses, from the table; others of the group cost it nothing."""
    from typing import Annotated, NamedTuple

    from cosserat.jit import Packed, passed_as
    from cosserat.jit.compiler import compile_object

    double1, double2 = Annotated[np.ndarray, ("float64", 1)], Annotated[np.ndarray, ("float64", 2)]
    Group = NamedTuple("Group", [("row", double1), *((f"other{i}", double2) for i in range(20)), ("matrix", double2)])

    @passed_as("given_to_last")
    class Problem(NamedTuple):
        group: Group

    def last(given_to_last, row_out):
        group = given_to_last.group
        row_out[0] = group.row[1] + 10.0 * group.matrix[1, 2]
        return group.matrix.shape[1]

    arrays = Group(np.array([1.0, 2.0]), *(np.zeros((2, 2)) for _ in range(20)), np.arange(6.0).reshape(2, 3))
    packed = Packed(Problem(arrays))
    entry, _, code, _ = compile_object(last, "i,d1")
    out = np.zeros(1)
    assert native.caller(native.link(code, entry), "i,d1")(packed.address, out) == 3
    assert out[0] == 52.0
    assert len(code) < 1500, len(code)


def test_signature():
    assert native.signature_of((3, np.int64(3), 2.0, np.float64(2.0), np.zeros((2, 3)), np.zeros(1, int))) == (
        "i,i,d,d,d2,i1"
    )
    with pytest.raises(TypeError, match="'text'"):
        native.signature_of(("text",))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "cache_directory", lambda folder="": tmp_path / "kernels" / folder)
    return tmp_path / "kernels"


def test_what_is_written_is_read(folder):
    assert cache.read("beams.strain", "") is None
    cache.write("beams.strain", "", CachedCode("entry", "i,d2", b"\x00code\nwith a line\xff", {}))
    assert cache.read("beams.strain", "") == CachedCode("entry", "i,d2", b"\x00code\nwith a line\xff", {})
    assert cache.compiled_names() == ["beams.strain"]


def test_damaged_files_are_not_linked(folder):
    cache.write("beams.strain", "", CachedCode("entry", "i", b"code of a kernel", {}))
    path = folder / "beams.strain.kernel"
    path.write_bytes(path.read_bytes()[:-1])
    assert cache.read("beams.strain", "") is None
    path.write_bytes(b"")
    assert cache.read("beams.strain", "") is None


def test_a_folder_that_cannot_be_written_is_no_error(folder):
    folder.mkdir(mode=0o700)
    (folder / "recursion").write_text("a file where a folder should be")
    with pytest.warns(CosseratWarning, match="neither read from nor kept in .*COSSERAT_CACHE_DIR"):
        cache.write("link.move", "recursion", CachedCode("entry", "i", b"code", {}))
    assert cache.read("link.move", "recursion") is None


@compiled
def test_a_helper_serves_kernels_and_stages():
    """Kernels of Numba count references to arrays; stages must not, for a process without Numba cannot."""
    import numba

    from cosserat.jit.compiler import compile_object

    @helper
    def first(row):
        return row[0]

    def ask(rows):
        return int(first(rows[0]) + first(rows[1]))

    assert numba.njit(ask)(np.arange(6.0).reshape(2, 3)) == 3
    assert b"NRT_" not in compile_object(ask, "d2").code
