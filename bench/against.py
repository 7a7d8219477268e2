"""Compare this checkout with another one, row by row, by interleaved minima of CPU time.

Both packages run in processes of their own, each with the Python of its checkout. A row is timed in the one and in the
other in turn, so that what else the machine does hits both alike; the least of all turns counts.

    python bench/against.py ../other                 both with .venv/bin/python
    python bench/against.py ../other --turns 21 --only modes
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
SLOWER = 1.03  # ratio from which a row is marked


def rows() -> dict[str, Callable[[], Any]]:
    """Name -> what is timed, with calls that both packages have; models are built before."""
    import numpy as np

    import cosserat as cs
    from cosserat.demo.manipulator import two_link_arm

    def arm(n: int = 7) -> cs.Model:
        model = cs.Model("arm", gravity=(0, 0, -9.81))
        held: Any = cs.GROUND
        for k in range(n):
            body = model.add(cs.RigidBody(f"link{k}", 2.0, (0.3 * k + 0.15, 0, 0), (0.002, 0.016, 0.016)))
            axis = ((0, 0, 1), (0, 1, 0))[k % 2]
            model.add(cs.Revolute(f"joint{k}", held, body.at((0.3 * k, 0, 0)), axis=axis, stiffness=200.0, damping=0.1))
            held = body.at((0.3 * (k + 1), 0, 0))
        return model

    def four_bar() -> cs.Model:
        model = cs.Model("four-bar", gravity=(0, -9.81, 0))
        points = [(0, 0, 0), (0.3, 0.4, 0), (1.3, 0.9, 0), (1.2, 0, 0)]
        bars = [model.add(cs.RigidBody.bar(f"bar{k}", *points[k : k + 2], mass=1.0)) for k in range(3)]
        held: Any = cs.GROUND.at(points[0])
        for k, bar in enumerate(bars):
            model.add(cs.Revolute(f"hinge{k}", held, bar.at(points[k]), axis=(0, 0, 1), damping=0.1))
            held = bar.at(points[k + 1])
        model.add(cs.Revolute("hinge3", held, cs.GROUND.at(points[3]), axis=(0, 0, 1)))
        return model

    def cantilever(elements: int) -> cs.Model:
        model = cs.Model("cantilever", gravity=(0, 0, -9.81))
        rod, steel = cs.Rod(0.01), cs.materials.STEEL
        beam = cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=rod, material=steel, elements=elements)
        model.add(beam)
        model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
        model.add(cs.Force("tip", beam.end, (0, 0, -20.0)))
        return model

    rr, ff, ff10, soft, hinges, bars = (
        two_link_arm("RR"), two_link_arm("FF"), two_link_arm("FF10"), cantilever(32), arm(), four_bar()
    )  # fmt: skip
    tree, q = cs.Tree(hinges), np.linspace(0.1, 0.7, 7)

    def often(call: Callable[[], Any], n: int = 2000) -> Callable[[], Any]:
        return lambda: [call() for _ in range(n)]

    return {
        "simulate RR, 500 steps": lambda: cs.simulate(rr, 5.0, 0.01),
        "simulate FF, 500 steps": lambda: cs.simulate(ff, 5.0, 0.01),
        "simulate FF10, 200 steps": lambda: cs.simulate(ff10, 2.0, 0.01),
        "simulate FF10, energy-momentum": lambda: cs.simulate(ff10, 1.0, 0.01, integrator="energy-momentum"),
        "simulate FF10, adaptive": lambda: cs.simulate(ff10, 1.0),
        "floating arm, 500 steps": lambda: cs.simulate(hinges, 0.5, 0.001, formulation="floating"),
        "floating four-bar, 200 steps": lambda: cs.simulate(bars, 0.2, 0.001, formulation="floating"),
        "equilibrium of 32 elements": lambda: cs.equilibrium(soft),
        "modes of 32 elements": lambda: cs.modes(soft, 6),
        "linearize arm": lambda: cs.linearize(hinges, ["joint0"], ["link6.z"]),
        "modes of the arm": lambda: cs.modes(hinges, 4),
        "inverse dynamics, 2000 calls": often(lambda: tree.inverse_dynamics(q, q, q)),
        "forward dynamics, 2000 calls": often(lambda: tree.forward_dynamics(q, q, q)),
        "mass matrix, 2000 calls": often(lambda: tree.mass_matrix(q)),
    }


def serve() -> None:
    """Time rows as they are asked for, one name a line; None: the names."""
    warnings.simplefilter("ignore")
    known = rows()
    for line in sys.stdin:
        name = json.loads(line)
        if name is None:
            print(json.dumps(list(known)), flush=True)
            continue
        task = known[name]
        began = time.process_time()
        try:
            task()
            print(json.dumps(time.process_time() - began), flush=True)
        except Exception as error:
            print(json.dumps(f"{type(error).__name__}: {error}"), flush=True)


def python_of(checkout: Path) -> str:
    """The Python of a checkout, this one if it has none of its own."""
    python = checkout / ".venv" / "bin" / "python"
    return str(python if python.exists() else sys.executable)


def settings_of(checkout: Path) -> dict[str, str]:
    """Environment of a process that runs the package of a checkout, in one thread."""
    return {"PYTHONPATH": str(checkout / "src"), **dict.fromkeys(THREADS, "1")}


class Worker:
    """A checkout that answers the questions of a script, one a line."""

    def __init__(self, root: Path, script: str = __file__) -> None:
        call = [python_of(root), str(Path(script).resolve()), "--serve"]
        settings = {**os.environ, **settings_of(root)}
        self._process = subprocess.Popen(
            call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root, env=settings
        )  # fmt: skip

    def ask(self, question: Any) -> Any:
        """The answer, or what it raised."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def options_of(text: str | None, serve: Callable[[], None]) -> argparse.Namespace:
    """What a script that compares two checkouts is called with; as one of its workers it serves, and ends."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", nargs="?", type=Path, help="folder of the other checkout")
    parser.add_argument("--turns", type=int, default=11)
    parser.add_argument("--only", default="", help="rows whose name has this in it")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        sys.exit()
    if options.other is None:
        parser.error("name the folder of the other checkout")
    return options


def main() -> None:
    """Print the table."""
    options = options_of(__doc__, serve)
    here, there = Worker(ROOT), Worker(options.other.resolve())
    print(f"{'CPU ms, least of ' + str(options.turns):<36}{'other':>10}{'this':>10}{'ratio':>8}")
    for name in (n for n in here.ask(None) if options.only in n):
        found: list[list[float]] = [[], []]
        failed = ""
        for turn in range(options.turns + 1):
            for worker, times in ((there, found[0]), (here, found[1])):
                seconds = worker.ask(name)
                if isinstance(seconds, str):
                    failed = seconds
                elif turn:  # the first compiles
                    times.append(seconds)
            if failed:
                break
        if failed:
            print(f"{name:<36}  {failed[:60]}")
            continue
        old, new = (1e3 * min(times) for times in found)
        mark = "  slower" if new > SLOWER * old else ""
        print(f"{name:<36}{old:>10.2f}{new:>10.2f}{new / old:>8.3f}{mark}", flush=True)


if __name__ == "__main__":
    main()
