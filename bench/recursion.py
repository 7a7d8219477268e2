"""Time the recursive algorithms and Pinocchio's in one run: per call from Python, and per state in a batch.

Both sides take turns in several rounds. Times are those of the processor in this one thread, the least of a round; a
ratio is the median over the rounds, so that other work on the machine disturbs it little. The robots are those of
`pinocchio_models`. Every ratio that is asked for stands beside what was asked, and once more in a summary at the end.
"""

from __future__ import annotations

import argparse
import json
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
from numpy.typing import NDArray
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent))

import cosserat as cs
import pinocchio_models as robots

Array = NDArray[np.float64]
Record = dict[str, Any]
Call = Callable[[], object]

STATES = 10_000
LENGTHS = (10, 30, 100, 300, 1000)
ROUNDS = 5


def times(calls: list[Call], turns: int, seconds: float = 1e-3) -> Array:
    """Return the least time of each call in each round (ROUNDS, calls), every turn long enough for the clock."""
    counts = []
    for call in calls:
        call()
        start = time.thread_time()
        call()
        counts.append(max(1, int(seconds / max(time.thread_time() - start, 1e-7))))
    best = np.full((ROUNDS, len(calls)), np.inf)
    for row in best:
        for _ in range(max(1, turns // ROUNDS)):
            for k, call in enumerate(calls):
                start = time.thread_time()
                for _ in range(counts[k]):
                    call()
                row[k] = min(row[k], (time.thread_time() - start) / counts[k])
    return best


class Judge:
    """Compares what was measured with what was asked, and remembers."""

    def __init__(self) -> None:
        self.verdicts: list[tuple[str, str, str, float, str]] = []

    def __call__(self, robot: str, what: str, value: float, asked: float | None, at_most: bool = False) -> str:
        """Return what was asked and whether it holds."""
        if asked is None:
            return "-"
        holds = value <= asked if at_most else value >= asked
        sign, word = "<=" if at_most else ">=", "holds" if holds else "MISSED"
        self.verdicts.append((what, robot, f"{sign} {asked:g}", value, word))
        return f"{sign} {asked:g} {word}"

    def summary(self) -> Table:
        """Return everything that was asked, in one table."""
        table = table_of("Asked and measured", "what", "robot", "asked", "measured", "")
        for what, robot, asked, value, word in self.verdicts:
            table.add_row(what, robot, asked, f"{value:.2f}", word)
        return table


def table_of(title: str, *columns: str) -> Table:
    """Return an empty table, the first column left-aligned."""
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for k, column in enumerate(columns):
        table.add_column(column, justify="left" if k == 0 else "right")
    return table


def fleet() -> dict[str, cs.Model]:
    """Return the robots."""
    return {
        "7-dof arm": robots.arm(),
        "chain of 30": robots.chain(30),
        "chain of 100": robots.chain(100),
        "walker, 42 dof": robots.walker(),
    }


def rows_of(model: cs.Model) -> list[tuple[str, Call, Call, Call, float | None]]:
    """Return algorithm, Pinocchio's call, ours with out-arguments, the friendly one, and how much faster we must be."""
    robot = robots.pinocchio_model(model)
    data, tree = robot.createData(), cs.Tree(model)
    n = robot.nv
    q, v, a = np.random.default_rng(2).normal(size=(3, n))
    p = robots.pinocchio_coordinates(model, robot, q)
    out, matrices = np.empty(n), [np.empty((n, n)) for _ in range(3)]
    four = (*matrices, out)
    faster = 1.2 if n == 7 else 2.0
    return [
        ("inverse_dynamics", lambda: pin.rnea(robot, data, p, v, a), lambda: tree.inverse_dynamics(q, v, a, out),
         lambda: cs.inverse_dynamics(model, q, v, a), faster),
        ("forward_dynamics", lambda: pin.aba(robot, data, p, v, a), lambda: tree.forward_dynamics(q, v, a, out),
         lambda: cs.forward_dynamics(model, q, v, a), faster),
        ("mass_matrix", lambda: pin.crba(robot, data, p), lambda: tree.mass_matrix(q, matrices[0]),
         lambda: cs.mass_matrix(model, q), None),
        ("inverse_dynamics_derivatives", lambda: pin.computeRNEADerivatives(robot, data, p, v, a),
         lambda: tree.inverse_dynamics_derivatives(q, v, a, matrices),
         lambda: cs.inverse_dynamics_derivatives(model, q, v, a), 1.0),
        ("forward_dynamics_derivatives", lambda: pin.computeABADerivatives(robot, data, p, v, a),
         lambda: tree.forward_dynamics_derivatives(q, v, a, four),
         lambda: cs.forward_dynamics_derivatives(model, q, v, a), 1.0),
    ]  # fmt: skip


def per_call(turns: int, console: Console, judge: Judge) -> list[Record]:
    """Single calls: with out-arguments, friendly, and Pinocchio's."""
    table = table_of(
        "One call from Python (µs)", "robot", "algorithm", "Pinocchio", "out=", "friendly", "Pinocchio\nover out=",
        "asked", "friendly over\nPinocchio", "asked",
    )  # fmt: skip
    records: list[Record] = []
    for name, model in fleet().items():
        for algorithm, theirs, fast, friendly, faster in rows_of(model):
            found = times([theirs, fast, friendly], turns)
            peer, ours, kind = 1e6 * found.min(axis=0)
            ratio, slower = (float(np.median(x)) for x in (found[:, 0] / found[:, 1], found[:, 2] / found[:, 0]))
            at_most = 1.5 if algorithm in ("inverse_dynamics", "forward_dynamics") else None
            table.add_row(
                name, algorithm, f"{peer:.2f}", f"{ours:.2f}", f"{kind:.2f}", f"{ratio:.2f}",
                judge(name, f"{algorithm}, call with out=: times faster", ratio, faster), f"{slower:.2f}",
                judge(name, f"{algorithm}, friendly call: times slower", slower, at_most, at_most=True),
            )  # fmt: skip
            records.append({"section": "call", "robot": name, "algorithm": algorithm, "pinocchio_us": peer,
                            "out_us": ours, "friendly_us": kind, "ratio": ratio})  # fmt: skip
    console.print(table)
    return records


def batch(turns: int, console: Console, judge: Judge) -> list[Record]:
    """Ten thousand states in one call, one thread."""
    title = f"{STATES} states in one call, one thread (µs per state)"
    table = table_of(title, "robot", "algorithm", "Pinocchio", "ours", "ratio", "asked")
    records: list[Record] = []
    for name, model in fleet().items():
        if name == "chain of 100":
            continue
        robot = robots.pinocchio_model(model)
        pool, tree = pin.ModelPool(robot, 1), cs.Tree(model)
        q, v, a = np.random.default_rng(3).normal(size=(3, STATES, robot.nv))
        out = np.empty(q.shape)
        p = np.array([robots.pinocchio_coordinates(model, robot, x) for x in q])
        columns = [np.asfortranarray(x.T) for x in (p, v, a)]
        result = np.empty((robot.nv, STATES), order="F")
        for algorithm, theirs, ours in (
            ("inverse_dynamics", pin.rneaInParallel, tree.inverse_dynamics),
            ("forward_dynamics", pin.abaInParallel, tree.forward_dynamics),
        ):
            calls: list[Call] = [
                lambda f=theirs, c=columns, p=pool, r=result: f(1, p, *c, r),
                lambda f=ours, x=(q, v, a), o=out: f(*x, o),
            ]
            found = times(calls, turns)
            peer, mine = 1e6 * found.min(axis=0) / STATES
            apart = float(np.abs(result.T - out).max() / np.abs(out).max())
            assert apart < 1e-9, f"{algorithm}: {apart}"
            ratio = float(np.median(found[:, 0] / found[:, 1]))
            asked = judge(name, f"{algorithm}, per state of a batch: times faster", ratio, 8.0)
            table.add_row(name, algorithm, f"{peer:.3f}", f"{mine:.3f}", f"{ratio:.1f}", asked)
            records.append({"section": "batch", "robot": name, "algorithm": algorithm, "pinocchio_us": peer,
                            "cosserat_us": mine, "ratio": ratio})  # fmt: skip
    console.print(table)
    return records


def growth(turns: int, console: Console, judge: Judge) -> list[Record]:
    """Chains of 10 to 1000 links; the slope is that of the longer ones, where a call costs more than calling."""
    table = table_of("Growth with the number of links (µs per call)", "algorithm", *(str(n) for n in LENGTHS),
                     "slope from 100", "asked")  # fmt: skip
    trees = {n: cs.Tree(robots.chain(n)) for n in LENGTHS}
    records: list[Record] = []
    for algorithm in ("inverse_dynamics", "forward_dynamics"):
        calls: list[Call] = []
        for n, tree in trees.items():
            q, v, a = np.random.default_rng(4).normal(size=(3, n))
            method, out = getattr(tree, algorithm), np.empty(n)
            calls.append(lambda f=method, x=(q, v, a, out): f(*x))
        spent = 1e6 * times(calls, turns).min(axis=0)
        long = [k for k, n in enumerate(LENGTHS) if n >= 100]
        slope = float(np.polyfit(np.log([LENGTHS[k] for k in long]), np.log(spent[long]), 1)[0])
        asked = judge("chains to 1000", f"{algorithm}: slope of log time over log links", slope, 1.1, at_most=True)
        table.add_row(algorithm, *(f"{t:.2f}" for t in spent), f"{slope:.2f}", asked)
        records.append({"section": "growth", "algorithm": algorithm, "links": LENGTHS, "us": list(spent),
                        "slope": slope})  # fmt: skip
    console.print(table)
    return records


def main() -> None:
    """Run all tables."""
    parser = argparse.ArgumentParser(description="Time the recursive algorithms and Pinocchio's.")
    parser.add_argument("--turns", type=int, default=100, help="turns of each side (default 100)")
    parser.add_argument("--json", type=Path, help="also write the numbers to this file")
    options = parser.parse_args()
    console = Console()
    if not console.is_terminal:
        console = Console(width=150)
    console.print(f"Pinocchio {pin.__version__}, NumPy {np.__version__}\n")
    judge = Judge()
    records = [
        *per_call(options.turns, console, judge),
        *batch(max(ROUNDS, options.turns // 4), console, judge),
        *growth(options.turns, console, judge),
    ]
    console.print(judge.summary())
    if options.json:
        options.json.write_text(json.dumps(records, indent=1))


if __name__ == "__main__":
    main()
