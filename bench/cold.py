"""CPU seconds of a first run with nothing compiled yet, of this checkout and another one.

Both run the same script in processes of their own with an empty cache, in turn, each with the Python of its checkout.

    python bench/cold.py ../other                    the two-link arm with ten elements a link
    python bench/cold.py ../other --only arm,modes --turns 3
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

from against import ROOT, python_of, settings_of

_ARM = """
import numpy as np
import cosserat as cs
model = cs.Model("two-link", gravity=(0, 0, -9.81))
tube, metal = cs.Tube(outer_diameter=0.030, inner_diameter=0.027), cs.materials.ALUMINIUM_6061
ends = [[(0, 0, 0), (1.5, 0, 0)], [(1.5, 0, 0), (3, 0, 0)]]
arms = [model.add(cs.Beam(f"arm{k}", points=ends[k], section=tube, material=metal, elements=10)) for k in range(2)]
model.add(cs.Revolute("shoulder", cs.GROUND, arms[0].start, axis=(0, 0, 1), motion=lambda t: t - np.sin(t)))
model.add(cs.Revolute("elbow", arms[0].end, arms[1].start, axis=(0, 0, 1)))
"""
_BEAM = """
import cosserat as cs
model = cs.Model("cantilever", gravity=(0, 0, -9.81))
beam = model.add(
    cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.01), material=cs.materials.STEEL, elements=10)
)
model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
"""
SCRIPTS = {
    "arm": _ARM + "assert cs.simulate(model, duration=0.1, step=0.01).status.ok",
    "energy-momentum": _ARM + "cs.simulate(model, duration=0.1, step=0.01, integrator='energy-momentum').status",
    "floating": _ARM + "cs.simulate(model, duration=0.01, step=0.001, formulation='floating', modes=4).status",
    "equilibrium": _BEAM + "cs.equilibrium(model)",
    "modes": _BEAM + "cs.modes(model, 4)",
}


def seconds(checkout: Path, script: str) -> float:
    """CPU time from the start of Python to the end of the script."""
    with tempfile.TemporaryDirectory() as folder:
        caches = {"COSSERAT_CACHE_DIR": f"{folder}/kernels", "NUMBA_CACHE_DIR": folder}
        before = os.times()
        subprocess.run(
            [python_of(checkout), "-c", script],
            env={**os.environ, **settings_of(checkout), **caches}, check=True, stderr=subprocess.DEVNULL, cwd=folder,
        )  # fmt: skip
        after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="root of another checkout")
    parser.add_argument("--only", default="arm", help=f"of {','.join(SCRIPTS)}, or all; default arm")
    parser.add_argument("--turns", type=int, default=2)
    given = parser.parse_args()
    for name in SCRIPTS if given.only == "all" else given.only.split(","):
        here, there = [], []
        for _ in range(given.turns):
            there.append(seconds(given.other.resolve(), SCRIPTS[name]))
            here.append(seconds(ROOT, SCRIPTS[name]))
        ratio = min(here) / min(there)
        print(f"{name:16s} {min(here):6.2f} s here, {min(there):6.2f} s there, ratio {ratio:.2f}", flush=True)


if __name__ == "__main__":
    main()
