"""Time this package and Exudyn on the same problems in one run, and print the ratios.

CPU seconds of the solver, one thread, minimum over repeats. Absolute times do not carry over to another
machine, ratios roughly do. Exudyn's time is that of SolveDynamic alone; ours is all of `simulate`.

    python bench/run.py                       everything
    python bench/run.py manipulator --quick   one section, few repeats, no long runs
"""

from __future__ import annotations

import os

for _name in ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB_MAXIMUM"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"  # before NumPy is imported

import argparse
import importlib
import json
import math
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import numpy as np
from rich.console import Console
from rich.table import Table

import problem
from problem import Timing

HERE = Path(__file__).parent
TARGETS = {"RR": 3.0, "FF10": 10.0}
CANTILEVERS = {10: 1000, 100: 200, 1000: 50, 5000: 20}
"""Elements -> steps; the peer stops at 1000."""

Record = dict[str, str | int | float | None]
Sides = dict[str, ModuleType | None]


def load(name: str, console: Console) -> ModuleType | None:
    """Import one side; say why if it cannot be."""
    try:
        return importlib.import_module(name)
    except Exception as error:
        console.print(f"[yellow]{name} is left out: {error}[/yellow]")
        return None


def seconds(timing: Timing | None) -> float | None:
    """Return the solver's time."""
    return None if timing is None else timing.solve_seconds


def ratio(theirs: float | None, ours: float | None) -> float | None:
    """Return how many times faster we are."""
    return theirs / ours if theirs and ours else None


def text(value: float | None, form: str) -> str:
    """Format a number that may be missing."""
    return "-" if value is None else format(value, form)


def measure(
    sides: Sides, function: str, arguments: tuple[str | int, int], repeats: int, console: Console
) -> dict[str, Timing | None]:
    """Run one problem on every side by turns, keep the fastest of each; the first turn does not count."""
    kept: dict[str, Timing | None] = dict.fromkeys(sides)
    failed = {name for name, module in sides.items() if module is None}
    for turn in range(repeats + 1):
        for name, module in sides.items():
            if name in failed:
                continue
            try:
                timing: Timing = getattr(module, function)(*arguments)
            except Exception as error:
                console.print(f"[red]{name}, {function} {arguments}: {type(error).__name__}: {error}[/red]")
                failed.add(name)
                kept[name] = None
                continue
            held = kept[name]
            if turn and (held is None or timing.solve_seconds < held.solve_seconds):
                kept[name] = timing
    return kept


def bench_manipulator(sides: Sides, repeats: int, quick: bool, console: Console) -> list[Record]:
    """Two-link manipulator, t in [0, 2 pi]."""
    table = Table(title="Two-link manipulator, t from 0 to 2π: CPU seconds")
    for column in ("model", "steps", "Exudyn", "cosserat", "ratio", "target", "tips apart at π (mm)"):
        table.add_column(column, justify="left" if column == "model" else "right")
    records: list[Record] = []
    for steps in (628,) if quick else (628, 6283):
        for variant in problem.VARIANTS:
            got = measure(sides, "manipulator", (variant, steps), repeats, console)
            theirs, ours = got["exudyn"], got["cosserat"]
            apart = None
            if theirs is not None and ours is not None:
                apart = 1e3 * float(np.linalg.norm(theirs.tip_at(math.pi) - ours.tip_at(math.pi)))
            faster, target = ratio(seconds(theirs), seconds(ours)), TARGETS.get(variant)
            met = "" if target is None or faster is None else (" ✓" if faster >= target else " ✗")
            table.add_row(
                variant,
                str(steps),
                text(seconds(theirs), ".4f"),
                text(seconds(ours), ".4f"),
                text(faster, ".1f"),
                ("-" if target is None else f"{target:g}") + met,
                text(apart, ".2f"),
            )
            records.append(
                {
                    "section": "manipulator",
                    "model": variant,
                    "steps": steps,
                    "exudyn": seconds(theirs),
                    "cosserat": seconds(ours),
                    "ratio": faster,
                    "tips_apart_mm": apart,
                }
            )
    console.print(table)
    console.print("The elements differ: with one or two per arm the two codes do not give the same tip.\n")
    return records


def bench_cantilever(sides: Sides, repeats: int, quick: bool, console: Console) -> list[Record]:
    """Clamped arm under sudden gravity, steps of 1 ms."""
    table = Table(title="Cantilever, steps of 1 ms: CPU µs per step per element")
    for column in ("elements", "steps", "Exudyn", "cosserat", "ratio", "tips apart at the end (mm)"):
        table.add_column(column, justify="right")
    records: list[Record] = []
    for elements, steps in CANTILEVERS.items():
        if quick and elements > 100:
            continue
        here = dict(sides) if elements <= 1000 else {**sides, "exudyn": None}
        got = measure(here, "cantilever", (elements, steps), repeats, console)
        theirs, ours = got["exudyn"], got["cosserat"]
        apart = None
        if theirs is not None and ours is not None:
            apart = 1e3 * float(np.linalg.norm(theirs.tip[-1] - ours.tip[-1]))
        unit = 1e6 / (elements * steps)
        cost = {n: None if t is None else t.solve_seconds * unit for n, t in got.items()}
        faster = ratio(cost["exudyn"], cost["cosserat"])
        table.add_row(
            str(elements),
            str(steps),
            text(cost["exudyn"], ".2f"),
            text(cost["cosserat"], ".2f"),
            text(faster, ".1f"),
            text(apart, ".4f"),
        )
        records.append(
            {"section": "cantilever", "elements": elements, "steps": steps, "ratio": faster, **cost}
        )
    console.print(table)
    return records


def cpu_of(code: str, environment: dict[str, str]) -> float | None:
    """Return the CPU seconds of a fresh Python process that runs `code`, or None if it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=HERE,
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        return None
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def bench_startup(sides: Sides, repeats: int, quick: bool, console: Console) -> list[Record]:
    """What a user waits for before the first number, in fresh processes."""
    first_result = "import sys; sys.path.insert(0, '.'); import {} as m; m.manipulator('FF', 628)"
    table = Table(title="Start-up: CPU seconds of a fresh process")
    for column in ("what", "Exudyn", "cosserat"):
        table.add_column(column, justify="left" if column == "what" else "right")

    def least(code: str, environment: dict[str, str]) -> float | None:
        times = [t for _ in range(repeats) if (t := cpu_of(code, environment)) is not None]
        return min(times, default=None)

    bare, numpy_alone = least("pass", {}), least("import numpy", {})
    rows: list[tuple[str, float | None, float | None]] = [
        ("python alone", bare, bare),
        ("python and numpy", numpy_alone, numpy_alone),
        ("import", least("import exudyn", {}), least("import cosserat", {})),
    ]
    theirs = least(first_result.format("exudyn_models"), {})
    with tempfile.TemporaryDirectory() as folder:
        ours = first_result.format("cosserat_models")
        cache = {"COSSERAT_CACHE_DIR": folder}
        if not quick:
            rows.append(("first result, nothing compiled yet", theirs, cpu_of(ours, cache)))
        else:
            cpu_of(ours, cache)
        rows.append(("first result of a second process", theirs, least(ours, cache)))
    records: list[Record] = []
    for what, exudyn, cosserat in rows:
        table.add_row(what, text(exudyn, ".2f"), text(cosserat, ".2f"))
        records.append({"section": "startup", "what": what, "exudyn": exudyn, "cosserat": cosserat})
    console.print(table)
    return records


SECTIONS = {"manipulator": bench_manipulator, "cantilever": bench_cantilever, "startup": bench_startup}


def main() -> None:
    """Run the sections asked for."""
    parser = argparse.ArgumentParser(description="Time cosserat and its peers on the same problems.")
    parser.add_argument("sections", nargs="*", help=f"any of {', '.join(SECTIONS)}; default all")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each, the least counts (default 3)")
    parser.add_argument("--quick", action="store_true", help="leave out the long runs")
    parser.add_argument("--json", type=Path, help="also write the numbers to this file")
    options = parser.parse_args()
    if unknown := [name for name in options.sections if name not in SECTIONS]:
        parser.error(f"unknown section {unknown[0]!r}; sections: {', '.join(SECTIONS)}")

    console = Console()
    sides = {"exudyn": load("exudyn_models", console), "cosserat": load("cosserat_models", console)}
    records: list[Record] = []
    for name in options.sections or SECTIONS:
        records += SECTIONS[name](sides, options.repeats, options.quick, console)
    if options.json:
        options.json.write_text(json.dumps(records, indent=1))


if __name__ == "__main__":
    main()
