"""Dynamics of rigid and flexible multibody systems on Lie groups.

Describe a mechanism once with a `Model`, then simulate it or find where it rests. Everything a user needs is a name of
this package; what costs time to import (the compiler, plotting, file formats) is imported when it is first used.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from cosserat.errors import CosseratError, CosseratWarning
from cosserat.model import (
    GROUND,
    AddedMass,
    Aerodynamics,
    Airfoil,
    Armature,
    Beam,
    Box,
    Buoyancy,
    CentralGravity,
    Constraint,
    Cylindrical,
    Damper,
    DistributedLoad,
    Fixed,
    Fluid,
    Force,
    Free,
    Friction,
    IBeam,
    Interface,
    IntermediateFrame,
    KnifeEdge,
    Material,
    Medium,
    ModalBody,
    ModalInertia,
    Model,
    Morison,
    Observer,
    Outline,
    Parameter,
    PipeFlow,
    Place,
    Planar,
    PlanarTranslation,
    Potential,
    Prismatic,
    Profile,
    Propellant,
    Propeller,
    RecoveryPoint,
    Rectangle,
    Revolute,
    RigidBody,
    Rod,
    RollingDisc,
    Rotor,
    Screw,
    Section,
    Servo,
    SolidMesh,
    Spherical,
    Spring,
    StateLoad,
    Strip,
    Tendon,
    Thruster,
    TimeFunction,
    Torque,
    Tube,
    Universal,
    VectorFunction,
    Wrench,
    chain_from_dh,
    materials,
    section_from_geometry,
    winds,
)

if TYPE_CHECKING:
    from cosserat import lie, symbolic
    from cosserat.compile.modal import modal_body
    from cosserat.compile.solid_part import SolidInterface, modal_body_from_mesh
    from cosserat.io import load_equilibrium, load_model, load_run, save_model
    from cosserat.io.meshes import load_mesh
    from cosserat.lie import Frame, Twist
    from cosserat.results.comparison import Comparison
    from cosserat.results.composed import ComposedVectors
    from cosserat.results.equilibrium import Equilibrium
    from cosserat.results.linear import LinearModel, Output
    from cosserat.results.modes import Modes
    from cosserat.results.path import Path
    from cosserat.results.response import Response
    from cosserat.results.run import Run
    from cosserat.results.stability import Campbell, Stability, StabilityMap
    from cosserat.results.status import Outcome, Status, StopRun
    from cosserat.results.trim import FlightTrim, Trim
    from cosserat.solve.analyses.campbell import campbell
    from cosserat.solve.analyses.compare import compare
    from cosserat.solve.analyses.continuation import continuation
    from cosserat.solve.analyses.equilibrium import equilibrium
    from cosserat.solve.analyses.flight import Flight
    from cosserat.solve.analyses.frequency_response import frequency_response
    from cosserat.solve.analyses.gradient import Gradient, gradient
    from cosserat.solve.analyses.linearize import linearize
    from cosserat.solve.analyses.modes import modes
    from cosserat.solve.analyses.resonances import resonances
    from cosserat.solve.analyses.simulate import simulate
    from cosserat.solve.analyses.stability import stability
    from cosserat.solve.analyses.stability_map import stability_map
    from cosserat.solve.analyses.trim import trim
    from cosserat.solve.formulation import Floating
    from cosserat.solve.motion.events import Event
    from cosserat.solve.motion.method import Method
    from cosserat.solve.relative.composed import composed_vectors
    from cosserat.solve.relative.constrained import (
        ConstrainedDynamics,
        ConstrainedMotion,
        constrained_dynamics,
        constrained_motion,
    )
    from cosserat.solve.relative.flexible_tree import FlexibleTree
    from cosserat.solve.relative.hybrid import HybridDynamics, hybrid_dynamics
    from cosserat.solve.relative.nonholonomic import VelocityConstraint
    from cosserat.solve.relative.recursion import (
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
    from cosserat.solve.relative.tree import Tree

__version__ = "0.1.0"

_LAZY = {
    "Campbell": "cosserat.results.stability",
    "Comparison": "cosserat.results.comparison",
    "ComposedVectors": "cosserat.results.composed",
    "ConstrainedDynamics": "cosserat.solve.relative.constrained",
    "ConstrainedMotion": "cosserat.solve.relative.constrained",
    "Equilibrium": "cosserat.results.equilibrium",
    "Frame": "cosserat.lie",
    "HybridDynamics": "cosserat.solve.relative.hybrid",
    "LinearModel": "cosserat.results.linear",
    "Output": "cosserat.results.linear",
    "Method": "cosserat.solve.motion.method",
    "Modes": "cosserat.results.modes",
    "Outcome": "cosserat.results.status",
    "Path": "cosserat.results.path",
    "Response": "cosserat.results.response",
    "Run": "cosserat.results.run",
    "SolidInterface": "cosserat.compile.solid_part",
    "Stability": "cosserat.results.stability",
    "StabilityMap": "cosserat.results.stability",
    "Status": "cosserat.results.status",
    "StopRun": "cosserat.results.status",
    "Event": "cosserat.solve.motion.events",
    "Flight": "cosserat.solve.analyses.flight",
    "FlightTrim": "cosserat.results.trim",
    "FlexibleTree": "cosserat.solve.relative.flexible_tree",
    "Floating": "cosserat.solve.formulation",
    "Tree": "cosserat.solve.relative.tree",
    "Trim": "cosserat.results.trim",
    "Twist": "cosserat.lie",
    "VelocityConstraint": "cosserat.solve.relative.nonholonomic",
    "bias": "cosserat.solve.relative.recursion",
    "campbell": "cosserat.solve.analyses.campbell",
    "centroidal_matrix": "cosserat.solve.relative.recursion",
    "centroidal_momentum": "cosserat.solve.relative.recursion",
    "compare": "cosserat.solve.analyses.compare",
    "composed_vectors": "cosserat.solve.relative.composed",
    "constrained_dynamics": "cosserat.solve.relative.constrained",
    "constrained_motion": "cosserat.solve.relative.constrained",
    "continuation": "cosserat.solve.analyses.continuation",
    "energy": "cosserat.solve.relative.recursion",
    "equilibrium": "cosserat.solve.analyses.equilibrium",
    "forward_dynamics": "cosserat.solve.relative.recursion",
    "forward_dynamics_derivatives": "cosserat.solve.relative.recursion",
    "forward_kinematics": "cosserat.solve.relative.recursion",
    "frequency_response": "cosserat.solve.analyses.frequency_response",
    "Gradient": "cosserat.solve.analyses.gradient",
    "gradient": "cosserat.solve.analyses.gradient",
    "gravity_forces": "cosserat.solve.relative.recursion",
    "hybrid_dynamics": "cosserat.solve.relative.hybrid",
    "inverse_dynamics": "cosserat.solve.relative.recursion",
    "inverse_dynamics_derivatives": "cosserat.solve.relative.recursion",
    "jacobian": "cosserat.solve.relative.recursion",
    "jacobian_rate": "cosserat.solve.relative.recursion",
    "linearize": "cosserat.solve.analyses.linearize",
    "load_equilibrium": "cosserat.io",
    "load_mesh": "cosserat.io.meshes",
    "load_model": "cosserat.io",
    "load_run": "cosserat.io",
    "mass_matrix": "cosserat.solve.relative.recursion",
    "modal_body": "cosserat.compile.modal",
    "modal_body_from_mesh": "cosserat.compile.solid_part",
    "modes": "cosserat.solve.analyses.modes",
    "resonances": "cosserat.solve.analyses.resonances",
    "save_model": "cosserat.io",
    "simulate": "cosserat.solve.analyses.simulate",
    "stability": "cosserat.solve.analyses.stability",
    "stability_map": "cosserat.solve.analyses.stability_map",
    "trim": "cosserat.solve.analyses.trim",
}

__all__ = [
    "AddedMass",
    "Aerodynamics",
    "Airfoil",
    "Armature",
    "Beam",
    "Box",
    "Buoyancy",
    "CentralGravity",
    "Campbell",
    "Comparison",
    "ComposedVectors",
    "ConstrainedDynamics",
    "ConstrainedMotion",
    "Constraint",
    "CosseratError",
    "CosseratWarning",
    "Cylindrical",
    "Damper",
    "DistributedLoad",
    "Equilibrium",
    "Event",
    "Fixed",
    "Fluid",
    "Force",
    "IntermediateFrame",
    "Frame",
    "Free",
    "Friction",
    "GROUND",
    "Gradient",
    "HybridDynamics",
    "IBeam",
    "Interface",
    "KnifeEdge",
    "LinearModel",
    "Output",
    "Material",
    "Medium",
    "ModalBody",
    "ModalInertia",
    "Model",
    "Morison",
    "Method",
    "Modes",
    "Outcome",
    "Observer",
    "Outline",
    "Parameter",
    "Path",
    "PipeFlow",
    "Place",
    "Planar",
    "PlanarTranslation",
    "Prismatic",
    "Potential",
    "Profile",
    "Propellant",
    "Propeller",
    "RecoveryPoint",
    "Rectangle",
    "Response",
    "Revolute",
    "RigidBody",
    "Rod",
    "RollingDisc",
    "Rotor",
    "Run",
    "Screw",
    "Section",
    "Servo",
    "SolidInterface",
    "SolidMesh",
    "Spherical",
    "Spring",
    "StateLoad",
    "Strip",
    "Tendon",
    "Thruster",
    "Stability",
    "StabilityMap",
    "Status",
    "StopRun",
    "TimeFunction",
    "Torque",
    "FlexibleTree",
    "Flight",
    "FlightTrim",
    "Floating",
    "Tree",
    "Trim",
    "Tube",
    "Twist",
    "Universal",
    "VectorFunction",
    "VelocityConstraint",
    "Wrench",
    "bias",
    "campbell",
    "chain_from_dh",
    "centroidal_matrix",
    "centroidal_momentum",
    "compare",
    "composed_vectors",
    "constrained_dynamics",
    "constrained_motion",
    "continuation",
    "energy",
    "equilibrium",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "forward_kinematics",
    "frequency_response",
    "gradient",
    "gravity_forces",
    "hybrid_dynamics",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "jacobian",
    "jacobian_rate",
    "lie",
    "linearize",
    "load_equilibrium",
    "load_mesh",
    "load_model",
    "load_run",
    "mass_matrix",
    "materials",
    "modal_body",
    "modal_body_from_mesh",
    "modes",
    "resonances",
    "save_model",
    "section_from_geometry",
    "simulate",
    "stability",
    "stability_map",
    "symbolic",
    "trim",
    "winds",
]


def __getattr__(name: str) -> Any:
    if name in ("lie", "symbolic"):
        return importlib.import_module(f"cosserat.{name}")
    if name in _LAZY:
        value = getattr(importlib.import_module(_LAZY[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'cosserat' has no attribute {name!r}", name=name, obj=sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted(__all__)
