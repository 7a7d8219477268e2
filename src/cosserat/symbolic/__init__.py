"""The symbolic workbench: equations from a Lagrangian on a Lie group, solvers for them, and elements made from them.

In: a group (of a catalogue, or from a basis of matrices) and a Lagrangian written with SymPy. Out: field, boundary
and compatibility equations, printed in the notation of a source, or as functions of numbers. SymPy is imported when
one of the names that need it is first used; the solvers on groups need NumPy only.

>>> import cosserat as cs
>>> "euler_poincare" in dir(cs.symbolic)
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cosserat.symbolic import evaluate, media
    from cosserat.symbolic.compiled import CompiledEquations
    from cosserat.symbolic.composed import SymbolicComposedVectors, composed_vectors
    from cosserat.symbolic.connection import Connection, covariant_derivative, covariant_divergence, curvature, torsion
    from cosserat.symbolic.conserved import Current
    from cosserat.symbolic.equations import Equations, lagrange
    from cosserat.symbolic.evaluate import CompiledProblem, check_potential
    from cosserat.symbolic.group_dynamics import GroupMotion, euler_poincare
    from cosserat.symbolic.groups import GA, SE2, SE3, SL, SO2, SO3, Galilei, Group, Heisenberg, R, product, semidirect
    from cosserat.symbolic.intrinsic_step import IntrinsicMotion, intrinsic
    from cosserat.symbolic.linear import LinearEquations
    from cosserat.symbolic.notation import notations
    from cosserat.symbolic.poincare import Jets, PoincareChetayev
    from cosserat.symbolic.quasi_velocities import QuasiVelocities
    from cosserat.symbolic.symbols import strain, twist

__all__ = [
    "CompiledEquations", "CompiledProblem", "Connection", "Current", "Equations", "GA", "Galilei", "Group",
    "GroupMotion", "Heisenberg", "IntrinsicMotion", "Jets", "LinearEquations", "PoincareChetayev",
    "QuasiVelocities", "R", "SE2", "SE3", "SL", "SO2", "SO3", "SymbolicComposedVectors", "check_potential",
    "composed_vectors", "covariant_derivative", "covariant_divergence", "curvature", "euler_poincare", "evaluate",
    "intrinsic", "lagrange", "media", "notations", "product", "semidirect", "strain", "torsion", "twist",
]  # fmt: skip

_NAMES: dict[str, tuple[str, ...]] = {
    "quasi_velocities": ("QuasiVelocities",),
    "intrinsic_step": ("IntrinsicMotion", "intrinsic"),
    "connection": ("Connection", "covariant_derivative", "covariant_divergence", "curvature", "torsion"),
    "compiled": ("CompiledEquations",),
    "evaluate": ("CompiledProblem", "check_potential"),
    "equations": ("Equations", "lagrange"),
    "linear": ("LinearEquations",),
    "composed": ("SymbolicComposedVectors", "composed_vectors"),
    "conserved": ("Current",),
    "poincare": ("Jets", "PoincareChetayev"),
    "group_dynamics": ("GroupMotion", "euler_poincare"),
    "notation": ("notations",),
    "groups": ("GA", "Galilei", "Group", "Heisenberg", "R", "SE2", "SE3", "SL", "SO2", "SO3", "product", "semidirect"),
    "symbols": ("strain", "twist"),
}
_LAZY = {name: module for module, names in _NAMES.items() for name in names}
_MODULES = ("evaluate", "media")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"cosserat.symbolic.{name}")
    if name in _LAZY:
        value = getattr(importlib.import_module(f"cosserat.symbolic.{_LAZY[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'cosserat.symbolic' has no attribute {name!r}; it has {', '.join(sorted(__all__))}")


def __dir__() -> list[str]:
    return sorted(__all__)
