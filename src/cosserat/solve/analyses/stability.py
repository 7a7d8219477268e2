"""`stability`: eigenvalues along a parameter, and where the equilibrium diverges or flutters."""

from __future__ import annotations

from typing import Any

import numpy as np

from cosserat.calls import answered
from cosserat.errors import SolveError, shown
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.model import Model
from cosserat.model.parameters import Parameter
from cosserat.results.stability import DIVERGENCE, FLUTTER, Critical, Stability
from cosserat.solve.analyses.points import SteadyStates
from cosserat.solve.arguments import carrying, check_count
from cosserat.solve.linear.crossings import EigenCrossing, all_crossings, settle, usual_neutral
from cosserat.solve.linear.spectra import Spectra
from cosserat.solve.motion.stopwatch import Stopwatch


@answered()
@carrying("about")
def stability(
    model: Model,
    parameter: Any,
    values: Any,
    *,
    n: int = 10,
    about: Any = None,
    time: float = 0.0,
    spin: Any = None,
    center: Any = (0.0, 0.0, 0.0),
    formulation: Any = None,
) -> Any:
    """Follow the eigenvalues of a mechanism along a parameter, and find where it diverges or flutters.

    At every value the equilibrium (or steady rotation) is found anew from the one before, the exact linear equations
    of motion about it are set up, and the eigenvalues nearest zero are computed. Where their number with a positive
    real part changes, the critical value is bracketed and refined, to nine digits where the curves are smooth.

    Parameters
    ----------
    model : Model
    parameter : str or Parameter
        What is varied: a `Parameter` that occurs in the model, or in `spin` or `center`. Two of them, with two lists of
        values, give a map: see `stability_map`.
    values : array_like
        Increasing or decreasing, at least two. The grid must be fine enough that no mode loses and regains stability
        between two values.
    n : int
        Number of modes that are followed, those of lowest frequency. What clearly grows beyond them, in waves that the
        mesh resolves, is found, too.
    about : None, "reference", Equilibrium or "motion"
        On which equilibrium to start at the first value: the reference configuration if it is in balance, else the one
        that `equilibrium` finds; or one given. "motion": at every value the steady motion that the initial velocities
        describe, in which the parameter may be.
    time : float
        Time at which loads and prescribed motions are taken (s).
    spin, center : three numbers
        Steady rotation as for `equilibrium`; may contain Parameters. Eigenvalues are those seen by an observer who
        turns along.
    formulation : "galilean", "floating" or Floating, optional
        As for `equilibrium`.

    Returns
    -------
    Stability
        ``.critical[0]`` is the first change of stability, with ``.value``, ``.kind`` and ``.frequency``.

    Examples
    --------
    Two bars on hinges with springs, pushed by a force that follows the second one (Ziegler's pendulum):

    >>> import cosserat as cs
    >>> model, P = cs.Model("rocket"), cs.Parameter("P", 0.0)
    >>> for i in range(2):
    ...     ends = [(i, 0, 0), (i + 1, 0, 0)]
    ...     bar = model.add(cs.RigidBody.bar(f"bar{i}", *ends, mass=1))
    ...     parent = cs.GROUND if i == 0 else model["bar0"].at((1, 0, 0))
    ...     hinge = model.add(cs.Revolute(f"hinge{i}", parent, bar.at(ends[0]), axis=(0, 0, 1), stiffness=1.0))
    >>> thrust = model.add(cs.Force("thrust", bar.at((2, 0, 0)), (-P, 0, 0), follower=True))
    >>> print(cs.stability(model, "P", [0, 1, 2, 3, 4]).critical[0])
    flutter at 2.5416995, 0.239674 Hz
    """
    where: dict[str, Any] = {
        "about": about, "time": time, "spin": spin, "center": center, "formulation": formulation
    }  # fmt: skip
    if isinstance(parameter, (tuple, list)):
        from cosserat.solve.analyses.stability_map import stability_map

        if len(parameter) != 2 or not isinstance(values, (tuple, list, np.ndarray)) or len(values) != 2:
            raise SolveError(
                "stability: pass one parameter with its values, or two parameters with two lists of values"
            )
        for item in parameter:
            if not isinstance(item, (str, Parameter)):
                raise SolveError(f"stability: {shown(item)} is not a parameter; pass its name, such as 'P'")
        return stability_map(model, dict(zip(parameter, values, strict=True)), n=n, **where)
    watch = Stopwatch()
    grid = checked_values("stability", getattr(parameter, "name", parameter), values)
    n = check_count(n, "stability", meaning="how many modes")
    states = SteadyStates("stability", model, [parameter], [grid], **where)
    spectra, (name,) = Spectra(states, 2 * n), states.knobs.names
    with states.knobs.kept():
        row, (eigenvalues, _, everything) = spectra.along("stability", f"values of {name}", grid)
        whole, grid = len(row) == len(grid), grid[: len(row)]
        usual = usual_neutral(spectra.at, everything)
        found = all_crossings(spectra.at, everything, usual) if whole else []
    stats = {"equilibria": spectra.count, **watch.seconds}
    stable = np.array([settle(s, usual).n_growing == 0 for s in row])
    return Stability(model.name, name, grid, eigenvalues, [critical_of(c) for c in found], stable, stats)


def critical_of(crossing: EigenCrossing) -> Critical:
    """A crossing in the words of a user."""
    kind = FLUTTER if crossing.flutter else DIVERGENCE
    return Critical(crossing.value, kind, crossing.eigenvalue, crossing.loss, crossing.count)


def checked_values(caller: str, name: Any, values: Any) -> Array:
    """Values of a parameter as an array, or an error that says what is wrong with them."""
    grid = checks.floats(values).copy()
    if grid.ndim != 1 or len(grid) < 2:
        raise SolveError(
            f"{caller}: values of {shown(name)} must be two numbers or more, such as np.linspace(0, 10, 101); got "
            f"{shown(values)}"
        )
    if not np.all(np.isfinite(grid)):
        k = int(np.argmin(np.isfinite(grid)))
        raise SolveError(f"{caller}: value number {k + 1} of {name!r} is {grid[k]}; all must be finite")
    steps = np.diff(grid) * np.sign(grid[-1] - grid[0])
    if not np.all(steps > 0.0):
        k = int(np.argmin(steps > 0.0))
        raise SolveError(
            f"{caller}: values of {name!r} must go one way; after {grid[k]:g} comes {grid[k + 1]:g}. Sort them, and "
            "leave out repetitions"
        )
    return grid
