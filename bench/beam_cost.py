"""Time of the two-link arm with ten elements per arm, here and in another checkout: CPU seconds, interleaved minima.

    python bench/beam_cost.py ../other            another checkout with its own .venv
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parents[1]
STEPS, ROUNDS = 6000, 4
CODE = f"""
import sys
sys.path.insert(0, "bench")
import cosserat as cs, cosserat_models, problem
model, h = cosserat_models.manipulator_model("FF10"), problem.DURATION / 6283
times = [cs.simulate(model, duration=h * {STEPS}, step=h, rho=problem.RHO_INF).stats["solve_seconds"] for _ in range(4)]
print(min(times[1:]))
"""


def seconds(root: Path) -> float:
    """CPU seconds of the run in a checkout."""
    found = root / ".venv" / "bin" / "python"
    python = str(found if found.exists() else sys.executable)
    done = subprocess.run([python, "-c", CODE], cwd=root, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def main() -> None:
    """Print the times and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path)
    roots = (HERE, parser.parse_args().other.resolve())
    least = [float("inf")] * 2
    for _ in range(ROUNDS):
        least = [min(t, seconds(root)) for t, root in zip(least, roots, strict=True)]
    for root, t in zip(roots, least, strict=True):
        print(f"{t:8.4f} s  {1e6 * t / STEPS:6.2f} us per step  {root}")
    print(f"ratio {least[0] / least[1]:.3f}")


if __name__ == "__main__":
    main()
