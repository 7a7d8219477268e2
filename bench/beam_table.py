"""Errors of known problems here and in another checkout: statics, frequencies, buckling, free flight.

    python bench/beam_table.py ../other          a column for each checkout (the other one with its own .venv)
    python bench/beam_table.py                   this checkout only
    python bench/beam_table.py --flight ../other also the flying spaghetti with 160 elements (a minute each)

References are closed forms, or converged by shooting with the strong form; see tests/literature for their sources.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parents[1]


def clamped(cs: Any, stiffness: Any, mass: Any, elements: int, length: float = 1.0, **shape: Any) -> tuple[Any, Any]:
    """A model with a beam that is clamped at its start."""
    model = cs.Model("m")
    given = shape or {"points": [(0, 0, 0), (length, 0, 0)]}
    section = cs.Section(stiffness=stiffness, mass=mass)
    beam = model.add(cs.Beam("b", section=section, elements=elements, up=(0, 0, 1), **given))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    return model, beam


def princeton(cs: Any, elements: int) -> float:
    """Tip under 13.345 N at 60 degrees."""
    stiffness = [2.84191e6, 6.40131e5, 9.03881e5, 3.10338, 36.2794, 2.42873]
    model, beam = clamped(cs, stiffness, [1] * 6, elements, 0.508)
    angle = np.radians(60)
    model.add(cs.Force("load", beam.end, (0, 13.345 * np.sin(angle), 13.345 * np.cos(angle))))
    u = np.asarray(cs.equilibrium(model).position("b.end")) - (0.508, 0, 0)
    exact = np.array([-4.120724e-2, 1.819234e-1, 1.171650e-2])
    return float(np.linalg.norm(u - exact) / np.linalg.norm(exact))


def bend(cs: Any, elements: int) -> float:
    """Bathe and Bolourchi's bend of 45 degrees, tip under 600."""
    curve = ("100*(1 - cos(pi/4*s))", "100*sin(pi/4*s)", "0*s")
    stiffness = [1e7, 5e6, 5e6, 5e6 / 6, 1e7 / 12, 1e7 / 12]
    model, beam = clamped(cs, stiffness, [1] * 6, elements, curve=curve)
    model.add(cs.Force("load", beam.end, (0, 0, 600.0)))
    exact = np.array([15.68480, 47.15044, 53.47486])
    found = np.asarray(cs.equilibrium(model).position("b.end"))
    return float(np.linalg.norm(found - exact) / np.linalg.norm(exact))


def lee(cs: Any, elements: int) -> float:
    """Lee's frame before its first limit, at P = 15."""
    model = cs.Model("frame")
    section = cs.Section(stiffness=(7200 * 6, 1e9, 1e9, 1e5, 1e5, 7200 * 2), mass=[1] * 6)
    column = model.add(cs.Beam("c", points=[(0, 0, 0), (0, 120, 0)], section=section, elements=elements, up=(0, 0, 1)))
    girder = cs.Beam("g", points=[(0, 120, 0), (120, 120, 0)], section=section, elements=elements, up=(0, 0, 1))
    model.add(girder)
    model.add(cs.Fixed("corner", column.end, girder.start))
    model.add(cs.Revolute("foot", cs.GROUND, column.start, axis=(0, 0, 1)))
    model.add(cs.Revolute("support", cs.GROUND, girder.end, axis=(0, 0, 1)))
    model.add(cs.Force("load", girder.at(0.2), (0, -15.0, 0)))
    found = cs.equilibrium(model).position("g.at(0.2)")
    exact = np.array([8.009624, 25.841005])
    return float(np.linalg.norm([found[0] - 24.0 - exact[0], 120.0 - found[1] - exact[1]]) / np.linalg.norm(exact))


def cantilever(cs: Any, elements: int) -> float:
    """Worst of the first three bending frequencies of a slender cantilever."""
    model, _ = clamped(cs, [1e7, 1e7, 1e7, 1e4, 1, 1], [1, 1, 1, 2e-9, 1e-9, 1e-9], elements)
    omega = 2 * np.pi * np.array(cs.modes(model, 6).frequencies)[::2]
    return float(np.abs(omega / np.array([1.8751041, 4.6940911, 7.8547574]) ** 2 - 1).max())


def ring(cs: Any, elements: int) -> float:
    """Worst of the first four frequencies of a slender ring."""
    model = cs.Model("ring")
    section = cs.Section(stiffness=[1e8, 1e8, 1e8, 0.8, 1, 1], mass=[1, 1, 1, 2e-8, 1e-8, 1e-8])
    curve = ("cos(2*pi*s)", "sin(2*pi*s)", "0*s")
    beam = model.add(cs.Beam("b", curve=curve, section=section, elements=elements))
    model.add(cs.Fixed("weld", beam.end, beam.start))
    omega = 2 * np.pi * np.array(cs.modes(model, 14).frequencies)
    n = np.array([2.0, 3.0])
    top = n**2 * (n**2 - 1) ** 2
    exact = np.repeat(np.sort(np.concatenate((top / (n**2 + 1), top / (n**2 + 1 / 0.8))) ** 0.5), 2)
    return float(np.abs(omega[omega > 0.1][:8] / exact - 1).max())


def euler(cs: Any, elements: int) -> float:
    """Cantilever under a dead thrust: pi^2/4."""
    return buckling(cs, elements, False, np.pi**2 / 4)


def beck(cs: Any, elements: int) -> float:
    """Cantilever under a follower thrust: 20.05095."""
    return buckling(cs, elements, True, 20.05095)


def buckling(cs: Any, elements: int, follower: bool, exact: float) -> float:
    """Relative error of the critical thrust of a cantilever column."""
    model, beam = clamped(cs, [1e6, 1e6, 1e6, 10, 1, 3], [1, 1, 1, 2e-8, 1e-8, 1e-8], elements)
    model.add(cs.Force("thrust", beam.end, (-cs.Parameter("P", 0.0), 0, 0), follower=follower))
    found = cs.stability(model, "P", exact * np.array([0.9, 1.05, 1.2]), n=4).critical[0].value
    return float(abs(found / exact - 1))


def lateral(cs: Any, elements: int) -> float:
    """Deep cantilever with a tip load: 4.01259934."""
    model, beam = clamped(cs, [1e7, 1e7, 1e7, 1, 1, 1e6], [1] * 6, elements)
    model.add(cs.Force("load", beam.end, (0, cs.Parameter("P", 0.0), 0)))
    path = cs.continuation(model, "P", 0.0, 5.0, step=0.2, max_step=0.5)
    return float(abs(path.points[0].value / 4.01259934 - 1))


def flutter(cs: Any, elements: int) -> float:
    """Tangential load q (1 - s) along a cantilever: 150.6416."""
    model, beam = clamped(cs, [1e8, 1e8, 1e8, 1e3, 1, 1], [1, 1, 1, 1e-6, 5e-7, 5e-7], elements)
    load = lambda s, t, q=cs.Parameter("q", 100.0): (-q * (1 - s), 0, 0)  # noqa: E731, B008
    model.add(cs.DistributedLoad("load", beam, force=load, follower=True))
    return float(abs(cs.stability(model, "q", [145.0, 150.0, 155.0]).critical[0].value / 150.6416 - 1))


def spaghetti(cs: Any, elements: int) -> float:
    """Flying spaghetti in the plane, loaded end at 15 s."""
    model = cs.Model("flight")
    section = cs.Section(stiffness=[1e4, 1e4, 1e4, 100, 100, 100], mass=[1, 1, 1, 10, 10, 10])
    rod = model.add(cs.Beam("b", points=[(6, 0, 0), (0, 8, 0)], section=section, elements=elements))
    on = lambda t: np.where(t < 2.5, 1.0, 0.0)  # noqa: E731
    force, moment = lambda t: (8 * on(t), 0 * t, 0 * t), lambda t: (0 * t, 0 * t, -80 * on(t))
    model.add(cs.Wrench("load", rod.start, force=force, moment=moment))
    end = cs.simulate(model, 15.0, 2.5e-3).position("b.start").values[-1]
    return float(np.linalg.norm(end[:2] - (29.0633, 6.6088)))


CASES = [
    (princeton, (4, 8, 16)), (bend, (4, 8, 16)), (lee, (5, 10, 20)), (cantilever, (4, 8, 16)), (ring, (8, 16, 32)),
    (euler, (2, 4, 8)), (beck, (4, 8, 16)), (lateral, (4, 8, 16)), (flutter, (12, 24, 48)),
]  # fmt: skip
FLIGHT = (spaghetti, (40, 80, 160))


def errors(flight: bool) -> dict[str, dict[int, float]]:
    """Errors of all cases with the package of this process; not a number where a case cannot be run."""
    import cosserat as cs

    out: dict[str, dict[int, float]] = {}
    for case, meshes in [*CASES, *([FLIGHT] if flight else [])]:
        for elements in meshes:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    found = case(cs, elements)
                except Exception:
                    found = float("nan")
            out.setdefault(case.__name__, {})[elements] = found
    return out


def in_checkout(root: Path, flight: bool) -> dict[str, dict[str, float]]:
    """Errors of all cases in a checkout."""
    python = root / ".venv" / "bin" / "python"
    words = [str(python if python.exists() else sys.executable), __file__, "--print", *(["--flight"] if flight else [])]
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    done = subprocess.run(words, cwd=root, env=environment, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, nargs="?")
    parser.add_argument("--flight", action="store_true")
    parser.add_argument("--print", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.print:
        print(json.dumps(errors(given.flight)))
        return
    roots = [HERE, *([given.other.resolve()] if given.other else [])]
    found = [in_checkout(root, given.flight) for root in roots]
    print(f"{'':12s}{'elements':>9s}" + "".join(f"{name:>10s}" for name in ("here", "other")[: len(roots)]))
    for case, meshes in found[0].items():
        for elements in meshes:
            print(f"{case:12s}{elements:>9s}" + "".join(f"{table[case][elements]:10.1e}" for table in found))


if __name__ == "__main__":
    main()
