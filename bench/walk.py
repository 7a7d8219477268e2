"""Count what runs when something is asked: files, functions and code lines of the package, with the compiler off.

Also the size of the sources without docstrings, comments and blank lines, and the functions in which the formula of
each law is written. Text that grows is seen here before it is felt.

    python bench/walk.py                 the tables
    python bench/walk.py --store         write them to bench/walk.txt, to compare with later
    python bench/walk.py --laws          only where the formula of each law is written
    python bench/walk.py --element .     only code lines of the files of the beam element, in this or another checkout
    python bench/walk.py --list bicycle  the functions that run, by file, in the tasks whose name has this word
"""

from __future__ import annotations

import os

os.environ["NUMBA_DISABLE_JIT"] = "1"  # before the package is imported: kernels run as plain Python

import argparse
import ast
import functools
import importlib
import inspect
import io
import pkgutil
import re
import statistics
import sys
import tempfile
import tokenize
import warnings
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

import cosserat as cs
from cosserat.demo.manipulator import two_link_arm

SOURCES = Path(cs.__file__).parent
MODELS = Path(__file__).parents[1] / "examples" / "models"
STORED = Path(__file__).with_suffix(".txt")
ELEMENT = (
    "compile/elements.py", "compile/matter.py", "compile/dispersion.py",
    "kernels/beams.py", "kernels/elastic.py", "kernels/bending.py", "kernels/matter.py",
)  # fmt: skip
"""The beam element, by itself: here and in older checkouts."""

LAWS = {
    "friction": r"\btanh\(\s*[^)]*(rate|q_dot|v\[k\]|\bv\b)[^)]*/",
    "pull of a straight spring": r"(stiffness|elasticity|springs?\.)[^=]*\*\s*\([^=]*(length|stretch|l0)[^=]*-[^=]*\)",
    "stiffness, damping and drive of a freedom": r"drive - stiffness \* q - damping \* rate",
    "wrench of a load, dead or following": r"mul_t\(F, mul_t\(R, f\)\)|mul_t\(R, load\(loads|R, f\), mul_t\(R, m\)",
    "share of a line load": r"w0 \+= G\[0, k\]|a \+= gain\[0, j\]",
    "weight of a node": r"mul_t\(R, gravity\)|mul_t\([A-Za-z_]*, g\)",
    "potential energy of what is fixed": r"gravity @ |@ gravity\b",
    "velocity of the point that touches": r"add\((load\(twist, 0\)|v), cross\((load\(twist, 3\)|omega), r\)\)",
    "rotation row of a joint": r"dot\(a, mul\(R, b\)\)|a @ R @ b|cross\(a, mul\(R, b\)\)",
    "lowest point of a disc": r"sqrt\((max\(0\.0, )?1\.0 - c \* c\)|sqrt\(1 - c",
    "servo": r"kp \* \(target - q\)",
    "opposite of a wrench": r"m0 - \(y \* f2 - z \* f1\)|m - np\.cross\(x_b - x_a, f\)",
}
"""Name of a law -> what its formula looks like in a line of code."""


class Walk(NamedTuple):
    """What one task ran."""

    names: dict[str, list[str]]  # functions by file
    lines: int

    @property
    def files(self) -> int:
        return len(self.names)

    @property
    def functions(self) -> int:
        return sum(map(len, self.names.values()))


def watched(task: Callable[[], Any]) -> Walk:
    """Run a task and count the functions and lines of the package that it executes, module and class bodies apart."""
    root = str(SOURCES)
    lines: dict[CodeType, set[int]] = {}

    def local(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            lines[frame.f_code].add(frame.f_lineno)
        return local

    def entered(frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        named = not code.co_name.startswith("<") and code.co_flags & inspect.CO_OPTIMIZED
        if event != "call" or not named or not code.co_filename.startswith(root):
            return None
        lines.setdefault(code, set())
        return local

    sys.settrace(entered)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            task()
    finally:
        sys.settrace(None)
    names: dict[str, list[str]] = {}
    for code in lines:
        names.setdefault(str(Path(code.co_filename).relative_to(root)), []).append(code.co_qualname)
    return Walk(names, sum(map(len, lines.values())))


def four_bar() -> cs.Model:
    """The mechanism of the example, coarse."""
    model: cs.Model = cs.load_model(MODELS / "four_bar.yaml")
    return model


def bicycle(speed: float = 5.0) -> cs.Model:
    """The benchmark of Meijaard et al. (2007), riding upright."""
    model = cs.Model("bicycle", gravity=(0, 0, -9.81))
    bodies = {
        "frame": (85.0, (0.3, 0, 0.9), [[9.2, 0, -2.4], [0, 11.0, 0], [-2.4, 0, 2.8]], 0.0),
        "fork": (4.0, (0.9, 0, 0.7), [[0.05892, 0, 0.00756], [0, 0.06, 0], [0.00756, 0, 0.00708]], 0.0),
        "rear": (2.0, (0, 0, 0.3), np.diag((0.0603, 0.12, 0.0603)), speed / 0.3),
        "front": (3.0, (1.02, 0, 0.35), np.diag((0.1405, 0.28, 0.1405)), speed / 0.35),
    }
    for name, (mass, com, inertia, spin) in bodies.items():
        model.add(
            cs.RigidBody(
                name, mass=mass, com=com, inertia=inertia, velocity=(speed, 0, 0), angular_velocity=(0, spin, 0)
            )
        )
    axis = np.array([np.sin(np.pi / 10), 0, -np.cos(np.pi / 10)])
    model.add(cs.Revolute("steer", "frame", "fork", axis=axis, at=np.array([1.1, 0, 0]) - 0.8 * axis))
    model.add(cs.Revolute("rear hub", "frame", "rear", axis=(0, 1, 0), at=(0, 0, 0.3)))
    model.add(cs.Revolute("front hub", "fork", "front", axis=(0, 1, 0), at=(1.02, 0, 0.35)))
    model.add(cs.RollingDisc("rear tyre", "rear", radius=0.3, axis=(0, 1, 0)))
    model.add(cs.RollingDisc("front tyre", "front", radius=0.35, axis=(0, 1, 0)))
    return model


def run_file() -> None:
    """`cosserat run` on the two-link arm, a few steps."""
    from typer.testing import CliRunner

    from cosserat.cli.app import app

    with tempfile.TemporaryDirectory() as folder:
        result = CliRunner().invoke(
            app,
            ["run", str(MODELS / "two_link.yaml"), "--duration", "0.03", "--step", "0.01", "--out", f"{folder}/run.nc"],
        )
    assert result.exit_code == 0, result.output


FLOATING = {"formulation": "floating", "modes": 4}

TASKS: dict[str, Callable[[], Any]] = {
    "simulate galilean FF10": lambda: cs.simulate(two_link_arm("FF10"), 0.03, step=0.01),
    "simulate galilean four-bar": lambda: cs.simulate(four_bar(), 0.012, step=0.004),
    "simulate galilean bicycle": lambda: cs.simulate(bicycle(), 0.03, step=0.01),
    "simulate floating FF10": lambda: cs.simulate(two_link_arm("FF10"), 0.03, step=0.01, **FLOATING),
    "simulate floating four-bar": lambda: cs.simulate(four_bar(), 0.012, step=0.004, **FLOATING),
    "simulate floating bicycle": lambda: cs.simulate(bicycle(), 0.03, step=0.01, formulation="floating"),
    "modes of a cantilever": lambda: cs.modes(cs.load_model(MODELS / "cantilever.yaml"), 4),
    "cosserat run": run_file,
}


def code_lines(path: Path) -> int:
    """Lines of a source file that hold code: no docstrings, comments or blank lines."""
    text = path.read_text()
    documented: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        for item in body if isinstance(body, list) else []:
            value = item.value if isinstance(item, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                documented.update(range(item.lineno, (item.end_lineno or item.lineno) + 1))
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    used: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in skipped:
            used.update(range(token.start[0], token.end[0] + 1))
    return len(used - documented)


@functools.cache
def functions() -> list[tuple[str, str]]:
    """Name, as file:name, and text of every function of the package, without its docstring."""
    found = []
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                body = node.body[1:] if ast.get_docstring(node) is not None else node.body
                text = "\n".join(ast.unparse(item) for item in body)
                found.append((f"{path.relative_to(SOURCES)}:{node.name}", f"def {node.name}(\n{text}"))
    return found


def written(pattern: str) -> list[str]:
    """Functions, as file:name, with a line of code that looks like the formula of a law."""
    return [name for name, text in functions() if re.search(pattern, text)]


def import_all() -> None:
    """Import every module, so that no task is charged for imports."""
    for module in pkgutil.walk_packages([str(SOURCES)], "cosserat."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def listing(word: str) -> str:
    """Functions that run in the tasks whose name has a word, by file."""
    import_all()
    out = []
    for name in (name for name in TASKS if word in name):
        walk = watched(TASKS[name])
        out += [f"{name}: {walk.functions} functions in {walk.files} files"]
        out += [f"    {file} ({len(found)}): {', '.join(found)}" for file, found in sorted(walk.names.items())]
    return "\n".join(out) + "\n"


def report() -> str:
    """All tables as text."""
    import_all()
    out = [f"{'task':<30}{'files':>8}{'functions':>12}{'lines':>8}"]
    for name, task in TASKS.items():
        walk = watched(task)
        out.append(f"{name:<30}{walk.files:>8}{walk.functions:>12}{walk.lines:>8}")
    paths = sorted(SOURCES.rglob("*.py"))
    sizes = [len(path.read_text().splitlines()) for path in paths]
    out += [
        "",
        f"files {len(paths)}, median {statistics.median(sizes):g} lines, largest {max(sizes)}",
        f"code lines {sum(map(code_lines, paths))}",
        "",
    ]
    return "\n".join(out) + "\n" + laws()


def element(checkout: Path) -> str:
    """Code lines of the files of the beam element."""
    paths = [path for path in (checkout / "src" / "cosserat" / name for name in ELEMENT) if path.exists()]
    lines = [code_lines(path) for path in paths]
    rows = [(path.parent.name + "/" + path.name, n) for path, n in zip(paths, lines, strict=True)]
    return "".join(f"{name:<24}{n:>6}\n" for name, n in [*rows, ("beam element", sum(lines))])


def laws() -> str:
    """Where the formula of each law is written."""
    out = ["law: where its formula is written"]
    for law, pattern in LAWS.items():
        places = written(pattern)
        out.append(f"{law} ({len(places)})")
        out += [f"    {place}" for place in places]
    return "\n".join(out) + "\n"


def main() -> None:
    """Print the tables, or store them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", action="store_true", help=f"write to {STORED.name}")
    parser.add_argument("--laws", action="store_true", help="only where the formula of each law is written")
    parser.add_argument("--list", metavar="WORD", help="the functions that run in tasks whose name has this word")
    parser.add_argument("--element", metavar="CHECKOUT", type=Path, help="only code lines of the beam element")
    options = parser.parse_args()
    if options.element:
        print(element(options.element), end="")
        return
    text = listing(options.list) if options.list else laws() if options.laws else report()
    if options.store:
        STORED.write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
