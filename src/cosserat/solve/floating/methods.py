"""Which steps an integrator takes in floating frames."""

from __future__ import annotations

from cosserat.solve.floating.explicit import Explicit
from cosserat.solve.floating.implicit import Implicit
from cosserat.solve.floating.model import FloatingModel
from cosserat.solve.floating.outside import Outside
from cosserat.solve.floating.steps import Stepper
from cosserat.solve.motion.method import Method

_NEWTON_TOLERANCE = 1e-9


def new_stepper(
    floating: FloatingModel, integrator: str | Method, rho: float, tolerance: float | None, adaptive: bool = False
) -> Stepper:
    """Steps of the named method, or of one of the user's own; `tolerance`: of the iteration of an implicit one."""
    if isinstance(integrator, Method):
        return Outside(floating, integrator)
    if integrator == "runge-kutta":
        return Explicit(floating, adaptive)
    return Implicit(floating, rho, _NEWTON_TOLERANCE if tolerance is None else tolerance)
