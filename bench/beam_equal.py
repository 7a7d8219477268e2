"""Cost at equal accuracy, here and in another checkout: the two-link arm, Princeton's beam, a rotating beam, a ring.

The other checkout sets the mark: its error with the mesh that is named. Here the coarsest mesh is taken from which on
no error is larger, and of both the CPU time of a step of 1 ms and of the analysis itself is measured, least of a few.

    python bench/beam_equal.py ../other          the other one with its own .venv, or with this Python
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import beam_table
import problem
from against import Worker, options_of

HERE = Path(__file__).parents[1]
TIP = np.array([-2.58522186, 1.04814890, 0.00035532])  # of the arm at t = pi: the limit of both with these steps
FLAP = np.array([11.20233, 33.64037])  # Wright, Smith, Thresher and Wang (1982), spin 10
STEPS = 2000
FINEST = 1.5  # of the other mesh: from where on meshes are tried


def arm(cs: Any, elements: int) -> Any:
    """The two-link manipulator."""
    import cosserat_models

    problem.VARIANTS["FFn"] = elements
    return cosserat_models.manipulator_model("FFn")


def arm_error(cs: Any, elements: int) -> float:
    """Tip after half a turn, in m; steps of 0.5 ms."""
    run = cs.simulate(arm(cs, elements), np.pi, np.pi / 6283, rho=problem.RHO_INF)
    return float(np.linalg.norm(run.position("arm2.end").values[-1] - TIP))


def blade(cs: Any, elements: int) -> Any:
    """A cantilever that turns about its root."""
    section = ([1e9, 1e9, 1e9, 1e3, 1, 1], [1, 1, 1, 2e-8, 1e-8, 1e-8])
    return beam_table.clamped(cs, *section, elements)[0]


def blade_error(cs: Any, elements: int) -> float:
    """The worse of the first two flapping frequencies."""
    found = cs.modes(blade(cs, elements), 5, spin=(0, 0, 10.0))
    flap = [w for i, w in enumerate(found.frequencies) if abs(found.shape(i, "b.end")[2]) > 0.5]
    return float(np.abs(2 * np.pi * np.array(flap[:2]) / FLAP - 1).max())


CASES: dict[str, tuple[int, Callable[..., float], Callable[..., Any] | None]] = {
    "two-link arm": (10, arm_error, arm),
    "Princeton": (16, beam_table.princeton, None),
    "rotating beam": (16, blade_error, blade),
    "ring": (16, beam_table.ring, None),
}
MESHES = (2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32)


def captured(cs: Any, error: Callable[..., float], elements: int) -> Any:
    """The model that a case of `beam_table` analyses."""
    kept: list[Any] = []
    analyses = {name: getattr(cs, name) for name in ("equilibrium", "modes")}
    for name, call in analyses.items():
        setattr(cs, name, lambda model, *args, _call=call, **more: kept.append(model) or _call(model, *args, **more))
    try:
        error(cs, elements)
    finally:
        for name, call in analyses.items():
            setattr(cs, name, call)
    return kept[0]


def serve() -> None:
    """Answer (case, elements, what): its error, or CPU seconds of a step or of the analysis."""
    import cosserat as cs

    warnings.simplefilter("ignore")
    models: dict[Any, Any] = {}
    for line in sys.stdin:
        case, elements, what = json.loads(line)
        _, error, build = CASES[case]
        began = time.process_time()
        if what == "step":
            if (case, elements) not in models:
                models[case, elements] = build(cs, elements) if build else captured(cs, error, elements)
            stats = cs.simulate(models[case, elements], STEPS * 1e-3, 1e-3, rho=problem.RHO_INF).stats
            answer = stats["solve_seconds"] / max(stats["steps"], 1)
        else:
            try:
                answer = error(cs, elements)
            except ValueError:  # so coarse that there are no such modes
                answer = float("nan")
            answer = answer if what == "error" else time.process_time() - began
        print(json.dumps(answer), flush=True)


def main() -> None:
    """Print the table."""
    given = options_of(__doc__, serve)
    here, there = (Worker(root, __file__) for root in (HERE, given.other.resolve()))
    print(f"{'':14s} other: n   error  here: n   error    us a step  ratio analysis")
    for case, (mesh, _, _) in ((name, row) for name, row in CASES.items() if given.only in name):
        mark = there.ask((case, mesh, "error"))
        for n in (m for m in MESHES[::-1] if m <= FINEST * mesh):  # down to where it is worse
            found = here.ask((case, n, "error"))
            if not found <= mark:
                break
            own, error = n, found
        least = {}
        for what in ("step", "analysis")[: 1 if case == "two-link arm" else 2]:
            pairs = [(here.ask((case, own, what)), there.ask((case, mesh, what))) for _ in range(given.turns)]
            least[what] = np.min(pairs, axis=0)
        new, old = 1e6 * least["step"]
        meshes = f"{mesh:9d}{mark:9.1e}{own:9d}{error:9.1e}"
        ratio = f"{least['analysis'][0] / least['analysis'][1]:9.2f}" if "analysis" in least else ""
        print(f"{case:14s}{meshes}{new:8.1f}/{old:.1f}{new / old:7.2f}{ratio}", flush=True)


if __name__ == "__main__":
    main()
