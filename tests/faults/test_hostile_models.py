"""Model files that nobody sane would write: a located error within a second, or a model; nothing else."""

from __future__ import annotations

import contextlib
import time
import warnings
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cosserat as cs
from cosserat.compile.build import compile_model
from cosserat.errors import FileFormatError
from cosserat.io import yaml_model
from cosserat.io.located_yaml import parse

MANY = [150, pytest.param(3000, marks=pytest.mark.slow)]

GOOD = """
model: crane
gravity: [0, 0, -9.81]
parameters: {load: 2.0, k: "3*pi"}
materials:
  alloy: {E: 70.0e+9, nu: 0.33, rho: 2700}
sections:
  tube: {kind: Tube, outer_diameter: 0.03, inner_diameter: 0.027}
bodies:
  - {kind: box, name: hook, size: [0.1, 0.1, 0.1], mass: load, com: [2, 0, 0]}
  - {name: drum, mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}
beams:
  - {name: jib, points: [[0, 0, 0], [2, 0, 0]], section: tube, material: alloy, elements: 2}
joints:
  - {kind: Revolute, name: pivot, parent: ground, child: drum, axis: [0, 1, 0], motion: "sin(t)"}
  - {kind: Fixed, name: weld, parent: drum, child: jib.start}
  - {kind: Spherical, name: rope, parent: jib.end, child: "hook.at(2, 0, 0)", damping: 0.1}
loads:
  - {kind: Force, name: wind, place: jib.at(0.5), vector: [0, "load*t", 0]}
  - {kind: DistributedLoad, name: snow, beam: jib, force: [0, 0, -1]}
springs:
  - {name: tie, a: ground, b: hook, stiffness: k, length: 1}
simulate: {duration: 1, step: 0.01}
"""

HOSTILE: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    3,
    10**9,
    10**30,
    -0.0,
    0.5,
    1e300,
    -1e300,
    1e-300,
    float("nan"),
    float("inf"),
    "",
    " ",
    "x",
    "t",
    "s",
    "1/0",
    "load",
    "9**9**9",
    "(" * 300,
    "__import__('os')",
    "t if t else",
    "a\0b",
    "2024-01-01",
    "1:30",
    "ground",
    "jib",
    "jib.end",
    "jib.at(2)",
    "hook.at(1)",
    "drum.at(1, 2, 3, 4)",
    "Beam",
    "Revolute",
    "é",
    "a" * 5000,
    [],
    {},
    [1],
    [1, 2, 3],
    [[1, 2, 3]],
    ["t", 0, 0],
    {"a": 1},
    {"level": 1},
    {"kind": "Rod", "diameter": 1e-300},
    {"kind": "Tube"},
    [[]],
    [None, None, None],
    [{"kind": "Fixed"}],
    {"rx": 1},
    "../x.npz",
    "x.npz:y",
    {1: 2},
)
TOKENS = (
    "\t",
    "\x00",
    "\x01",
    "\x85",
    "\u2028",
    "\ufeff",
    "%YAML 9.9\n",
    "---\n",
    "...\n",
    "!!int abc",
    "!!python/name:os.x",
    "!!binary x",
    "!!float .",
    "&a [*a]",
    "*b",
    "<<: *a",
    "? [",
    "{" * 100,
    "[" * 100,
    "|\n",
    ">-\n",
    "'",
    '"',
    '"\\u0000"',
    '"\\ud800"',
    "2024-99-99",
    "1:99:99",
    "0o7",
    "07",
    "0x",
    "1_0",
    "9" * 5000,
    "~",
    "=",
    "<<",
    ":",
    "- ",
    "#",
    "\r",
    "é",
    "\U0001f600",
    "e-300",
    "e+400",
)


def fuzz(n: int) -> Any:
    return settings(
        max_examples=n, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
    )


def use(path: Any, text: str) -> None:
    """Load, compile and write again: what is refused must be located, and in time."""
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = yaml_model.load(path)
            compile_model(found.model)
            again = path.with_name("again.yaml")
            yaml_model.save(found.model, again, found.simulate)
            assert cs.load_model(again) == found.model
        except cs.CosseratError:
            pass
    assert time.process_time() - began < 8.0  # about a second on a quiet machine


@pytest.mark.parametrize("n", MANY)
def test_tokens_in_files(tmp_path, n):
    @fuzz(n)
    @given(
        st.lists(
            st.tuples(st.integers(0, len(GOOD)), st.integers(0, 30), st.sampled_from(TOKENS) | st.text(max_size=9)),
            min_size=1,
            max_size=3,
        )
    )
    def change(edits: list[tuple[int, int, str]]) -> None:
        text = GOOD
        for at, gone, token in edits:
            text = text[:at] + token + text[at + gone :]
        use(tmp_path / "a.yaml", text)

    change()


def _routes(value: Any, route: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [*([route] if route else []), *(found for k, v in items for found in _routes(v, (*route, k)))]


@pytest.mark.parametrize("n", MANY)
def test_values_in_files(tmp_path, n):
    content = yaml.safe_load(GOOD)
    routes = _routes(content)
    keys = ("name", "kind", "motion", "friction", "stiffness", "curve", "velocity", "shape", "section", "modes", "law")

    @fuzz(n)
    @given(
        st.lists(
            st.tuples(st.sampled_from(routes), st.sampled_from(HOSTILE), st.sampled_from((None, None, *keys))),
            min_size=1,
            max_size=2,
        )
    )
    def change(edits: list[tuple[tuple[Any, ...], Any, str | None]]) -> None:
        changed = yaml.safe_load(GOOD)
        for route, value, key in edits:
            place = changed
            try:
                for step in route[:-1]:
                    place = place[step]
                if key is not None and isinstance(place[route[-1]], dict):
                    place[route[-1]][key] = value
                else:
                    place[route[-1]] = value
            except (TypeError, KeyError, IndexError):
                continue  # the first edit took it away
        use(tmp_path / "a.yaml", yaml.safe_dump(changed))

    change()


@pytest.mark.parametrize("n", MANY)
def test_any_text(n):
    @fuzz(n)
    @given(st.text(max_size=200) | st.lists(st.sampled_from(TOKENS + ("a: ", "\n", " ")), max_size=30).map("".join))
    def read(text: str) -> None:
        with contextlib.suppress(FileFormatError):
            parse(text, "a.yaml")

    read()


BUDGETS = {
    "a comment of 10 MB": "# " + "x" * 10_000_000 + "\n" + GOOD,
    "comments of 10 MB": "# some words\n" * 800_000 + GOOD,
    "blanks of 10 MB": GOOD + " " * 10_000_000,
    "a name of 10 MB": GOOD.replace("crane", "x" * 10_000_000),
    "a list of two million": GOOD + "x: [" + "1," * 2_000_000 + "]",
    "deep brackets": GOOD + "x: " + "[" * 1_000_000,
    "deep blocks": "\n".join(" " * i + "a:" for i in range(2000)),
    "laughs": "a: &a [1,1,1,1,1,1,1,1,1,1]\n"
    + "\n".join(f"{chr(98 + i)}: &{chr(98 + i)} [{','.join([f'*{chr(97 + i)}'] * 10)}]" for i in range(9)),
    "elements": GOOD.replace("elements: 2", "elements: 1000000000"),
    "more elements": GOOD.replace("elements: 2", "elements: " + "9" * 300),
    "a formula of 1 MB": GOOD.replace("sin(t)", "t+" * 500_000 + "t"),
    "a deep formula": GOOD.replace("sin(t)", "(" * 9000 + "t" + ")" * 9000),
    "a tower": GOOD.replace("sin(t)", "9**9**9**9**9**t"),
    "a thin rod": GOOD.replace("0.03,", "1.0e-290,").replace("0.027", "1.0e-300"),
    "digits": GOOD.replace("[0, 0, -9.81]", f"[0, 0, {'9' * 100_000}]"),
}


@pytest.mark.parametrize("name", BUDGETS)
def test_budgets(tmp_path, name):
    """Within a second of CPU, whatever the file asks for (measured three times, for other work goes on)."""
    path = tmp_path / "a.yaml"
    path.write_text(BUDGETS[name], encoding="utf-8")
    times = []
    for _ in range(3):
        began = time.process_time()
        with contextlib.suppress(cs.CosseratError):
            cs.load_model(path)
        times.append(time.process_time() - began)
    assert min(times) < 1.0


@pytest.mark.parametrize(
    "text, says",
    [
        ("model: !!int abc", r"a\.yaml, line 1, model: 'abc' is not a number"),
        ("model: 2024-99-99", r"line 1, model: '2024-99-99' is a date"),
        ("model: a\ngravity: [0, 0, 1:30]", r"line 2, gravity\[2\]: '1:30' would be a number in base 60"),
        ("model: a\ngravity: [0, 0, 010]", r"gravity\[2\]: '010' would be a number in base 8"),
        ("model: " + "9" * 5000, r"line 1, model: a number of 5000 characters"),
        ("model: a\nmodel: b", r"line 2, model: the key 'model' occurs twice"),
        ("model: \x07", r"line 1: not valid YAML"),
        ("modal_bodies:\n- {kind: beam}", r"line 2, modal_bodies\[0\]: modal body: missing.*'name'"),
        ("modal_bodies:\n- {kind: mesh, name: a}", r"modal_bodies\[0\]: modal body 'a': missing.*'mesh'"),
        (
            "beams:\n- {name: b, points: [[0, 0, 0], [1, 0, 0]], material: STEEL, "
            "section: {kind: Rod, diameter: 1.0e-300}}",
            r"line 2, beams\[0\].section: beam 'b': section gives a stiffness of 0, which cannot be meant",
        ),
    ],
)
def test_located(tmp_path, text, says):
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(FileFormatError, match=says):
        cs.load_model(tmp_path / "a.yaml")


def test_the_sound_file_loads(tmp_path):
    (tmp_path / "a.yaml").write_text(GOOD)
    assert len(cs.load_model(tmp_path / "a.yaml")) == 9
