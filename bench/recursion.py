"""Time the recursive algorithms and Pinocchio's in one run: per call from Python, and per state in a batch.

Both sides take turns and the least time of each counts. One thread; the robots are those of `pinocchio_models`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np
import pinocchio as pin
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent))

import cosserat as cs
import pinocchio_models as robots

Record = dict[str, Any]

STATES = 10_000
LENGTHS = (10, 30, 100, 300, 1000)


def least(calls: list[Callable[[], object]], turns: int, seconds: float = 2e-3) -> list[float]:
    """Return the least time of each call (s), every turn long enough for the clock."""
    counts = []
    for call in calls:
        call()
        start = time.perf_counter()
        call()
        counts.append(max(1, int(seconds / max(time.perf_counter() - start, 1e-7))))
    best = [math.inf] * len(calls)
    for _ in range(turns):
        for k, call in enumerate(calls):
            start = time.perf_counter()
            for _ in range(counts[k]):
                call()
            best[k] = min(best[k], (time.perf_counter() - start) / counts[k])
    return best


def judged(value: float, target: float, at_most: bool = False) -> str:
    """Return the target and whether it is met."""
    met = value <= target if at_most else value >= target
    return f"{'<=' if at_most else '>='} {target:g} {'met' if met else 'MISSED'}"


def table_of(title: str, *columns: str) -> Table:
    """Return an empty table, the first column left-aligned."""
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for k, column in enumerate(columns):
        table.add_column(column, justify="left" if k == 0 else "right")
    return table


def pairs() -> dict[str, cs.Model]:
    """Return the robots of the per-call table."""
    return {
        "7-dof arm": robots.arm(),
        "chain of 30": robots.chain(30),
        "chain of 100": robots.chain(100),
        "walker, 42 dof": robots.walker(),
    }


Row = tuple[str, Callable[[], object], Callable[[], object], Callable[[], object], float]


def rows_of(model: cs.Model) -> list[Row]:
    """Return algorithm, Pinocchio's call, ours with out-arguments, the friendly one, and how much faster we must be."""
    robot = robots.pinocchio_model(model)
    data, tree = robot.createData(), cs.Tree(model)
    n = robot.nv
    q, v, a = np.random.default_rng(2).normal(size=(3, n))
    p = robots.pinocchio_coordinates(model, robot, q)
    out, matrices = np.empty(n), [np.empty((n, n)) for _ in range(3)]
    target = 1.2 if n == 7 else 2.0
    return [
        ("inverse_dynamics", lambda: pin.rnea(robot, data, p, v, a), lambda: tree.inverse_dynamics(q, v, a, out),
         lambda: cs.inverse_dynamics(model, q, v, a), target),
        ("forward_dynamics", lambda: pin.aba(robot, data, p, v, a), lambda: tree.forward_dynamics(q, v, a, out),
         lambda: cs.forward_dynamics(model, q, v, a), target),
        ("mass_matrix", lambda: pin.crba(robot, data, p), lambda: tree.mass_matrix(q, matrices[0]),
         lambda: cs.mass_matrix(model, q), 0.0),
        ("inverse_dynamics_derivatives", lambda: pin.computeRNEADerivatives(robot, data, p, v, a),
         lambda: tree.inverse_dynamics_derivatives(q, v, a, matrices),
         lambda: cs.inverse_dynamics_derivatives(model, q, v, a), 1.0),
        ("forward_dynamics_derivatives", lambda: pin.computeABADerivatives(robot, data, p, v, a),
         lambda: tree.forward_dynamics_derivatives(q, v, a, (*matrices, out)),
         lambda: cs.forward_dynamics_derivatives(model, q, v, a), 1.0),
    ]  # fmt: skip


def per_call(turns: int, console: Console) -> list[Record]:
    """Single calls: with out-arguments, friendly, and Pinocchio's."""
    table = table_of(
        "One call from Python (µs)", "robot", "algorithm", "Pinocchio", "out=", "friendly", "ratio\nout=", "target",
        "friendly over\nPinocchio", "target",
    )  # fmt: skip
    records: list[Record] = []
    for name, model in pairs().items():
        for algorithm, theirs, fast, friendly, target in rows_of(model):
            peer, ours, kind = (1e6 * t for t in least([theirs, fast, friendly], turns))
            plain = algorithm in ("inverse_dynamics", "forward_dynamics")
            table.add_row(
                name, algorithm, f"{peer:.2f}", f"{ours:.2f}", f"{kind:.2f}", f"{peer / ours:.2f}",
                judged(peer / ours, target) if target else "-", f"{kind / peer:.2f}",
                judged(kind / peer, 1.5, at_most=True) if plain else "-",
            )  # fmt: skip
            records.append({"section": "call", "robot": name, "algorithm": algorithm, "pinocchio_us": peer,
                            "out_us": ours, "friendly_us": kind})  # fmt: skip
    console.print(table)
    return records


def batch(turns: int, console: Console) -> list[Record]:
    """Many states in one call, against rneaInParallel and abaInParallel with one thread."""
    title = f"{STATES} states in one call, one thread (µs per state)"
    table = table_of(title, "robot", "algorithm", "Pinocchio", "ours", "ratio", "target")
    records: list[Record] = []
    for name in ("7-dof arm", "chain of 30"):
        model = pairs()[name]
        robot = robots.pinocchio_model(model)
        pool, tree = pin.ModelPool(robot, 1), cs.Tree(model)
        q, v, a = np.random.default_rng(3).normal(size=(3, STATES, robot.nv))
        out = np.empty(q.shape)
        columns = [np.asfortranarray(x.T) for x in (q, v, a)]
        result = np.empty(columns[0].shape, order="F")
        for algorithm, theirs, ours in (
            ("inverse_dynamics", pin.rneaInParallel, tree.inverse_dynamics),
            ("forward_dynamics", pin.abaInParallel, tree.forward_dynamics),
        ):
            calls = [
                lambda f=theirs, c=columns, p=pool, r=result: f(1, p, *c, r),
                lambda f=ours, x=(q, v, a), o=out: f(*x, o),
            ]
            peer, mine = (1e6 * t / STATES for t in least(calls, turns))
            apart = float(np.abs(result.T - out).max() / np.abs(out).max())
            assert apart < 1e-9, f"{algorithm}: {apart}"
            ratio = peer / mine
            table.add_row(name, algorithm, f"{peer:.3f}", f"{mine:.3f}", f"{ratio:.1f}", judged(ratio, 8.0))
            records.append({"section": "batch", "robot": name, "algorithm": algorithm, "pinocchio_us": peer,
                            "cosserat_us": mine})  # fmt: skip
    console.print(table)
    return records


def growth(turns: int, console: Console) -> list[Record]:
    """Chains of 10 to 1000 links; the slope is that of the longer ones, where a call costs more than calling."""
    table = table_of("Growth with the number of links (µs per call)", "algorithm", *(str(n) for n in LENGTHS),
                     "slope from 100", "target")  # fmt: skip
    trees = {n: cs.Tree(robots.chain(n)) for n in LENGTHS}
    records: list[Record] = []
    for algorithm in ("inverse_dynamics", "forward_dynamics"):
        calls = []
        for n, tree in trees.items():
            q, v, a = np.random.default_rng(4).normal(size=(3, n))
            out = np.empty(n)
            method = getattr(tree, algorithm)
            calls.append(lambda f=method, x=(q, v, a, out): f(*x))
        times = [1e6 * t for t in least(calls, turns)]
        long = [k for k, n in enumerate(LENGTHS) if n >= 100]
        slope = float(np.polyfit(np.log([LENGTHS[k] for k in long]), np.log([times[k] for k in long]), 1)[0])
        table.add_row(algorithm, *(f"{t:.2f}" for t in times), f"{slope:.2f}", judged(slope, 1.1, at_most=True))
        records.append({"section": "growth", "algorithm": algorithm, "links": LENGTHS, "us": times, "slope": slope})
    console.print(table)
    return records


def main() -> None:
    """Run all tables."""
    parser = argparse.ArgumentParser(description="Time the recursive algorithms and Pinocchio's.")
    parser.add_argument("--turns", type=int, default=60, help="turns of each side, the least counts (default 60)")
    parser.add_argument("--json", type=Path, help="also write the numbers to this file")
    options = parser.parse_args()
    console = Console()
    if not console.is_terminal:
        console = Console(width=150)
    console.print(f"Pinocchio {pin.__version__}, NumPy {np.__version__}\n")
    records = [
        *per_call(options.turns, console),
        *batch(max(3, options.turns // 4), console),
        *growth(options.turns, console),
    ]
    if options.json:
        options.json.write_text(json.dumps(records, indent=1))


if __name__ == "__main__":
    main()
