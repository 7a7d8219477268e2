"""What the user describes: bodies, beams, joints, loads, springs, in a `Model`.

In come keyword arguments, validated one by one with errors that name the item and the remedy; out come plain numbers in
the reference configuration (frames, matrices, sampled functions of time), which the compile layer turns into arrays.
NumPy only; nothing is solved here.
"""

from cosserat.model import materials, winds
from cosserat.model.added_mass import AddedMass
from cosserat.model.beams import Beam
from cosserat.model.bodies import IntermediateFrame, RigidBody, Shape
from cosserat.model.chains import chain_from_dh
from cosserat.model.coefficients import Airfoil
from cosserat.model.fluid import Fluid
from cosserat.model.fluid_loads import Aerodynamics, Buoyancy
from cosserat.model.forces import Damper, Spring, Tendon
from cosserat.model.functions import TimeFunction, VectorFunction
from cosserat.model.gravity_fields import CentralGravity
from cosserat.model.jets import Jet
from cosserat.model.joints import (
    Armature,
    Cylindrical,
    Fixed,
    Free,
    Freedom,
    Friction,
    Joint,
    Planar,
    PlanarTranslation,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from cosserat.model.loads import DistributedLoad, Force, Torque, Wrench
from cosserat.model.materials import Material
from cosserat.model.medium import Medium
from cosserat.model.modal import ModalBody
from cosserat.model.modal_inertia import Interface, ModalInertia, Outline, RecoveryPoint
from cosserat.model.model import Model
from cosserat.model.morison import Morison, PipeFlow
from cosserat.model.observers import Observer
from cosserat.model.parameters import Parameter, ParameterExpression, resolve
from cosserat.model.places import GROUND, Place
from cosserat.model.potentials import Potential
from cosserat.model.propellants import Propellant
from cosserat.model.rolling import Constraint, KnifeEdge, RollingDisc
from cosserat.model.rotors import Propeller, Rotor
from cosserat.model.section import Section
from cosserat.model.sections import Box, IBeam, Profile, Rectangle, Rod, Tube, section_from_geometry
from cosserat.model.servos import Servo
from cosserat.model.solid_mesh import SolidMesh
from cosserat.model.state_loads import StateLoad
from cosserat.model.strips import Strip
from cosserat.model.thrusters import Thruster

__all__ = [
    "AddedMass", "Aerodynamics", "Airfoil", "Armature", "Beam", "Box", "Buoyancy", "CentralGravity", "Constraint",
    "Cylindrical", "Damper", "DistributedLoad", "Fixed", "Fluid", "Force", "Free", "Freedom", "Friction", "GROUND",
    "IBeam", "Interface", "IntermediateFrame", "Jet", "Joint", "KnifeEdge", "Material", "Medium", "ModalBody",
    "ModalInertia", "Model", "Morison", "Observer", "Outline", "Parameter", "ParameterExpression", "PipeFlow",
    "Place", "Planar", "PlanarTranslation", "Potential", "Prismatic", "Profile", "Propellant", "Propeller",
    "RecoveryPoint", "Rectangle", "Revolute", "RigidBody", "Rod", "RollingDisc", "Rotor", "Screw", "Section",
    "Servo", "Shape", "SolidMesh", "Spherical", "Spring", "StateLoad", "Strip", "Tendon", "Thruster",
    "TimeFunction", "Torque", "Tube", "Universal", "VectorFunction", "Wrench", "chain_from_dh", "materials",
    "resolve", "section_from_geometry", "winds",
]  # fmt: skip
