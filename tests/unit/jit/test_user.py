"""Functions of users: compiled apart, with Numba's runtime, called by address, kept, and refused with their line."""

import collections
import enum
import os
import subprocess
import sys
import time
import types

import numpy as np
import pytest

from cosserat.jit import UserCodeError, call_address, compile_user, stage
from cosserat.jit.switch import COMPILED

compiled = pytest.mark.skipif(not COMPILED, reason="the compiler is off")
SIGNATURE = "d,d1,d1"
FACTOR = 3.0


def glue(law):
    def call(t, x, y_out):
        try:
            y = law(t, x)
            for i in range(len(y)):
                y_out[i] = y[i]
        except Exception:
            return 1
        return 0

    return call


def curved(x):
    return x * abs(x)


def allocates(t, x):
    y = np.zeros(3)
    for i in range(3):
        y[i] = FACTOR * curved(x[i]) + t
    return y


def test_memory_helpers_and_globals():
    unit = compile_user(glue, (allocates,), SIGNATURE, "")
    y = np.zeros(3)
    assert unit(0.5, np.array([1.0, -2.0, 0.0]), y) == 0
    np.testing.assert_allclose(y, [3.5, -11.5, 0.5])
    assert compile_user(glue, (allocates,), SIGNATURE, "") is unit or not COMPILED
    assert compile_user(glue, (lambda t, x: 2.0 * x,), SIGNATURE, "") is not unit


def test_products_of_parts_of_arrays_warn_of_nothing():
    def turned(t, x):
        R = np.ones((4, 4))[:3, :3]  # not contiguous, which Numba would call slow
        return R @ x

    y = np.zeros(3)
    assert compile_user(glue, (turned,), SIGNATURE, "")(0.5, np.array([1.0, -2.0, 4.0]), y) == 0
    np.testing.assert_allclose(y, 3.0)


def test_a_closure_counts_with_its_values():
    def scaled(c):
        return lambda t, x: c * x

    y = np.zeros(2)
    for c in (2.0, 5.0):
        assert compile_user(glue, (scaled(c),), SIGNATURE, "")(0.0, np.ones(2), y) == 0
        np.testing.assert_allclose(y, c)


def _with(**names):
    """A law that refers to these names, as one of the user's own script."""
    space = {"np": np, **names}
    exec("def law(t, x):\n    return x * (SETTINGS.GAIN.value if ENUM else SETTINGS.GAIN)\n", space)
    return space["law"]


@pytest.mark.parametrize("kind", ["module", "enum", "namedtuple"])
def test_values_of_modules_enums_and_named_tuples_count(kind):
    """Compiled code holds them as they were: a script with another gain must not meet the old code."""
    y = np.zeros(2)
    for gain in (2, 5):
        if kind == "module":
            settings = types.ModuleType("settings")
            settings.GAIN = float(gain)
        elif kind == "enum":
            settings = enum.Enum("Settings", {"GAIN": gain})
        else:  # other fields, the same values
            names = ["GAIN", "other"] if gain == 2 else ["other", "GAIN"]
            settings = collections.namedtuple("Settings", names)(2.0, 5.0)
        unit = compile_user(glue, (_with(SETTINGS=settings, ENUM=kind == "enum"),), SIGNATURE, "")
        assert unit(0.0, np.ones(2), y) == 0
        np.testing.assert_allclose(y, gain)


def test_an_error_in_the_function_gives_a_code():
    def fails(t, x):
        if t > 1.0:
            raise ValueError("too late")
        return x

    unit = compile_user(glue, (fails,), SIGNATURE, "")
    y = np.zeros(1)
    assert unit(0.5, np.ones(1), y) == 0
    assert unit(1.5, np.ones(1), y) == 1


@compiled
def test_a_stage_calls_it_by_address():
    @stage
    def asks(address, x, y_out):
        return call_address(address, (0.25, x, y_out))

    unit = compile_user(glue, (allocates,), SIGNATURE, "")
    y = np.zeros(3)
    assert asks(unit.address, np.array([1.0, 0.0, 0.0]), y) == 0
    np.testing.assert_allclose(y, [3.25, 0.25, 0.25])


@compiled
@pytest.mark.parametrize(
    "function, shown",
    [
        (lambda t, x: x.nothing, r"`\(lambda t, x: x.nothing, .*Unknown attribute 'nothing'"),
        (lambda t, x: not_there(x), "not_there.*NameError: name 'not_there' is not defined"),  # noqa: F821
        (np.sin, "is not a plain Python function"),
    ],
)
def test_what_cannot_be_compiled_is_shown(function, shown):
    with pytest.raises(UserCodeError, match=shown):
        compile_user(glue, (function,), SIGNATURE, "")


@compiled
def test_the_line_is_that_of_the_function_called():
    def inner(x):
        return x.upper()

    with pytest.raises(UserCodeError, match=r"test_user.py, `return x.upper\(\)`: Unknown attribute 'upper'"):
        compile_user(glue, (lambda t, x: inner(x),), SIGNATURE, "")


@compiled
def test_the_next_process_compiles_nothing(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import time\nimport numpy as np\nfrom cosserat.jit import compile_user\n"
        "def law(t, x):\n    return np.ones(2) * t\n"
        "def glue(law):\n    def call(t, x, y_out):\n        y_out[:] = law(t, x)\n        return 0\n    return call\n"
        "import numba\nstarted = time.process_time()\n"
        f"unit = compile_user(glue, (law,), '{SIGNATURE}', '')\ny = np.zeros(2)\n"
        "spent = time.process_time() - started\n"
        "assert unit(2.5, np.zeros(2), y) == 0 and (y == 2.5).all()\n"
        "print(spent)\n"
    )
    environment = os.environ | {"COSSERAT_CACHE_DIR": str(tmp_path / "cache")}

    def run():
        return subprocess.run([sys.executable, program], env=environment, check=True, capture_output=True, text=True)

    first, second = float(run().stdout), float(run().stdout)
    assert second < 0.5 * first
    kept = [p for p in (tmp_path / "cache").rglob("*") if p.suffix == ".overload"]
    assert len(kept) == 1
    assert time.time() - kept[0].stat().st_mtime < 600


@compiled
def test_a_function_may_move_to_another_module(tmp_path):
    """What is kept names the module of a function; where that is no more, the function is compiled again."""
    factor = time.time()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
    for name in ("first_place_of_a_law", "second_place_of_a_law"):
        path = tmp_path / f"{name}.py"
        path.write_text(f"def law(x):\n    return {factor!r} * x\n")
        text = f"from {name} import law\nfrom cosserat.jit.user import keep_user\nprint(keep_user(law, {{}})(2.0))"
        call = [sys.executable, "-c", text]
        found = subprocess.run(call, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert found.stdout.strip() == repr(2.0 * factor), found.stderr
        path.unlink()
