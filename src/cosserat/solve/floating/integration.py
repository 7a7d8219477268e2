"""Which steps an integrator takes in floating frames, and motions of a tree by them in plain coordinates."""

from __future__ import annotations

import numpy as np

from cosserat.compile.tree import TreeData
from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.solve.floating import FLOATING_METHODS
from cosserat.solve.floating.explicit import Explicit
from cosserat.solve.floating.implicit import Implicit
from cosserat.solve.floating.model import FloatingModel
from cosserat.solve.floating.outside import Outside
from cosserat.solve.floating.walk import FloatingWalk
from cosserat.solve.motion.driver import EqualSteps
from cosserat.solve.motion.method import Method
from cosserat.solve.relative.quantities import TreeMotion

_NEWTON_TOLERANCE = 1e-9


def new_stepper(
    floating: FloatingModel, integrator: str | Method, rho: float, tolerance: float | None, adaptive: bool = False
) -> FloatingWalk:
    """Steps of the named method, or of one of the user's own; `tolerance`: of the iteration of an implicit one."""
    if isinstance(integrator, Method):
        return Outside(floating, integrator)
    if integrator == "runge-kutta":
        return Explicit(floating, adaptive)
    return Implicit(floating, rho, _NEWTON_TOLERANCE if tolerance is None else tolerance)


def integrate(
    model: Model, data: TreeData, duration: float, step: float, q: Array, v: Array, inner: Array | None,
    integrator: str, rho: float, tolerance: float,
) -> TreeMotion:  # fmt: skip
    """Motion from a state at time 0, and from states `inner` of laws; arguments as for `Tree.integrate`."""
    for name, value in (("duration", duration), ("step", step)):
        if not (isinstance(value, (int, float)) and np.isfinite(value) and value > 0):
            raise SolveError(f"integrate: {name} is {value!r}; pass a positive time in seconds")
    if not 0.0 <= rho <= 1.0:
        raise SolveError(f"integrate: rho is {rho!r}; it must be from 0 (strong numerical damping) to 1 (none)")
    if integrator not in FLOATING_METHODS:
        known = ", ".join(map(repr, FLOATING_METHODS))
        raise SolveError(f"integrate: unknown integrator {integrator!r}; available: {known}")
    walk = new_stepper(FloatingModel(model, data), integrator, rho, tolerance)
    walk.enter(walk.start(0.0, q, v, inner=inner))
    times, status = EqualSteps(walk, 0.0, duration, step).run()
    states = walk.states
    return TreeMotion(times, states.q, states.v, states.a, status)
