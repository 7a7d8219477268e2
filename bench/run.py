"""Time this package and Exudyn on the same problems in one run, and print the ratios.

CPU seconds, one thread, least of several runs, the sides taking turns. "solver" is the time loop alone (SolveDynamic
on the other side), "total" everything from an empty model to the result. Absolute times do not carry over to another
machine, ratios roughly do. Targets are judged by the ratio of the solvers.

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
from typing import NamedTuple

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

import problem
from modes import bench_modes
from problem import Timing
from stability import bench_stability

HERE = Path(__file__).parent
TARGETS = {"RR": 3.0, "FF10": 10.0}
CANTILEVER_TARGETS = {1000: 10.0}
CANTILEVERS = (10, 30, 100, 300, 1000, 5000)
"""Elements; the peer stops at 1000."""
CANTILEVER_STEPS = 200  # the same motion for all: its sudden start takes more iterations than what follows

Record = dict[str, str | int | float | None]
Sides = dict[str, ModuleType | None]


class Cost(NamedTuple):
    """Least CPU seconds over the repeats, and a run to compare."""

    solver: float
    total: float
    run: Timing


def load(name: str, console: Console) -> ModuleType | None:
    """Import one side; say why if it cannot be."""
    try:
        return importlib.import_module(name)
    except Exception as error:
        console.print(f"[yellow]{name} is left out: {error}[/yellow]")
        return None


def ratio(theirs: float | None, ours: float | None) -> float | None:
    """Return how many times faster we are."""
    return theirs / ours if theirs and ours else None


def text(value: float | None, form: str) -> str:
    """Format a number that may be missing."""
    return "-" if value is None else format(value, form)


def judged(target: float | None, reached: float | None) -> str:
    """Return the target and whether the ratio of the solvers meets it."""
    if target is None or reached is None:
        return "-" if target is None else f"{target:g}"
    return f"{target:g} " + ("met" if reached >= target else "MISSED")


def measure(
    calls: dict[str, tuple[ModuleType | None, str]], arguments: tuple[str | int, int], repeats: int, console: Console
) -> dict[str, Cost | None]:
    """Run one problem on every side by turns; the first turn does not count."""
    kept: dict[str, Cost | None] = dict.fromkeys(calls)
    failed = {name for name, (module, _) in calls.items() if module is None}
    for turn in range(repeats + 1):
        for name, (module, function) in calls.items():
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
            if turn:
                solver = timing.solve_seconds if held is None else min(held.solver, timing.solve_seconds)
                total = timing.total_seconds if held is None else min(held.total, timing.total_seconds)
                kept[name] = Cost(solver, total, timing)
    return kept


def new_table(title: str, columns: tuple[str, ...]) -> Table:
    """Return an empty table, the first column left-aligned."""
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for k, column in enumerate(columns):
        table.add_column(column, justify="left" if k == 0 else "right")
    return table


def bench_manipulator(sides: Sides, repeats: int, quick: bool, console: Console) -> list[Record]:
    """Two-link manipulator, t in [0, 2 pi]."""
    columns = ("model", "steps", "Exudyn\nsolver", "\ntotal", "cosserat\nsolver", "\ntotal", "ratio\nsolver", "\ntotal",
               "target", "tips apart\nat π (mm)")  # fmt: skip
    table = new_table("Two-link manipulator, t from 0 to 2π: CPU seconds", columns)
    records: list[Record] = []
    for steps in (628,) if quick else (628, 6283):
        for variant in problem.VARIANTS:
            calls = {name: (module, "manipulator") for name, module in sides.items()}
            got = measure(calls, (variant, steps), repeats, console)
            theirs, ours = got["exudyn"], got["cosserat"]
            apart = None
            if theirs is not None and ours is not None:
                apart = 1e3 * float(np.linalg.norm(theirs.run.tip_at(math.pi) - ours.run.tip_at(math.pi)))
            record: Record = {"section": "manipulator", "model": variant, "steps": steps, **seconds_of(got)}
            faster = [ratio(record[f"exudyn_{k}"], record[f"cosserat_{k}"]) for k in ("solver", "total")]
            table.add_row(
                variant,
                str(steps),
                *(text(record[f"{side}_{k}"], ".4f") for side in ("exudyn", "cosserat") for k in ("solver", "total")),
                *(text(r, ".1f") for r in faster),
                judged(TARGETS.get(variant), faster[0]),
                text(apart, ".2f"),
            )
            record |= {"ratio_solver": faster[0], "ratio_total": faster[1], "tips_apart_mm": apart}
            records.append(record)
    console.print(table)
    console.print("The elements differ: with one or two per arm the two codes do not give the same tip.\n")
    return records


def seconds_of(got: dict[str, Cost | None]) -> dict[str, float | None]:
    """Return solver and total seconds of each side."""
    return {
        f"{name}_{kind}": None if cost is None else getattr(cost, kind)
        for name, cost in got.items()
        for kind in ("solver", "total")
    }


def bench_cantilever(sides: Sides, repeats: int, quick: bool, console: Console) -> list[Record]:
    """Clamped arm under sudden gravity, steps of 1 ms."""
    columns = ("elements", "steps", "Exudyn\nsolver", "\ntotal", "kept J.\nsolver", "\ntotal", "cosserat\nsolver",
               "\ntotal", "ratio\nsolver", "\ntotal", "to kept J.\nsolver", "target", "tips apart\n(mm)")  # fmt: skip
    table = new_table("Cantilever, steps of 1 ms: CPU µs per step per element", columns)
    records: list[Record] = []
    steps = CANTILEVER_STEPS
    for elements in CANTILEVERS:
        if quick and elements > 100:
            continue
        peer = sides["exudyn"] if elements <= 1000 else None
        calls = {
            "exudyn": (peer, "cantilever"),
            "kept": (peer, "cantilever_kept_jacobian"),
            "cosserat": (sides["cosserat"], "cantilever"),
        }
        got = measure(calls, (elements, steps), repeats, console)
        theirs, ours = got["exudyn"], got["cosserat"]
        apart = None
        if theirs is not None and ours is not None:
            apart = 1e3 * float(np.linalg.norm(theirs.run.tip[-1] - ours.run.tip[-1]))
        unit = 1e6 / (elements * steps)
        cost = {key: None if s is None else s * unit for key, s in seconds_of(got).items()}
        faster = [ratio(cost[f"exudyn_{k}"], cost[f"cosserat_{k}"]) for k in ("solver", "total")]
        kept = ratio(cost["kept_solver"], cost["cosserat_solver"])
        table.add_row(
            str(elements),
            str(steps),
            *(text(value, ".2f") for value in cost.values()),
            *(text(r, ".1f") for r in (*faster, kept)),
            judged(CANTILEVER_TARGETS.get(elements), faster[0]),
            text(apart, ".4f"),
        )
        record: Record = {"section": "cantilever", "elements": elements, "steps": steps, **cost}
        records.append(record | {"ratio_solver": faster[0], "ratio_total": faster[1], "ratio_kept_solver": kept})
    console.print(table)
    console.print(
        "Exudyn: one Jacobian per step, as for the manipulator; kept J.: the Jacobian is kept over steps, which pays\n"
        "where little moves. What total has more than solver is the set-up, spread over the steps.\n"
    )
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
    table = new_table("Start-up: CPU seconds of a fresh process", ("what", "Exudyn", "cosserat"))

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


SECTIONS = {
    "manipulator": bench_manipulator,
    "cantilever": bench_cantilever,
    "startup": bench_startup,
    "modes": bench_modes,
    "stability": bench_stability,
}


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
    if not console.is_terminal:
        console = Console(width=130)
    sides = {"exudyn": load("exudyn_models", console), "cosserat": load("cosserat_models", console)}
    records: list[Record] = []
    for name in options.sections or SECTIONS:
        records += SECTIONS[name](sides, options.repeats, options.quick, console)
    if options.json:
        options.json.write_text(json.dumps(records, indent=1))


if __name__ == "__main__":
    main()
