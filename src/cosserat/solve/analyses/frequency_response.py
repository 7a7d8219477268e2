"""`frequency_response`: steady vibration of outputs under harmonic inputs.

Direct: for each frequency the bordered system (s^2 M + s D + K) x + Phi^T lambda = f u, Phi x = d u at s = 2 pi i f.
Modal: x = S u + X q with the static response S and the lowest modes X, so that what the modes leave out answers
statically; the last step solves the balance of forces with that motion (mode acceleration), which gives reactions too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.calls import answered
from cosserat.errors import SolveError, shown
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.model import Model
from cosserat.results.linear import POSITION
from cosserat.results.response import Response
from cosserat.solve.analyses.linearize import following, project
from cosserat.solve.analyses.modes import quiet_point
from cosserat.solve.arguments import carrying, check_choice, check_count
from cosserat.solve.interrupts import finished
from cosserat.solve.linear.eigen import symmetric_modes
from cosserat.solve.linear.inverse import Bordered
from cosserat.solve.linear.matrices import Matrices
from cosserat.solve.linear.ports import InputPorts, OutputPorts, input_ports, output_ports
from cosserat.solve.linear.scaling import without_units

Complex = NDArray[np.complex128]

_CALLER = "frequency_response"
_METHODS = ("direct", "modal")
_FASTEST = 1e100  # Hz: squares of more are beyond the range of numbers
_SINGULAR = 1e-13  # of the square of the rate: less resists a mode by rounding alone


@answered()
@carrying("about")
def frequency_response(
    model: Model,
    inputs: Any,
    outputs: Any,
    frequencies: Any,
    *,
    method: str = "direct",
    n: int = 20,
    about: Any = None,
    time: float = 0.0,
    spin: Any = None,
    center: Any = (0.0, 0.0, 0.0),
    formulation: Any = None,
) -> Response:
    """Steady vibration of outputs under inputs that oscillate, per unit of input.

    Parameters
    ----------
    model : Model
    inputs, outputs : names or objects, or lists of them
        As for `linearize`: joint efforts, prescribed motions, loads, new forces at places such as ``"arm.end.fz"``;
        positions, rotations, joint coordinates, section forces, reactions.
    frequencies : sequence of numbers
        (Hz).
    method : "direct" or "modal"
        Modal is cheaper for many frequencies; what lies above the n modes answers statically.
    n : int
        Number of modes of the modal method.
    about, time, spin, center, formulation
        The state, as for `modes`.

    Returns
    -------
    Response

    Raises
    ------
    SolveError
        If a frequency is that of a mode which nothing damps, so that no steady vibration exists.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("oscillator", gravity=(0, 0, 0))
    >>> body = model.add(cs.RigidBody("body", mass=2.0, com=(1, 0, 0), inertia=[1, 1, 1]))
    >>> rail = cs.Prismatic("rail", cs.GROUND, "body", axis=(1, 0, 0), at=(1, 0, 0), stiffness=800.0, damping=4.0)
    >>> _ = model.add(rail)
    >>> response = cs.frequency_response(model, "rail", "body.x", [0.0, 20 / (2 * np.pi)])
    >>> response.gain().round(6)  # 1 / 800 at rest, 1 / (20 * 4) at resonance
    array([0.00125, 0.0125 ])
    """
    check_choice(method, _CALLER, "method", _METHODS)
    n = check_count(n, _CALLER)
    values = _frequencies(frequencies)
    point = quiet_point(model, about, time=time, spin=spin, center=center, caller=_CALLER, formulation=formulation)
    sources = input_ports(point, inputs, _CALLER)
    sinks = output_ports(point, outputs, sources, _CALLER)
    for ports, word in ((sources.names, "inputs"), (sinks.names, "outputs")):
        if not ports:
            raise SolveError(f"{_CALLER}: no {word} are given; name at least one")
    matrices = point.matrices()
    s = np.asarray(2j * np.pi * values, dtype=np.complex128)
    if point.turning or matrices.inner is not None:
        basis = point.basis(matrices)
        linear = project(point, matrices, sources, sinks, basis, following(point, matrices, basis, sources), POSITION)
        result = np.array(finished(_CALLER, "frequencies", s.tolist(), linear.response))
    elif method == "direct":
        result = _direct(matrices, sources, sinks, s)
    else:
        if not point.is_symmetric(matrices):
            raise SolveError(
                f"{_CALLER}: the stiffness is not symmetric (follower loads or spin), so modes do not decouple it; "
                "pass method='direct'"
            )
        result = _modal(matrices, sources, sinks, s, n)
    units, values = (sinks.units, tuple(column.unit for column in sources.columns)), values[: len(result)]
    return Response(model.name, values, sinks.names, sources.names, result, method, units)


def _frequencies(values: Any) -> Array:
    out = np.atleast_1d(checks.floats(values))
    if out.ndim != 1 or out.size == 0 or not np.all((out >= 0.0) & (out < _FASTEST)):
        raise SolveError(
            f"{_CALLER}: frequencies={shown(values)} cannot be used; pass finite numbers in Hz, none negative and all "
            f"below {_FASTEST:g}, such as np.linspace(1, 100, 400)"
        )
    return out


class _Dynamic:
    """Solves (s2 M + s D + K) x + Phi^T lambda = f, Phi x = g for the motion and the multipliers."""

    def __init__(self, matrices: Matrices) -> None:
        self.matrices, self.units = without_units(matrices)

    def at(self, s2: complex, s: complex = 0.0) -> _Dynamic:
        """With factors for one frequency; RuntimeError if it is that of a motion which nothing resists."""
        rate = self.units.rate
        self.factors = Bordered(self.matrices, s2 / rate**2, s / rate)
        return self

    def solve(self, force: NDArray[Any], drive: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        u = self.units
        stiffness = u.inertia * u.rate**2
        x, multipliers = self.factors.both(u.motion[:, None] * force / stiffness, drive / u.rows[:, None])
        return u.motion[:, None] * x, stiffness * multipliers / u.rows[:, None]

    def resists(self, x: NDArray[Any], square: float) -> bool:
        """Whether more than rounding resists vibrations x (n, k) whose rate has this square.

        What resists them, per mass, is how much they shrink in a solution for their own inertia.
        """
        x, M = x / self.units.motion[:, None], self.matrices.mass
        again, _ = self.factors.both(M @ x, np.zeros((self.matrices.constraints.shape[0], x.shape[1]), dtype=complex))
        before, after = (np.einsum("ik,ik->k", y.conj(), M @ y).real for y in (x, again))
        return bool(np.all(before >= (_SINGULAR * square / self.units.rate**2) ** 2 * after))


def _direct(matrices: Matrices, sources: InputPorts, sinks: OutputPorts, s: Complex) -> Complex:
    unit, dynamic = np.eye(len(sources.names)), _Dynamic(matrices)

    def at(value: complex) -> Complex:
        try:
            solver = dynamic.at(value**2, value)
        except RuntimeError:
            raise _unbounded(value) from None
        x, multipliers = solver.solve(sources.force.astype(complex), sources.drive.astype(complex))
        if not solver.resists(x, abs(value) ** 2):
            raise _unbounded(value)
        return np.asarray(sinks.at(value, x, multipliers, unit), dtype=complex)

    return _over(s, at)


def _over(s: Complex, at: Callable[[complex], Complex]) -> Complex:
    """Responses one after another, each of them finite."""

    def checked(value: complex) -> Complex:
        out = at(value)
        if not np.all(np.isfinite(out)):
            raise _unbounded(value)
        return out

    return np.array(finished(_CALLER, "frequencies", s.tolist(), checked), dtype=complex)


def _modal(matrices: Matrices, sources: InputPorts, sinks: OutputPorts, s: Complex, n: int) -> Complex:
    M, D, K = matrices.mass, matrices.damping, matrices.stiffness
    found = symmetric_modes(matrices, n)
    X, elastic = found.shapes, found.squares[found.squares > 0.0]
    # free motions have no static response: balance them by inertia at the rate of the first mode
    shift = 0.0 if np.all(found.squares != 0.0) else -float(elastic[0] if elastic.size else 1.0)
    static = _Dynamic(matrices).at(-shift)
    S, multipliers = static.solve(sources.force, sources.drive)
    basis = np.hstack((S, X))
    zero = np.zeros((matrices.constraints.shape[0], basis.shape[1]))
    heavy, heavy_multipliers = static.solve(M @ basis, zero)
    slow, slow_multipliers = static.solve(D @ basis, zero)
    reduced = [X.T @ (A @ basis) for A in (M, D, K)]
    k_in = S.shape[1]
    unit = np.eye(k_in)

    def at(value: complex) -> Complex:
        P = value**2 * reduced[0] + value * reduced[1] + reduced[2]
        least = np.linalg.norm(P[:, k_in:], -2) if X.shape[1] else 1.0  # of modes of unit mass
        if least <= _SINGULAR * max(abs(value) ** 2, abs(shift)):
            raise _unbounded(value)
        q = np.linalg.solve(P[:, k_in:], X.T @ sources.force - P[:, :k_in])
        weights = np.vstack((unit, q))
        inertia = value**2 + shift
        x = S - (inertia * heavy + value * slow) @ weights
        reactions = multipliers - (inertia * heavy_multipliers + value * slow_multipliers) @ weights
        return np.asarray(sinks.at(value, x, reactions, unit), dtype=complex)

    return _over(s, at)


def _unbounded(s: complex) -> SolveError:
    frequency = abs(s) / (2.0 * np.pi)
    why = "can move freely" if frequency == 0.0 else "has a mode that nothing damps"
    return SolveError(
        f"{_CALLER}: at {frequency:g} Hz the mechanism {why}, so its response is unbounded; leave this frequency out"
        + ("" if frequency == 0.0 else " or add damping")
    )
