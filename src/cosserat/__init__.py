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

_NAMES: dict[str, tuple[str, ...]] = {
    "compile.modal": ("modal_body",),
    "compile.solid_part": ("SolidInterface", "modal_body_from_mesh"),
    "io": ("load_equilibrium", "load_model", "load_run", "save_model"),
    "io.meshes": ("load_mesh",),
    "lie": ("Frame", "Twist"),
    "results.comparison": ("Comparison",),
    "results.composed": ("ComposedVectors",),
    "results.equilibrium": ("Equilibrium",),
    "results.linear": ("LinearModel", "Output"),
    "results.modes": ("Modes",),
    "results.path": ("Path",),
    "results.response": ("Response",),
    "results.run": ("Run",),
    "results.stability": ("Campbell", "Stability", "StabilityMap"),
    "results.status": ("Outcome", "Status", "StopRun"),
    "results.trim": ("FlightTrim", "Trim"),
    "solve.analyses.campbell": ("campbell",),
    "solve.analyses.compare": ("compare",),
    "solve.analyses.continuation": ("continuation",),
    "solve.analyses.equilibrium": ("equilibrium",),
    "solve.analyses.flight": ("Flight",),
    "solve.analyses.frequency_response": ("frequency_response",),
    "solve.analyses.gradient": ("Gradient", "gradient"),
    "solve.analyses.linearize": ("linearize",),
    "solve.analyses.modes": ("modes",),
    "solve.analyses.resonances": ("resonances",),
    "solve.analyses.simulate": ("simulate",),
    "solve.analyses.stability": ("stability",),
    "solve.analyses.stability_map": ("stability_map",),
    "solve.analyses.trim": ("trim",),
    "solve.formulation": ("Floating",),
    "solve.motion.events": ("Event",),
    "solve.motion.method": ("Method",),
    "solve.relative.composed": ("composed_vectors",),
    "solve.relative.constrained": (
        "ConstrainedDynamics", "ConstrainedMotion", "constrained_dynamics", "constrained_motion",
    ),
    "solve.relative.flexible_tree": ("FlexibleTree",),
    "solve.relative.hybrid": ("HybridDynamics", "hybrid_dynamics"),
    "solve.relative.nonholonomic": ("VelocityConstraint",),
    "solve.relative.recursion": (
        "bias", "centroidal_matrix", "centroidal_momentum", "energy", "forward_dynamics",
        "forward_dynamics_derivatives", "forward_kinematics", "gravity_forces", "inverse_dynamics",
        "inverse_dynamics_derivatives", "jacobian", "jacobian_rate", "mass_matrix",
    ),
    "solve.relative.tree": ("Tree",),
}
_LAZY = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "AddedMass", "Aerodynamics", "Airfoil", "Armature", "Beam", "Box", "Buoyancy", "Campbell", "CentralGravity",
    "Comparison", "ComposedVectors", "ConstrainedDynamics", "ConstrainedMotion", "Constraint", "CosseratError",
    "CosseratWarning", "Cylindrical", "Damper", "DistributedLoad", "Equilibrium", "Event", "Fixed", "FlexibleTree",
    "Flight", "FlightTrim", "Floating", "Fluid", "Force", "Frame", "Free", "Friction", "GROUND", "Gradient",
    "HybridDynamics", "IBeam", "Interface", "IntermediateFrame", "KnifeEdge", "LinearModel", "Material", "Medium",
    "Method", "ModalBody", "ModalInertia", "Model", "Modes", "Morison", "Observer", "Outcome", "Outline", "Output",
    "Parameter", "Path", "PipeFlow", "Place", "Planar", "PlanarTranslation", "Potential", "Prismatic", "Profile",
    "Propellant", "Propeller", "RecoveryPoint", "Rectangle", "Response", "Revolute", "RigidBody", "Rod", "RollingDisc",
    "Rotor", "Run", "Screw", "Section", "Servo", "SolidInterface", "SolidMesh", "Spherical", "Spring", "Stability",
    "StabilityMap", "StateLoad", "Status", "StopRun", "Strip", "Tendon", "Thruster", "TimeFunction", "Torque", "Tree",
    "Trim", "Tube", "Twist", "Universal", "VectorFunction", "VelocityConstraint", "Wrench", "bias", "campbell",
    "centroidal_matrix", "centroidal_momentum", "chain_from_dh", "compare", "composed_vectors", "constrained_dynamics",
    "constrained_motion", "continuation", "energy", "equilibrium", "forward_dynamics", "forward_dynamics_derivatives",
    "forward_kinematics", "frequency_response", "gradient", "gravity_forces", "hybrid_dynamics", "inverse_dynamics",
    "inverse_dynamics_derivatives", "jacobian", "jacobian_rate", "lie", "linearize", "load_equilibrium", "load_mesh",
    "load_model", "load_run", "mass_matrix", "materials", "modal_body", "modal_body_from_mesh", "modes", "resonances",
    "save_model", "section_from_geometry", "simulate", "stability", "stability_map", "symbolic", "trim", "winds",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in ("lie", "symbolic"):
        return importlib.import_module(f"cosserat.{name}")
    if name in _LAZY:
        value = getattr(importlib.import_module(f"cosserat.{_LAZY[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'cosserat' has no attribute {name!r}", name=name, obj=sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted(__all__)
