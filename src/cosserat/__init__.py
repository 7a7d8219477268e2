"""Dynamics of rigid and flexible multibody systems on Lie groups.

Describe a mechanism once with a `Model`, then simulate it or find where it rests. Everything a user needs is a name of
this package; what costs time to import (the compiler, plotting, file formats) is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from cosserat.errors import CosseratError, CosseratWarning
from cosserat.model import (
    GROUND,
    Beam,
    Box,
    Cylindrical,
    Damper,
    DistributedLoad,
    Fixed,
    Force,
    Free,
    Friction,
    IBeam,
    Material,
    Model,
    Parameter,
    Place,
    Planar,
    PlanarTranslation,
    Prismatic,
    Profile,
    Rectangle,
    Revolute,
    RigidBody,
    Rod,
    Screw,
    Section,
    Spherical,
    Spring,
    TimeFunction,
    Torque,
    Tube,
    Universal,
    VectorFunction,
    Wrench,
    materials,
    section_from_geometry,
)

if TYPE_CHECKING:
    from cosserat import lie
    from cosserat.io import load_model, load_run, save_model
    from cosserat.lie import Frame, Twist
    from cosserat.results.equilibrium import Equilibrium
    from cosserat.results.run import Run
    from cosserat.results.status import Outcome, Status
    from cosserat.solve.equilibrium import equilibrium
    from cosserat.solve.recursion import (
        bias,
        centroidal_matrix,
        centroidal_momentum,
        energy,
        forward_dynamics,
        forward_dynamics_derivatives,
        forward_kinematics,
        gravity_forces,
        inverse_dynamics,
        inverse_dynamics_derivatives,
        jacobian,
        jacobian_rate,
        mass_matrix,
    )
    from cosserat.solve.simulate import simulate
    from cosserat.solve.tree import Tree

__version__ = "0.1.0"

_LAZY = {
    "Equilibrium": "cosserat.results.equilibrium",
    "Frame": "cosserat.lie",
    "Outcome": "cosserat.results.status",
    "Run": "cosserat.results.run",
    "Status": "cosserat.results.status",
    "Tree": "cosserat.solve.tree",
    "Twist": "cosserat.lie",
    "bias": "cosserat.solve.recursion",
    "centroidal_matrix": "cosserat.solve.recursion",
    "centroidal_momentum": "cosserat.solve.recursion",
    "energy": "cosserat.solve.recursion",
    "equilibrium": "cosserat.solve.equilibrium",
    "forward_dynamics": "cosserat.solve.recursion",
    "forward_dynamics_derivatives": "cosserat.solve.recursion",
    "forward_kinematics": "cosserat.solve.recursion",
    "gravity_forces": "cosserat.solve.recursion",
    "inverse_dynamics": "cosserat.solve.recursion",
    "inverse_dynamics_derivatives": "cosserat.solve.recursion",
    "jacobian": "cosserat.solve.recursion",
    "jacobian_rate": "cosserat.solve.recursion",
    "load_model": "cosserat.io",
    "load_run": "cosserat.io",
    "mass_matrix": "cosserat.solve.recursion",
    "save_model": "cosserat.io",
    "simulate": "cosserat.solve.simulate",
}

__all__ = [
    "Beam",
    "Box",
    "CosseratError",
    "CosseratWarning",
    "Cylindrical",
    "Damper",
    "DistributedLoad",
    "Equilibrium",
    "Fixed",
    "Force",
    "Frame",
    "Free",
    "Friction",
    "GROUND",
    "IBeam",
    "Material",
    "Model",
    "Outcome",
    "Parameter",
    "Place",
    "Planar",
    "PlanarTranslation",
    "Prismatic",
    "Profile",
    "Rectangle",
    "Revolute",
    "RigidBody",
    "Rod",
    "Run",
    "Screw",
    "Section",
    "Spherical",
    "Spring",
    "Status",
    "TimeFunction",
    "Torque",
    "Tree",
    "Tube",
    "Twist",
    "Universal",
    "VectorFunction",
    "Wrench",
    "bias",
    "centroidal_matrix",
    "centroidal_momentum",
    "energy",
    "equilibrium",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "forward_kinematics",
    "gravity_forces",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "jacobian",
    "jacobian_rate",
    "lie",
    "load_model",
    "load_run",
    "mass_matrix",
    "materials",
    "save_model",
    "section_from_geometry",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name == "lie":
        return importlib.import_module("cosserat.lie")
    if name in _LAZY:
        value = getattr(importlib.import_module(_LAZY[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'cosserat' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
