"""Write `reference.json`: every guarded number converged in step and mesh, and how far an ordinary run may be from it.

python -m tests.guards.make             all of them
python -m tests.guards.make frame arc   those of some models, the others stay
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from .cases import ELASTIC, RESTING, RIGID, STEP, Numbers, computed, motion, rest

PATH = Path(__file__).with_name("reference.json")
MARGIN, LEAST, MOST = 2.0, 1e-7, 0.05  # of the error found when this was made; shares of the size of a quantity


def extrapolated(coarse: Numbers, fine: Numbers, order: int) -> Numbers:
    """Richardson's extrapolation of two computations of which the second is twice as fine."""
    share = 1.0 / (2**order - 1)
    return {k: (np.array(fine[k]) + share * (np.array(fine[k]) - np.array(coarse[k]))).tolist() for k in fine}


def converged(models: list[str]) -> dict[str, Numbers]:
    """Numbers by model."""
    found = {}
    for name, make in {**RIGID, **ELASTIC}.items():
        if models and name not in models:
            continue
        fine = 4 if name in ELASTIC else 1
        found[name] = extrapolated(*(motion(make(fine), STEP / n, newton_tolerance=1e-9) for n in (8, 16)), order=2)
    for name, make in RESTING.items():
        if models and name not in models:
            continue
        found[f"{name}, at rest"] = rest(make(8))
    return found


def main() -> None:
    models = sys.argv[1:]
    references = converged(models)
    cases = json.loads(PATH.read_text()) if models else {}
    for name, compute in computed().items():
        if models and name.split(", ")[0] not in models:
            continue
        exact = references[name if name in references else name.split(", ")[0]]
        numbers, margins = compute(), {}
        for key, values in numbers.items():
            size = max(float(np.abs(exact[key]).max()), 1e-3)
            margins[key] = MARGIN * float(np.abs(np.array(values) - exact[key]).max()) + LEAST * size
            if margins[key] > MOST * size:
                print(f"{name}: {key} is not guarded: off by {margins[key]:.1e} of {size:.1e}")
                del margins[key]
        cases[name] = {k: [float(f"{m:.2e}"), [float(f"{v:.9g}") for v in exact[k]]] for k, m in margins.items()}
    text = json.dumps(cases, indent=0, separators=(",", ":"))
    PATH.write_text(text.replace(",\n", ", ").replace("[\n", "[").replace("\n]", "]").replace('], "', '],\n"') + "\n")


if __name__ == "__main__":
    main()
