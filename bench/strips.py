"""Cost of unsteady strips: CPU time of a step of Goland's wing with and without them, interleaved minima.

Run: python bench/strips.py
"""

import numpy as np

import cosserat as cs

SPAN, CHORD, ELEMENTS, TURNS = 6.096, 1.8288, 40, 7


def wing(strips: bool) -> cs.Model:
    """The wing at 50 m/s, shaken at its tip."""
    model = cs.Model("wing", fluid=cs.Fluid(density=1.225, velocity=(-50.0, 0, 0)))
    stiffness, mass = [1e10, 1e10, 1e10, 0.99e6, 9.77e6, 1e10], [35.71, 35.71, 35.71, 8.64, 1e-3, 1e-3]
    section = cs.Section(stiffness=stiffness, mass=mass)
    points = [(0, 0, 0), (0, SPAN, 0)]
    beam = model.add(cs.Beam("wing", points=points, section=section, elements=ELEMENTS, up=(0, 0, 1)))
    model.add(cs.Fixed("root", cs.GROUND, beam.start))
    model.add(cs.Force("shaker", beam.end, ["0", "0", "100*sin(60*t)"]))
    if strips:
        model.add(cs.Strip("air", beam, cs.Airfoil(), chord=CHORD, axis=0.33))
    return model


def main() -> None:
    """Print the table."""
    best = {False: np.inf, True: np.inf}
    for _ in range(TURNS):
        for strips in best:
            stats = cs.simulate(wing(strips), 0.5, 0.001).stats
            best[strips] = min(best[strips], 1e6 * stats["solve_seconds"] / stats["steps"])
    print(f"{ELEMENTS} elements: {best[False]:.1f} us per step; with unsteady strips {best[True]:.1f} us")
    print(f"ratio {best[True] / best[False]:.2f}")


if __name__ == "__main__":
    main()
