"""`trim`: parameters for which a wanted state is in balance.

Values that the state must have are coordinates of joints and components of positions, with exact gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array, csc_matrix
from scipy.sparse.linalg import splu

from cosserat.calls import answered
from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.model.parameters import is_number, resolve
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.joints import coordinates
from cosserat.results.kinematics import place_frames
from cosserat.results.mechanism import Mechanism
from cosserat.results.trim import Trim
from cosserat.solve.analyses.equilibrium import equilibrium
from cosserat.solve.analyses.flight import growth_of, trim_flight
from cosserat.solve.analyses.formulations import Formulation, formulation_of
from cosserat.solve.analyses.points import point_at
from cosserat.solve.arguments import check_flag, check_number, check_start, check_state
from cosserat.solve.balance.knobs import Knobs, named, told
from cosserat.solve.balance.meeting import meet
from cosserat.solve.balance.parametric import Parametric
from cosserat.solve.balance.standing import equal_states
from cosserat.solve.gradients import nearest_motion
from cosserat.solve.linear.point import OperatingPoint, joint_jacobian, place_jacobian, still_motion
from cosserat.solve.linear.quadratic import eigenpairs

_SETTLED = 1e-13  # last change of parameters that balance a whole configuration, of their size
_LEAST = 1e-3  # typical change of a parameter that is zero
_ALL_EIGENVALUES = 60  # freedoms up to which all eigenvalues are computed
_SOME_EIGENVALUES = 24


@answered()
def trim(
    model: Model,
    unknowns: Any,
    *,
    hold: Any = None,
    targets: Mapping[Any, float] | None = None,
    require_stable: bool = False,
    start: Equilibrium | None = None,
    time: float = 0.0,
    tolerance: float = 1e-10,
    spin: Any = None,
    center: Any = (0.0, 0.0, 0.0),
    formulation: Any = None,
    flight: Any = None,
    limits: Mapping[str, Any] | None = None,
) -> Trim:
    """Find parameters (thrusts, torques, angles, stiffnesses) for which a wanted state is in equilibrium.

    Either a whole configuration is held and parameters are sought that balance it, or some coordinates and positions
    are given as targets and the rest of the mechanism (elastic deformation, free joints) finds its place with them.
    Tangents with respect to the configuration are exact; those with respect to the parameters are central differences
    of the residual, exact where they enter linearly. The model keeps its parameters.

    Parameters
    ----------
    model : Model
    unknowns : names of parameters, or a dict with first guesses
        ``["T1", "T2"]`` starts from their present values.
    hold : "reference", Equilibrium or dict
        Configuration to balance: the reference configuration (the default without targets), that of an equilibrium
        found under other loads, or coordinates of joints, ``{"hinge": 0.3}``, which is the same as targets.
    targets : dict
        Wanted coordinates of joints, ``"hinge"`` or ``"joint.freedom"``, and components of positions,
        ``("arm.end", "z")`` (m, rad). With as many targets as unknowns all are met; with fewer, the change of the
        unknowns is the smallest possible (in the sum of squares, each in its own unit); with more, the targets are met
        in the least-squares sense.
    require_stable : bool
        Raise an error if small motions about the trimmed state grow.
    start : Equilibrium, optional
        Where to start with targets; otherwise the equilibrium at the first guesses, or the reference configuration.
    time, spin, center
        As for `equilibrium`.
    tolerance : float
        Accepted last correction of positions, relative to the extent of the mechanism.
    formulation : "galilean", "floating" or Floating, optional
        As for `equilibrium`.
    flight : Flight, optional
        A steady flight (level, climb, glide, turn, hover) instead of a configuration: attitude and shape are found with
        the unknowns, which are parameters and inputs of loads, ``"motor.throttle"``. The result is a `FlightTrim`.
    limits : dict
        Of the unknowns in a flight, ``{"elevator": (-0.4, 0.4)}``: one that would leave them stays there.

    Returns
    -------
    Trim

    Raises
    ------
    SolveError
        If the state cannot be balanced (the message says what is left), or with `require_stable` is unstable.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -9.81))
    >>> rod = model.add(cs.RigidBody.bar("rod", start=(0, 0, 0), end=(1, 0, 0), mass=2.0))
    >>> T = cs.Parameter("T", 0.0)
    >>> _ = model.add(cs.Revolute("hinge", cs.GROUND, rod.at((0, 0, 0)), axis=(0, 1, 0), effort=T))
    >>> round(cs.trim(model, ["T"]).parameters["T"], 9)  # -2 kg * 9.81 m/s^2 * 0.5 m
    -9.81
    """
    check_state("trim", model, time, spin, center)
    check_number(tolerance, "trim", "tolerance", "the accepted last correction, such as 1e-10", positive=True)
    if flight is not None:
        others = {"hold": hold, "targets": targets, "start": start, "spin": spin}
        if any(value is not None for value in others.values()):
            raise SolveError(f"trim: flight= is a motion of its own; leave out {', '.join(others)}")
        frames = formulation_of(formulation, model, "trim")
        flown = trim_flight(model, unknowns, flight, limits, time, tolerance, frames)
        return _demand_stable(flown) if require_stable else flown
    if limits is not None:
        raise SolveError("trim: limits= belong to flight=, a steady flight")
    check_flag(require_stable, "trim", "require_stable")
    check_start(start, "trim")
    names, guesses = named(unknowns, "names of parameters, such as ['T1', 'T2']")
    knobs = Knobs(model, names, spin, center, "trim")
    if not knobs.names:
        raise SolveError("trim: no unknowns; name at least one parameter, such as ['T1', 'T2']")
    wanted, held = _wanted(hold, targets)
    frames = formulation_of(formulation, model, "trim")
    with knobs.kept():
        knobs.turn(guesses)
        knobs.check()
        if wanted:
            found, residual = _meet(knobs, wanted, start, time, tolerance, frames)
        else:
            found, residual = _hold(knobs, held, time, frames)
        values = knobs.values
        eigenvalues, shapes = _eigenvalues(point_at(model, found, caller="trim", formulation=frames.floating))
        equal = np.zeros(len(eigenvalues), dtype=bool)
        if spin is not None and len(eigenvalues):
            statics = frames.balance(model, time, found, knobs.spin, knobs.center, "trim")
            statics.load(np.array([time], dtype=float))
            statics.residual()
            equal = equal_states(statics, shapes)
    size = np.abs(eigenvalues)
    zero = (size <= 1e-9 * np.max(size, initial=0.0)) | equal
    result = Trim(values, found, residual, eigenvalues, *growth_of(eigenvalues, zero))
    return _demand_stable(result) if require_stable else result


def _demand_stable(result: Trim) -> Trim:
    """Raise an error if small motions about the trimmed state grow."""
    if not result.stable:
        raise SolveError(
            f"trim: the state balanced by {told(result.parameters)} is {result.verdict}; add damping, stiffness or "
            "control, or pass require_stable=False to have it anyway"
        )
    return result


def _wanted(hold: Any, targets: Mapping[Any, float] | None) -> tuple[dict[Any, float], Any]:
    """Targets, or else the configuration to hold: an Equilibrium, or None for the reference."""
    if targets is not None and not isinstance(targets, Mapping):
        raise SolveError(f"trim: targets {targets!r}; pass a dict such as {{'hinge': 0.3, ('arm.end', 'z'): 0.5}}")
    wanted = dict(targets or {})
    if isinstance(hold, Mapping):
        return wanted | dict(hold), None
    known = isinstance(hold, Equilibrium) or (isinstance(hold, str) and hold == "reference")
    if hold is not None and not known:
        raise SolveError(f"trim: hold={hold!r}; pass 'reference', an Equilibrium or a dict of joint coordinates")
    if wanted and hold is not None:
        raise SolveError("trim: a whole configuration to hold and targets cannot both be met; pass one of them")
    return wanted, hold if isinstance(hold, Equilibrium) else None


def _hold(knobs: Knobs, held: Equilibrium | None, time: float, frames: Formulation) -> tuple[Equilibrium, float]:
    """Parameters that balance a whole configuration, in the least-squares sense of forces (moments over a length)."""
    balance = frames.parametric(knobs, held, time, knobs.spans(_LEAST))
    statics = balance.statics
    n, weight = statics.n_motions, 1.0 / statics.metric()
    phi = statics.constraints().multiply(weight).tocsc()
    nearest = nearest_motion(phi)

    def unbalanced(force: Array) -> tuple[Array, Array]:
        """What reactions cannot balance, and the reactions."""
        rest, multipliers = nearest(weight * force[:n], np.zeros(phi.shape[0]))
        return rest, -multipliers

    configuration, force, angles = statics.state()
    statics.put((configuration, np.zeros_like(force), angles))
    scales = np.array(list(knobs.spans(_LEAST).values()))

    def correction(names: list[str], rhs: Array) -> Array:
        rest, _ = unbalanced(-rhs)
        columns = np.array([unbalanced(balance.derivative(name))[0] for name in names]).T * scales
        change, *_ = np.linalg.lstsq(columns, -rest, rcond=1e-12)
        return np.concatenate((np.zeros(statics.n_unknowns), scales * change))

    meet(balance, correction, lambda _: 1.0, _SETTLED, {})
    for _ in range(2):  # once more, to remove what rounding left
        _, reactions = unbalanced(-statics.residual())
        statics.react(reactions)
    statics.residual()
    worst, text = statics.imbalance()
    rest, _ = unbalanced(-statics.residual())
    if worst > 1.0:
        raise SolveError(
            f"trim: no values of {', '.join(map(repr, knobs.names))} balance the configuration: at the best ones, "
            f"{knobs.told}, {text}; name more unknowns, or give targets and let the rest of the mechanism move"
        )
    return balance.found(), float(np.max(np.abs(rest), initial=0.0))


def _meet(
    knobs: Knobs,
    wanted: dict[Any, float],
    start: Equilibrium | None,
    time: float,
    tolerance: float,
    frames: Formulation,
) -> tuple[Equilibrium, float]:
    """Configuration and parameters together, by Newton's method on balance and targets."""
    if start is None:
        first = equilibrium(knobs.model, time=time, spin=knobs.spin, center=knobs.center, formulation=frames.floating)
        start = first if first.status.ok else None
    balance = frames.parametric(knobs, start, time, knobs.spans(_LEAST))
    statics = balance.statics
    targets, began = read_targets(statics.still().mechanism, wanted), knobs.vector

    def reach(step: Array) -> float:
        return 0.3 * max(statics.extent, _missing(balance, targets)) / max(statics.size_of(step), 1e-300)

    if meet(balance, lambda _, rhs: _correction(balance, targets, rhs, began), reach, tolerance, {})[0]:
        return balance.found(), _missing(balance, targets)
    listed = ", ".join(f"{t.name} = {t.wanted:g}" for t in targets)
    raise SolveError(
        f"trim: no equilibrium with {listed} was found by varying {', '.join(map(repr, knobs.names))}; check that they "
        "can reach the targets, or pass first guesses, unknowns={'T': 1.0}, or start= an Equilibrium near by"
    )


def _missing(balance: Parametric, targets: list[Target]) -> float:
    """Largest distance from a target."""
    point = balance.statics.still().still
    return max(abs(t.value(point) - t.wanted) for t in targets)


def _correction(balance: Parametric, targets: list[Target], rhs: Array, first: Array) -> Array:
    """Newton correction of configuration, multipliers and parameters.

    Of more parameters than targets, those are found that are nearest to the first ones, not to the last.
    """
    statics, point = balance.statics, balance.statics.still()
    names = balance.knobs.names
    scales, columns = balance.columns(names)
    rows = np.zeros((len(targets), rhs.size))
    for row, target in zip(rows, targets, strict=True):
        row[: statics.n_motions] = point.carried(target.gradient(point.still))
    missing = np.array([target.wanted - target.value(point.still) for target in targets])
    tangent = statics.matrix()
    try:
        if len(targets) == len(names):
            system = block_array([[tangent, csc_matrix(columns)], [csc_matrix(rows), None]], format="csc")
            out = splu(system).solve(np.concatenate((rhs, missing)))
            return np.concatenate((out[: rhs.size], scales * out[rhs.size :]))
        lu = splu(tangent)
    except RuntimeError:
        return np.full(rhs.size + len(names), np.nan)
    own, by_parameter = lu.solve(rhs), lu.solve(columns)
    slopes, wanted = rows @ -by_parameter, missing - rows @ own
    if len(targets) < len(names):
        moved = balance.knobs.vector - first
        change = _nearest(slopes / scales, wanted + slopes @ (moved / scales)) - moved
        return np.concatenate((own - by_parameter @ (change / scales), change))
    change, *_ = np.linalg.lstsq(slopes, wanted, rcond=1e-12)
    return np.concatenate((own - by_parameter @ change, scales * change))


def _nearest(slopes: Array, wanted: Array) -> Array:
    """The least change with slopes change = wanted."""
    size = np.max(np.abs(slopes), axis=1, keepdims=True)
    size[size == 0.0] = 1.0
    change, *_ = np.linalg.lstsq(slopes / size, wanted / size[:, 0], rcond=1e-12)
    return np.asarray(change)


def _eigenvalues(point: Any) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """Eigenvalues of small motions and their shapes."""
    matrices = point.matrices()
    n_free = matrices.mass.shape[0] - matrices.constraints.shape[0]
    n = 2 * n_free if n_free <= _ALL_EIGENVALUES else _SOME_EIGENVALUES
    if not n_free:
        return np.zeros(0, dtype=complex), np.zeros((matrices.mass.shape[0], 0), dtype=complex)
    return eigenpairs(matrices, n, beyond=())


@dataclass(frozen=True)
class Target:
    """One number that a state must have; `value` and `gradient` (6n,) are functions of a point."""

    name: str
    wanted: float
    value: Callable[[OperatingPoint], float]
    gradient: Callable[[OperatingPoint], Array]


def read_targets(mechanism: Mechanism, given: Mapping[Any, Any]) -> list[Target]:
    """Targets from ``{"joint": value, "joint.freedom": value, ("place", "x"): value}``."""
    targets = []
    for key, wanted in given.items():
        if not is_number(wanted) or not np.isfinite(resolve(wanted)):
            raise SolveError(f"trim: the target of {key!r} is {wanted!r}; pass a finite number")
        if isinstance(key, tuple):
            if len(key) != 2 or key[1] not in ("x", "y", "z"):
                raise SolveError(f"trim: target {key!r}; of a place, pass (place, 'x'), (place, 'y') or (place, 'z')")
            targets.append(_position(mechanism, key[0], "xyz".index(key[1]), float(wanted)))
        else:
            targets.append(_coordinate(mechanism, key, float(wanted)))
    return targets


def _position(mechanism: Mechanism, place: Any, axis: int, wanted: float) -> Target:
    station, label = mechanism.station(place)
    return Target(
        f"{label} {'xyz'[axis]}",
        wanted,
        lambda point: float(place_frames(still_motion(point), station)[1][-1, axis]),
        lambda point: place_jacobian(point, station)[axis],
    )


def _coordinate(mechanism: Mechanism, key: Any, wanted: float) -> Target:
    joint, pick = mechanism.joint(key)
    if pick is None and len(joint.names) != 1:
        names = ", ".join(repr(f"{joint.name}.{n}") for n in joint.names) or "none: it is fixed"
        raise SolveError(f"trim: joint {joint.name!r} has {len(joint.names)} coordinates; name one of them: {names}")
    i = pick or 0
    if joint.driven[i]:
        raise SolveError(f"trim: the coordinate of joint {joint.name!r} is prescribed already; leave out its target")
    return Target(
        str(getattr(key, "name", key)),
        wanted,
        lambda point: float(coordinates(still_motion(point), joint)[-1, i]),
        lambda point: joint_jacobian(still_motion(point), joint)[i],
    )
