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
    Interface,
    Material,
    ModalBody,
    ModalInertia,
    Model,
    Parameter,
    Place,
    Planar,
    PlanarTranslation,
    Prismatic,
    Profile,
    RecoveryPoint,
    Rectangle,
    Revolute,
    RigidBody,
    Rod,
    Screw,
    Section,
    SolidMesh,
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
    from cosserat.compile.modal import modal_body
    from cosserat.compile.modal_solid import modal_body_from_mesh
    from cosserat.compile.solid_part import SolidInterface
    from cosserat.io import load_model, load_run, save_model
    from cosserat.io.meshes import load_mesh
    from cosserat.lie import Frame, Twist
    from cosserat.results.equilibrium import Equilibrium
    from cosserat.results.run import Run
    from cosserat.results.status import Outcome, Status
    from cosserat.solve.equilibrium import equilibrium
    from cosserat.solve.simulate import simulate

__version__ = "0.1.0"

_LAZY = {
    "Equilibrium": "cosserat.results.equilibrium",
    "Frame": "cosserat.lie",
    "Outcome": "cosserat.results.status",
    "Run": "cosserat.results.run",
    "SolidInterface": "cosserat.compile.solid_part",
    "Status": "cosserat.results.status",
    "Twist": "cosserat.lie",
    "equilibrium": "cosserat.solve.equilibrium",
    "load_mesh": "cosserat.io.meshes",
    "load_model": "cosserat.io",
    "load_run": "cosserat.io",
    "modal_body": "cosserat.compile.modal",
    "modal_body_from_mesh": "cosserat.compile.modal_solid",
    "save_model": "cosserat.io",
    "simulate": "cosserat.solve.simulate",
}

__all__ = [
    "GROUND",
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
    "IBeam",
    "Interface",
    "Material",
    "ModalBody",
    "ModalInertia",
    "Model",
    "Outcome",
    "Parameter",
    "Place",
    "Planar",
    "PlanarTranslation",
    "Prismatic",
    "Profile",
    "RecoveryPoint",
    "Rectangle",
    "Revolute",
    "RigidBody",
    "Rod",
    "Run",
    "Screw",
    "Section",
    "SolidInterface",
    "SolidMesh",
    "Spherical",
    "Spring",
    "Status",
    "TimeFunction",
    "Torque",
    "Tube",
    "Twist",
    "Universal",
    "VectorFunction",
    "Wrench",
    "equilibrium",
    "lie",
    "load_mesh",
    "load_model",
    "load_run",
    "materials",
    "modal_body",
    "modal_body_from_mesh",
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
