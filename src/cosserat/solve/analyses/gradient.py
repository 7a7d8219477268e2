"""`gradient`: derivatives of what a run ends with, by a transposed sweep over its time steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cosserat.calls import answered
from cosserat.errors import SolveError, shown
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.model import Model
from cosserat.model.parameters import Parameter
from cosserat.results.run import Run
from cosserat.solve.arguments import check_known, check_model, check_number, check_rho, check_span
from cosserat.solve.formulation import formulation_of_run
from cosserat.solve.linear.input_columns import CENTRAL
from cosserat.solve.sweeps.nodal_run import NodalRun
from cosserat.solve.sweeps.protocol import Setting, backward_sweep
from cosserat.solve.sweeps.tree_run import TreeRun
from cosserat.solve.sweeps.variants import VariedRun

_INTEGRATORS = {
    "galilean": ("generalized-alpha", "energy-momentum"), "floating": ("generalized-alpha", "runge-kutta")
}  # fmt: skip
_UNMOVED = 1e-9  # of the objective: what accelerations and reactions may change in it

START = "start"


@dataclass(frozen=True)
class Gradient:
    """Derivatives of an objective.

    Attributes
    ----------
    value : float
        The objective itself.
    parameters : dict of float
        By parameters of the model.
    start : dict of (k, 2), optional
        By the state at the start. In the Galilean formulation for every body (6, 2), and beam (6 nodes, 2): by small
        displacements and turns along the body's own axes, and by its twist, first velocity, then angular velocity. In
        floating frames for every coordinate (1, 2): by itself and by its rate. Where joints hold bodies, only sums
        along motions that they allow have a meaning.
    controls : (n_steps, k), optional
        By the values of inputs at the ends of the time steps, in which they act.
    control_names : tuple of str
    time : (n_steps,)
        Ends of the time steps.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("fall", gravity=(0, 0, cs.Parameter("g", -9.81)))
    >>> stone = model.add(cs.RigidBody.sphere("stone", diameter=0.1, mass=2.0))
    >>> found = cs.gradient(model, lambda end: end.velocity("stone")[-1, 2], "g", duration=0.5, step=0.1)
    >>> isinstance(found, cs.Gradient), {name: round(value, 9) for name, value in found.parameters.items()}
    (True, {'g': 0.5})
    """

    value: float
    parameters: dict[str, float]
    start: dict[str, Array] | None = None
    controls: Array | None = None
    control_names: tuple[str, ...] = ()
    time: Array = field(default_factory=lambda: np.zeros(0))

    def __repr__(self) -> str:
        found = [f"d/d{name} = {value:.6g}" for name, value in self.parameters.items()]
        found += ["start"] * (self.start is not None)
        found += [f"{name} at {len(self.time)} times" for name in self.control_names]
        return f"<Gradient of {self.value:.9g}: {', '.join(found)}>"


@answered()
def gradient(
    model: Model,
    objective: Callable[[Run], float],
    wrt: Any,
    duration: float,
    step: float | None = None,
    *,
    controls: Any = (),
    formulation: Any = "galilean",
    integrator: str = "generalized-alpha",
    rho: float = 0.9,
    start_time: float = 0.0,
    tolerance: float = 1e-4,
    newton_tolerance: float = 1e-12,
    modes: Any = None,
    boundary: Any = None,
    stiffening: bool = True,
) -> Gradient:
    """Derivatives of what a simulation ends with, by parameters, the state at the start and controls.

    The run is that of `simulate` with the same arguments. Its time steps are linearised one by one and swept backwards,
    so that the cost does not depend on how many derivatives are asked for. They are the derivatives of the computed
    result, its numerical error included, with the time steps as they were: where steps adapt, a changed model would be
    run with the same steps. See `docs/gradients.md` for what is followed.

    Parameters
    ----------
    model : Model
    objective : callable
        Of a `Run` of one moment, the last; gives a number. It may ask for positions and velocities, not for
        accelerations and reactions, and not for work and dissipated energy, which add up over the run.
    wrt : str, Parameter, or a list of these
        Parameters of the model; the word "start" stands for the state at the start.
    duration, step, formulation, integrator, rho, start_time, tolerance, newton_tolerance, modes, boundary, \
    stiffening : optional
        As for `simulate`.
    controls : str or list, optional
        Inputs by the names that `linearize` has for them: efforts in joints, targets of servos, loads, forces at
        places.

    Returns
    -------
    Gradient

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("throw", gravity=(0, 0, cs.Parameter("g", -9.81)))
    >>> ball = model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0, velocity=(cs.Parameter("vx", 3.0), 0, 4)))
    >>> found = cs.gradient(model, lambda end: end.position("ball")[-1, 0], ["vx", "g"], duration=0.5, step=0.01)
    >>> round(found.value, 9), round(found.parameters["vx"], 9)
    (1.5, 0.5)
    """
    frames = formulation_of_run(formulation, modes, boundary, stiffening, "gradient")
    asked = Setting(duration, step, integrator, rho, start_time, tolerance, newton_tolerance, *frames)
    _check(model, objective, asked)
    names, by_start = _asked_for(model, wrt)
    run: VariedRun = TreeRun(model, asked) if asked.formulation == "floating" else NodalRun(model, asked)
    value, by_state = _at_end(run, objective)
    first, by_parameters, equations = backward_sweep(run, by_state, names)
    by_parameters = by_parameters + np.array([_explicit(run, objective, name) for name in names])
    found = {name: float(x) for name, x in zip(names, by_parameters, strict=True)}
    starts = _by_start(run, first) if by_start else None
    pushed, labels, times = _by_controls(run, controls, equations)
    return Gradient(value, found, starts, pushed, labels, times)


def _check(model: Model, objective: Any, asked: Setting) -> None:
    check_model(model, "gradient")
    if not callable(objective):
        raise SolveError(f"gradient: objective is {shown(objective)}; pass a function of a Run that gives a number")
    where = f" in the {asked.formulation} formulation"
    check_known(asked.integrator, "gradient", "integrator", _INTEGRATORS[asked.formulation], where)
    check_span("gradient", asked.duration, asked.step, 1, asked.tolerance)
    check_rho(asked.rho, "gradient")
    check_number(asked.start_time, "gradient", "start_time", "the time at the start, in s")
    check_number(
        asked.newton_tolerance, "gradient", "newton_tolerance", "an accepted error such as 1e-12", positive=True
    )


def _asked_for(model: Model, wrt: Any) -> tuple[list[str], bool]:
    """Names of parameters, and whether the start is among what is asked for."""
    items = list(wrt) if isinstance(wrt, (list, tuple, set, dict)) else [wrt]
    names = [item.name if isinstance(item, Parameter) else item for item in items]
    known = ", ".join(repr(key) for key in model.parameters) or "none"
    for name in names:
        if name != START and (not isinstance(name, str) or name not in model.parameters):
            raise SolveError(f"gradient: wrt has {shown(name)}; pass 'start' or parameters of the model: {known}")
    return [name for name in names if name != START], START in names


def _number(objective: Callable[[Run], Any], moment: Run) -> float:
    given = objective(moment)
    found = checks.floats(given)
    if found.size != 1 or not np.isfinite(found).all():
        told = f"gradient: the objective gives {shown(found if found.size else given)}; it must give one finite number"
        hint = "; what adds up over the run, as work and dissipated energy, is not known at its end"
        raise SolveError(told + (hint if found.size == 1 else ""))
    return float(found.reshape(()))


def _at_end(run: VariedRun, objective: Callable[[Run], Any]) -> tuple[float, Array]:
    """The objective, and its derivatives (N,) by the last state."""
    value, sizes, out = _number(objective, run.moment(run.last)), run.sizes(run.last), np.zeros(run.size)
    moves = 2 * sum(count for _, count in run.initial_names())
    rest = np.concatenate((np.zeros(moves), sizes[moves:]))
    if abs(_number(objective, run.moment(run.moved_state(run.last, rest))) - value) > _UNMOVED * (abs(value) + 1e-9):
        raise SolveError("gradient: the objective depends on accelerations or reactions; ask for positions, velocities")
    for k in range(moves):
        for i, weight in CENTRAL:
            change = np.zeros(run.size)
            change[k] = i * sizes[k]
            out[k] += weight / sizes[k] * (_number(objective, run.moment(run.moved_state(run.last, change))) - value)
    return value, out


def _explicit(run: VariedRun, objective: Callable[[Run], Any], name: str) -> float:
    """Derivative of the objective by a parameter with the last state held, as where a place is described with it."""
    total = 0.0
    for variant in run.varied(name):
        with run.moved(name, variant.value):
            total += variant.weight * _number(objective, run.moment(run.last, variant.work))
    return total


def _by_start(run: VariedRun, first: Array) -> dict[str, Array]:
    names = run.initial_names()
    by = (first @ run.initial_columns()).reshape(2, -1)
    ends = np.cumsum([count for _, count in names])
    return {
        name: by[:, end - count : end].T.copy() for (name, count), end in zip(names, ends, strict=True)
    }  # fmt: skip


def _by_controls(
    run: VariedRun, controls: Any, equations: Sequence[Array]
) -> tuple[Array | None, tuple[str, ...], Array]:  # fmt: skip
    if isinstance(controls, Sequence) and len(controls) == 0:
        return None, (), np.zeros(0)
    rows, times = [], []
    names: tuple[str, ...] = ()
    for k in range(run.count):
        if run.is_step(k):
            names, sources = run.input_sources(k, controls)
            rows.append(equations[k] @ sources)
            times.append(run.times[k])
    return np.array(rows), names, np.array(times)
