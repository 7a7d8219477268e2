"""Time whole runs in floating frames: CPU microseconds per step of `simulate`, and of what is asked for afterwards.

Every case is run with two numbers of steps; the difference is what a step costs, without setting up. The least of
several turns counts. The last columns have, per stored state, what `run.status` and a position cost when first asked.

    python bench/floating.py
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np

import cosserat as cs

STEP = 1e-3
FEW, MANY = 40, 240


def arm(n: int = 7) -> cs.Model:
    """A chain of rigid links with hinges in turn about z and y."""
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    held: Any = cs.GROUND
    for k in range(n):
        body = model.add(
            cs.RigidBody(f"link{k}", mass=2.0, com=(0.3 * k + 0.15, 0, 0), inertia=(0.002, 0.016, 0.016))
        )  # fmt: skip
        joint = body.at((0.3 * k, 0, 0))
        axis = ((0, 0, 1), (0, 1, 0))[k % 2]
        model.add(cs.Revolute(f"joint{k}", held, joint, axis=axis, damping=0.1))
        held = body.at((0.3 * (k + 1), 0, 0))
    return model


def four_bar(spring: bool = False, damping: float = 0.0) -> cs.Model:
    """Crank, coupler and rocker; the last hinge closes the loop."""
    model = cs.Model("four-bar", gravity=(0, -9.81, 0))
    points = [(0, 0, 0), (0.3, 0.4, 0), (1.3, 0.9, 0), (1.2, 0, 0)]
    bars = [model.add(cs.RigidBody.bar(f"bar{k}", *points[k : k + 2], mass=1.0)) for k in range(3)]
    held: Any = cs.GROUND.at(points[0])
    for k, bar in enumerate(bars):
        model.add(cs.Revolute(f"hinge{k}", held, bar.at(points[k]), axis=(0, 0, 1)))
        held = bar.at(points[k + 1])
    model.add(cs.Revolute("hinge3", held, cs.GROUND.at(points[3]), axis=(0, 0, 1), damping=damping))
    if spring:
        model.add(cs.Spring("spring", cs.GROUND.at((0.6, 0, 0)), bars[1].at((0.8, 0.65, 0)), stiffness=50, damping=1))
    return model


def disc() -> cs.Model:
    """A disc that rolls on a plane."""
    model = cs.Model("disc", gravity=(0, 0, -9.81))
    body = model.add(
        cs.RigidBody("disc", mass=1.0, com=(0, 0, 0.5), inertia=(0.0625, 0.125, 0.0625), velocity=(1.5, 0, 0),
                     angular_velocity=(0, 3.0, 0.5))
    )  # fmt: skip
    model.add(cs.RollingDisc("wheel", body, radius=0.5, axis=(0, 1, 0)))
    return model


CASES: dict[str, tuple[Callable[[], cs.Model], dict[str, Any]]] = {
    "arm of 7 hinges": (arm, {}),
    "four-bar": (four_bar, {}),
    "four-bar, damper in the cut joint": (lambda: four_bar(damping=0.1), {}),
    "four-bar with a spring": (lambda: four_bar(spring=True), {}),
    "rolling disc": (disc, {}),
    "arm, Runge-Kutta": (arm, {"integrator": "runge-kutta"}),
    "four-bar, Runge-Kutta": (four_bar, {"integrator": "runge-kutta"}),
}


def spent(call: Callable[[], Any]) -> tuple[float, Any]:
    """CPU time (s) of a call, and what it gives."""
    start = time.process_time()
    found = call()
    return time.process_time() - start, found


def measure(name: str, turns: int) -> dict[str, Any]:
    """Microseconds per step, per state of `status`, per state of a position, all the least of several turns."""
    build, settings = CASES[name]
    least: dict[str, list[float]] = {}
    for _ in range(turns):
        for n in (FEW, MANY):
            took, run = spent(lambda n=n: cs.simulate(build(), n * STEP, STEP, formulation="floating", **settings))
            judged, status = spent(lambda run=run: run.status)
            asked, _ = spent(lambda run=run: run.position(run.model.bodies[-1].name))
            assert status.ok, status
            for key, value in (("step", took), ("status", judged), ("position", asked)):
                pair = least.setdefault(key, [np.inf, np.inf])
                pair[n == MANY] = min(pair[n == MANY], value)
    return {"case": name} | {key: 1e6 * (many - few) / (MANY - FEW) for key, (few, many) in least.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Time runs in floating frames.")
    parser.add_argument("--turns", type=int, default=5, help="turns of each run, the least counts (default 5)")
    parser.add_argument("--only", nargs="*", help="cases to run (default all)")
    parser.add_argument("--json", type=Path, help="also write the numbers to this file")
    options = parser.parse_args()
    warnings.simplefilter("ignore", cs.CosseratWarning)  # four hinges in a plane are redundant
    records = [measure(name, options.turns) for name in CASES if not options.only or name in options.only]
    print(f"{'CPU microseconds per step':36s}{'simulate':>10s}{'status':>10s}{'position':>10s}{'all':>10s}")
    for record in records:
        each = [record[key] for key in ("step", "status", "position")]
        print(f"{record['case']:36s}" + "".join(f"{value:10.1f}" for value in (*each, sum(each))))
    if options.json:
        options.json.write_text(json.dumps(records, indent=1) + "\n")


if __name__ == "__main__":
    main()
