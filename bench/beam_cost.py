"""Cost of the two-link arm with ten elements per arm, here and in another checkout: CPU seconds, interleaved minima.

    python bench/beam_cost.py ../other            steps of 1 ms and of 10 ms, set-up; the other has its own .venv
    python bench/beam_cost.py --cold ../other     also the first run with an empty cache of compiled kernels
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parents[1]
ROUNDS = 4
CODE = """
import json, sys, time
sys.path.insert(0, "bench")
import cosserat as cs, cosserat_models, problem
from cosserat.compile.build import compile_model

def least(task):
    task()
    times = []
    for _ in range(4):
        start = time.process_time()
        found = task()
        times.append((time.process_time() - start) if found is None else found)
    return min(times)

model = cosserat_models.manipulator_model("FF10")
def run(steps, of):
    h = problem.DURATION / of
    return cs.simulate(model, duration=h * steps, step=h, rho=problem.RHO_INF).stats["solve_seconds"] / steps
set_up = least(lambda: compile_model(model) and None)
print(json.dumps([least(lambda: run(6000, 6283)), least(lambda: run(600, 628)), set_up]))
"""
FIRST = """
import sys, time
sys.path.insert(0, "bench")
import cosserat as cs, cosserat_models
start = time.process_time()
cs.simulate(cosserat_models.manipulator_model("FF10"), duration=0.01, step=0.001)
print(time.process_time() - start)
"""
ROWS = (("step of 1 ms", 1e6, "us"), ("step of 10 ms", 1e6, "us"), ("set-up", 1e3, "ms"))


def printed(root: Path, code: str, **environment: str) -> str:
    """Last line that a script prints in a checkout."""
    found = root / ".venv" / "bin" / "python"
    words = [str(found if found.exists() else sys.executable), "-c", code]
    settings = {**os.environ, "PYTHONPATH": str(root / "src"), **environment}
    done = subprocess.run(words, cwd=root, env=settings, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1]


def main() -> None:
    """Print the times and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path)
    parser.add_argument("--cold", action="store_true")
    given = parser.parse_args()
    roots = (HERE, given.other.resolve())
    least = [[float("inf")] * len(ROWS) for _ in roots]
    for _ in range(ROUNDS):
        for k, root in enumerate(roots):
            least[k] = [min(pair) for pair in zip(least[k], json.loads(printed(root, CODE)), strict=True)]
    print(f"{'':16s}{'here':>12s}{'other':>12s}{'ratio':>8s}")
    for (name, scale, unit), here, other in zip(ROWS, *least, strict=True):
        print(f"{name:16s}{scale * here:9.2f} {unit}{scale * other:9.2f} {unit}{here / other:8.3f}")
    if given.cold:
        here, other = (_cold(root) for root in roots)
        print(f"{'first run':16s}{here:9.2f} s {other:9.2f} s {here / other:8.3f}")


def _cold(root: Path) -> float:
    with tempfile.TemporaryDirectory() as folder:
        return float(printed(root, FIRST, COSSERAT_CACHE_DIR=folder))


if __name__ == "__main__":
    main()
