"""What can be found wrong with a model without solving it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.errors import ModelError, ParameterError, warn
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.bodies import IntermediateFrame, RigidBody
from cosserat.model.fluid_loads import Buoyancy
from cosserat.model.loads import is_zero
from cosserat.model.modal import ModalBody
from cosserat.model.morison import Morison
from cosserat.model.nodes import lumps_of
from cosserat.model.parameters import Parameter, resolve
from cosserat.model.records import Component
from cosserat.model.section import ShapeSection

if TYPE_CHECKING:
    from cosserat.model.joint import Joint
    from cosserat.model.model import Model


def validate(model: Model) -> None:
    """Raise the first error of a model; warn about bodies that nothing can move."""
    if not model.bodies and not model.beams and not model.modal_bodies:
        raise ModelError(f"{model.title}: it is empty; add a RigidBody or a Beam")
    checks.array(model.title, "gravity", model.given_gravity, (3,))
    for name, objects in model.parameter_objects().items():
        for other in objects[1:]:
            demand_same(objects[0], other, f"parameter {name!r}")
    model.check()
    if model.frame is not None or model.field is not None:
        lumps_of(model, "a moving frame" if model.field is None else "a central field", model.given_state_loads)
        buoyant = [load for load in model.given_state_loads if isinstance(load, Buoyancy)]
        lines = [line for line in model.along_beams if isinstance(line, Morison) and line.buoyancy]
        if model.field is not None and buoyant:
            raise ModelError(f"{buoyant[0].title}: buoyancy takes uniform gravity, not a central field")
        if model.field is not None and lines:
            raise ModelError(
                f"{lines[0].title}: buoyancy takes uniform gravity, not a central field; pass buoyancy=False"
            )
    for item in model:
        for owner in item.owners:
            if isinstance(owner, Component) and (owner.name not in model or model[owner.name] is not owner):
                problem = "another component has that name" if owner.name in model else "add it with model.add"
                raise ModelError(
                    f"{item.title}: refers to the {owner.word} {owner.name!r}, which is not in the model ({problem}); "
                    f"bodies of the model: {names_of(model.owners)}"
                )
    for item in model:
        item.check_places()
    for servo in model.servos:
        servo.find(model)
    check_frames(model)
    _warn_idle(model)
    _warn_units(model)


def check_frames(model: Model) -> None:
    """Raise if a frame without mass, or several together, can move while all bodies stand still.

    Such motions are the null space of the constraints of their joints at the reference configuration. Freedoms that are
    driven, or have an armature, do not count: the one is given, the other has inertia.
    """
    carried = {id(added.body) for added in model.added_masses}
    carried |= {id(place.owner) for item in model.rolling for place in item.places}
    frames = [body for body in model.bodies if isinstance(body, IntermediateFrame) and id(body) not in carried]
    if not frames:
        return
    number = {id(frame): i for i, frame in enumerate(frames)}
    rows = [np.zeros((1, 6 * len(frames)))]
    for joint in model.joints:
        held = _held(joint) @ se3.adjoint(se3.inverse(joint.frame()))  # of twists in world axes at the origin
        block = np.zeros((held.shape[0], 6 * len(frames)))
        for place, sign in ((joint.parent, -1.0), (joint.child, 1.0)):
            i = number.get(id(place.owner))
            if i is not None:
                block[:, 6 * i : 6 * i + 6] += sign * held
        rows.append(block)
    _, sizes, motions = np.linalg.svd(np.vstack(rows))
    scale = float(sizes.max(initial=0.0))
    if np.count_nonzero(sizes > 1e-9 * scale) == 6 * len(frames) and scale > 0.0:
        return
    loose = np.abs(motions[-1].reshape(len(frames), 6)).max(axis=1)
    frame = frames[int(np.argmax(loose))]
    joints = [j.name for j in model.joints if frame in (j.parent.owner, j.child.owner)]
    raise ModelError(
        f"{frame.title}: it has no mass and can move alone, without moving a body; joints at it: "
        f"{', '.join(repr(name) for name in joints) or 'none'}; attach a body to it, or make it a RigidBody with mass"
    )


def _held(joint: Joint) -> Array:
    """Rows (n, 6) of relative twists in the joint's frame that the joint does not leave to the frame alone."""
    free = [m is None and a == 0.0 for m, a in zip(joint.motion, joint.armature, strict=True)]
    A = joint.freedom_matrix()[:, free]
    U, _, _ = np.linalg.svd(A, full_matrices=True) if A.shape[1] else (np.eye(6), None, None)
    return np.asarray(U[:, A.shape[1] :].T)


def _warn_idle(model: Model) -> None:
    if np.any(model.gravity) or model.frame is not None or model.field is not None:
        return
    busy = {id(place.owner) for item in model for place in item.places}
    busy |= {id(load.beam) for load in model.distributed_loads if not (is_zero(load.force) and is_zero(load.moment))}
    frames: tuple[RigidBody | ModalBody, ...] = (*model.bodies, *model.modal_bodies)
    idle = [b.name for b in frames if id(b) not in busy and b.velocity is None and b.angular_velocity is None]
    idle += [b.name for b in model.beams if id(b) not in busy and b.velocity_at(0.0) is None]
    if idle:
        warn(
            f"{model.title}: {', '.join(repr(n) for n in idle)}: attached to nothing, without load, gravity or "
            "initial velocity, so it will never move",
        )


def _warn_units(model: Model) -> None:
    """Sizes and angles that are likely in other units than metres and radians."""
    for beam in model.beams:
        section = beam._section
        if not isinstance(section, ShapeSection):
            continue
        size = section.constants()
        radius = np.sqrt(max(size.Iy, size.Iz) / size.area)
        if radius > beam.length:
            warn(
                f"{beam.title}: its section, with a radius of gyration of {radius:.3g} m, is thicker than the beam of "
                f"{beam.length:.3g} m is long: are all sizes in metres?"
            )
    for joint in model.joints:
        for freedom, motion in zip(joint.freedoms, joint.motion, strict=True):
            if motion is None or freedom.kind != "rotation" or not motion.is_constant:
                continue
            angle = float(resolve(motion.source))
            # whole numbers, as nobody gives them in radians, up to two turns
            if 2.0 * np.pi < abs(angle) <= 720.0 and angle.is_integer():
                warn(
                    f"{joint.title}: motion holds {freedom.name!r} at {angle:g} rad, which is more than a turn: angles "
                    "are in radians, such as np.radians(90)"
                )


def names_of(components: Any) -> str:
    """Names of components, as messages list them."""
    return ", ".join(repr(c.name) for c in components) or "none"


def demand_same(a: Parameter, b: Parameter, where: str) -> None:
    """Raise an error if two parameters of one name have different values."""
    if a.value != b.value:
        raise ParameterError(
            f"{where}: parameter {a.name!r} has two values, {b.value:g} and {a.value:g}; use one Parameter object, or "
            "give the two different names"
        )
