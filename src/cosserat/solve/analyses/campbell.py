"""`campbell`: frequencies of a mechanism that turns, against the speed of rotation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from cosserat.calls import answered
from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.model import Model
from cosserat.model.parameters import Parameter
from cosserat.results.stability import Campbell, CriticalSpeed
from cosserat.solve.analyses.points import SteadyStates
from cosserat.solve.analyses.stability import checked_values, critical_of
from cosserat.solve.arguments import carrying, check_count, check_state
from cosserat.solve.linear.crossings import all_crossings, usual_neutral
from cosserat.solve.linear.spectra import Complex, Spectra, Spectrum, match
from cosserat.solve.motion.stopwatch import Stopwatch

_CONJUGATE = 1e-6  # distance of eigenvalues, relative to the largest, of pairs

@answered()
@carrying("about")
def campbell(
    model: Model,
    spins: Any,
    *,
    axis: Any = (0.0, 0.0, 1.0),
    center: Any = (0.0, 0.0, 0.0),
    n: int = 10,
    orders: Sequence[int] = (1, 2, 3),
    about: Any = None,
    time: float = 0.0,
    formulation: Any = None,
) -> Campbell:
    """Frequencies of a mechanism in steady rotation against its speed, and where multiples of the speed meet them.

    The whole mechanism turns, ground included, as on a turntable; frequencies are those that an observer who turns
    along sees. A load fixed in space excites such a mechanism with the multiples (orders) of the speed. For a rotor
    seen from outside, forward and backward whirl are these frequencies plus and minus the speed.

    Parameters
    ----------
    model : Model
    spins : array_like
        Speeds (rad/s), increasing or decreasing, at least two.
    axis, center : three numbers
        Direction of the axis, and a point on it.
    n : int
        Number of modes.
    orders : integers
        Multiples of the speed that are compared with the frequencies.
    about, time, formulation
        As for `stability`.

    Returns
    -------
    Campbell

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("oscillator")
    >>> body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    >>> rail = model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=cs.Parameter("k", 4.0)))
    >>> found = cs.campbell(model, [0.5, 1.0], n=1, orders=(1,))
    >>> found.frequencies.round(4).ravel().tolist()  # sqrt(4 - w^2) / (2 pi)
    [0.3082, 0.2757]
    """
    watch = Stopwatch()
    check_state("campbell", model, time, (0.0, 0.0, 1.0), center)
    grid, n = checked_values("campbell", "spin", spins), check_count(n, "campbell", meaning="how many modes")
    direction = checks.floats(axis)
    norm = float(np.linalg.norm(direction))
    if direction.shape != (3,) or not (np.isfinite(norm) and norm > 0.0):
        raise SolveError(f"campbell: axis={axis!r} has no direction; pass three numbers such as (0, 0, 1)")
    if not np.iterable(orders) or isinstance(orders, (str, bytes, Mapping)):
        raise SolveError(f"campbell: orders={orders!r}; pass positive integers, such as orders=(1, 2, 3)")
    for order in orders:
        if isinstance(order, bool) or not isinstance(order, (int, np.integer)) or order < 1:
            raise SolveError(f"campbell: order {order!r} is not a positive integer; pass such as orders=(1, 2, 3)")
    name = "spin"
    while name in model.parameters:
        name += "_"
    speed = Parameter(name, float(grid[0]))
    spin = [speed * float(x) for x in direction / norm]
    where = {"about": about, "time": time, "spin": spin, "center": center, "formulation": formulation}
    states = SteadyStates("campbell", model, [speed], [grid], **where)
    spectra = Spectra(states, 2 * n)
    with states.knobs.kept():
        row, (values, shapes, everything) = spectra.along("campbell", "spins", grid)
        whole, grid = len(row) == len(grid), grid[: len(row)]
        upper = np.nonzero(_one_of_each(values))[0][:n]
        values, shapes = values[:, upper], [x[:, upper] for x in shapes]
        unstable = all_crossings(spectra.at, everything, usual_neutral(spectra.at, everything)) if whole else []
        speeds = _critical_speeds(grid, values, shapes, orders, spectra.at) if whole else []
    return Campbell(
        model.name, grid, values, tuple(int(k) for k in orders), speeds, [critical_of(c) for c in unstable],
        watch.seconds,
    )


def _one_of_each(values: Complex) -> NDArray[np.bool_]:
    """Of conjugate pairs (value, mode) the one that begins with a positive imaginary part; of real ones every other.

    A whirl that passes frequency zero changes the sign of its imaginary part, and so does its conjugate: of columns
    one and the other are told by all of their values.
    """
    keep = np.zeros(values.shape[1], dtype=bool)
    real = np.nonzero(np.all(values.imag == 0.0, axis=0))[0]
    keep[real[::2]] = True
    left = [int(k) for k in np.nonzero(np.any(values.imag != 0.0, axis=0))[0]]
    size = np.maximum(np.max(np.abs(values), axis=1), 1e-300)
    while left:
        k = left.pop(0)
        apart = [float(np.max(np.abs(values[:, k].conj() - values[:, other]) / size)) for other in left]
        if not apart or min(apart) > _CONJUGATE:  # its partner is beyond those that were computed
            keep[k] = True
            continue
        other = left.pop(int(np.argmin(apart)))
        first = int(np.argmax(values[:, k].imag != 0.0))
        keep[k if values[first, k].imag > 0.0 else other] = True
    return keep


def _critical_speeds(
    grid: Array, values: Complex, shapes: list[Complex], orders: Sequence[int], evaluate: Callable[[float], Spectrum]
) -> list[CriticalSpeed]:
    found = []
    for order in orders:
        apart = np.abs(values.imag) - order * np.abs(grid)[:, None]
        for k in range(len(grid) - 1):
            for mode in np.nonzero((apart[k] != 0.0) & (apart[k] * apart[k + 1] <= 0.0))[0]:
                if values[k, mode].imag == 0.0 and values[k + 1, mode].imag == 0.0:
                    continue  # both at rest at zero speed
                ends = (grid[k], apart[k, mode]), (grid[k + 1], apart[k + 1, mode])
                speed = _meet(order, ends, (values[k, mode], shapes[k][:, [mode]]), evaluate)
                found.append(CriticalSpeed(speed, int(order), order * abs(speed) / (2.0 * np.pi), int(mode)))
    return sorted(found, key=lambda c: c.spin)


def _meet(
    order: int,
    ends: tuple[tuple[float, float], tuple[float, float]],
    known: tuple[complex, Complex],
    evaluate: Callable[[float], Spectrum],
) -> float:
    """Speed at which a mode has the frequency of an order."""
    value, shape, apart = np.array([known[0]]), known[1], dict(ends)

    def beyond(speed: float) -> float:
        if speed not in apart:
            (found, _), _ = match(value, shape, evaluate(speed))
            apart[speed] = abs(float(found[0].imag)) - order * abs(speed)
        return apart[speed]

    (a, _), (b, _) = ends
    return float(brentq(beyond, a, b, xtol=1e-13 * max(abs(a), abs(b)), rtol=1e-14))
