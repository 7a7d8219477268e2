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
    from cosserat.symbolic import evaluate as evaluate
    from cosserat.symbolic import media as media
    from cosserat.symbolic.compiled import CompiledEquations as CompiledEquations
    from cosserat.symbolic.composed import SymbolicComposedVectors as SymbolicComposedVectors
    from cosserat.symbolic.composed import composed_vectors as composed_vectors
    from cosserat.symbolic.connection import Connection as Connection
    from cosserat.symbolic.connection import covariant_derivative as covariant_derivative
    from cosserat.symbolic.connection import covariant_divergence as covariant_divergence
    from cosserat.symbolic.connection import curvature as curvature
    from cosserat.symbolic.connection import torsion as torsion
    from cosserat.symbolic.conserved import Current as Current
    from cosserat.symbolic.equations import Equations as Equations
    from cosserat.symbolic.equations import lagrange as lagrange
    from cosserat.symbolic.evaluate import CompiledProblem as CompiledProblem
    from cosserat.symbolic.evaluate import check_potential as check_potential
    from cosserat.symbolic.group_dynamics import GroupMotion as GroupMotion
    from cosserat.symbolic.group_dynamics import euler_poincare as euler_poincare
    from cosserat.symbolic.groups import GA as GA
    from cosserat.symbolic.groups import SE2 as SE2
    from cosserat.symbolic.groups import SE3 as SE3
    from cosserat.symbolic.groups import SL as SL
    from cosserat.symbolic.groups import SO2 as SO2
    from cosserat.symbolic.groups import SO3 as SO3
    from cosserat.symbolic.groups import Galilei as Galilei
    from cosserat.symbolic.groups import Group as Group
    from cosserat.symbolic.groups import Heisenberg as Heisenberg
    from cosserat.symbolic.groups import R as R
    from cosserat.symbolic.groups import product as product
    from cosserat.symbolic.groups import semidirect as semidirect
    from cosserat.symbolic.intrinsic_step import IntrinsicMotion as IntrinsicMotion
    from cosserat.symbolic.intrinsic_step import intrinsic as intrinsic
    from cosserat.symbolic.linear import LinearEquations as LinearEquations
    from cosserat.symbolic.notation import notations as notations
    from cosserat.symbolic.poincare import Jets as Jets
    from cosserat.symbolic.poincare import PoincareChetayev as PoincareChetayev
    from cosserat.symbolic.quasi_velocities import QuasiVelocities as QuasiVelocities
    from cosserat.symbolic.symbols import strain as strain
    from cosserat.symbolic.symbols import twist as twist

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

__all__ = [*_LAZY, *_MODULES]


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
