"""Time a stability curve: Beck's column, 40 elements, 200 values of the load, equilibrium and eigenvalues at each."""

from __future__ import annotations

import time
from types import ModuleType

import numpy as np
from rich.console import Console

import cosserat as cs

EXACT = 20.05095  # flutter load in EI / L^2


def beck(elements: int, values: int) -> tuple[float, float]:
    """CPU seconds of the whole curve, and the flutter load it finds."""
    model = cs.Model("Beck")
    P = cs.Parameter("P", 0.0)
    section = cs.Section(stiffness=[1e6, 1e6, 1e6, 10, 1, 3], mass=[1, 1, 1, 2e-8, 1e-8, 1e-8])
    beam = model.add(cs.Beam("column", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=elements))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("thrust", beam.end, (-P, 0, 0), follower=True))
    start = time.process_time()
    found = cs.stability(model, "P", np.linspace(0, 30, values))
    return time.process_time() - start, found.critical[0].value


def bench_stability(
    sides: dict[str, ModuleType | None], repeats: int, quick: bool, console: Console
) -> list[dict[str, str | int | float | None]]:
    """One line: the least CPU time of several curves, and how far the flutter load is from the exact one."""
    beck(8, 3)  # kernels loaded
    runs = [beck(40, 200) for _ in range(1 if quick else repeats)]
    seconds, load = min(runs)
    console.print(
        f"Beck's column, 40 elements, 200 loads with 10 modes each: {seconds:.2f} s CPU; flutter at {load:.5f} "
        f"(exact {EXACT}, {abs(load / EXACT - 1):.0e})\n"
    )
    return [{"section": "stability", "elements": 40, "values": 200, "seconds": seconds, "load": load}]
