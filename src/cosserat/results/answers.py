"""Questions about places, joints and beams, declared once: `Run`, `Equilibrium` and `Path` answer them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from cosserat.errors import SolveError, shown
from cosserat.results import kinematics, rolling
from cosserat.results.kinematics import converted
from cosserat.results.labels import AXES, WRENCH
from cosserat.results.mechanism import Mechanism
from cosserat.results.motion import Motion
from cosserat.results.quantities import KINDS, Evaluate, spoken, target_of, unit_of

Answer = TypeVar("Answer")


class Question(NamedTuple):
    """A function of a motion that gives values (nt, ...), and how they are labelled, by dimension.

    Attributes
    ----------
    placed : bool
        Whether it is one of the configuration alone, not of velocities or forces.
    """

    values: Evaluate
    labels: dict[str, Any]
    name: str
    units: str
    placed: bool = False


class Answers(Generic[Answer]):
    """Answers from the table of quantities.

    Places are text such as ``"arm1.end"``, or `Place` objects. An answer of a run has the times first, one of a path
    its points; one of an equilibrium has neither. The shapes below are those at one time.
    """

    motion: Motion

    @property
    def _mechanism(self) -> Mechanism:
        """Names, places and joints."""
        return self.motion.mechanism

    @abstractmethod
    def _answer(self, question: Question) -> Answer:
        """The values of a question as this kind of result gives them."""

    # places -----------------------------------------------------------------------------------------------------------

    def position(self, place: Any) -> Answer:
        """Position (3,) of a place, world coordinates (m)."""
        return self._of_place("position", place)

    def rotation(self, place: Any) -> Answer:
        """Axes of a place as the columns of a rotation matrix (3, 3)."""
        _, label = self._mechanism.station(place)
        labels = {"axis": AXES, "local": AXES}
        return self._answer(Question(_rotations(place), labels, f"rotation of {label}", "1", True))

    def attitude(self, place: Any, kind: str = "yaw_pitch_roll") -> Answer:
        """Attitude (k,) of a place without jumps: "yaw_pitch_roll", "euler", "quaternion" or "rotation_vector".

        Angles are those of `cosserat.lie.rotations` (rad), quaternions are (w, x, y, z).
        """
        rotations, names, unit = _rotations(place), *converted(kind, np.eye(3)[None])[1:]
        label = f"{kind.replace('_', ' ')} of {self._mechanism.station(place)[1]}"
        values: Evaluate = lambda motion: converted(kind, rotations(motion))[0]  # noqa: E731
        return self._answer(Question(values, {"angle": names}, label, unit, True))

    def yaw_pitch_roll(self, place: Any) -> Answer:
        """Yaw, pitch and roll (3,) of a place (rad): M3(yaw) M2(pitch) M1(roll). Source: [Lerbet17] 1.8.3."""
        return self.attitude(place)

    def velocity(self, place: Any, frame: str = "world") -> Answer:
        """Velocity (3,) of a place (m/s), in world axes or in those of the place (``frame="body"``)."""
        return self._of_place("velocity", place, frame)

    def angular_velocity(self, place: Any, frame: str = "world") -> Answer:
        """Angular velocity (3,) of a place (rad/s), in world axes or in those of the place."""
        return self._of_place("angular_velocity", place, frame)

    def acceleration(self, place: Any, frame: str = "world") -> Answer:
        """Acceleration (3,) of a place (m/s^2), in world axes or in those of the place."""
        return self._of_place("acceleration", place, frame)

    def angular_acceleration(self, place: Any, frame: str = "world") -> Answer:
        """Angular acceleration (3,) of a place (rad/s^2), in world axes or in those of the place."""
        return self._of_place("angular_acceleration", place, frame)

    # joints -----------------------------------------------------------------------------------------------------------

    def coordinate(self, joint: Any) -> Answer:
        """Coordinate of a joint: a number for one freedom, (k,) for several (m, rad).

        Angles run on through any number of turns. ``"joint.rz"`` picks one of several freedoms. In runs with floating
        frames also the modal coordinates of a beam or modal body, ``"arm"`` (mode,), or one of them, ``"arm.mode1"``.
        """
        return self._of_freedoms("coordinate", joint)

    def coordinate_rate(self, joint: Any) -> Answer:
        """Time derivative of `coordinate` (m/s, rad/s; of modes: their units per second)."""
        return self._of_freedoms("rate", joint)

    def effort(self, joint: Any) -> Answer:
        """Effort in the freedoms of a joint (N or N m), positive when it pushes the child along the coordinate.

        Where the motion is prescribed: what the drive must give. Elsewhere: the sum of spring, damper, friction and
        prescribed effort.
        """
        return self._of_freedoms("effort", joint)

    def reaction(self, joint: Any, frame: str = "world") -> Answer:
        """Wrench (6,) that the parent exerts on the child through the joint (N, N m).

        About the origin of the joint on the child's side, in world axes or, with ``frame="joint"``, in the axes of the
        joint frame of the child. Constraint forces, drives, and the efforts in the freedoms all count.

        For a knife edge, rolling disc or `Constraint`: the wrench on the body about its place, in world axes or, with
        ``frame="joint"``, in those of the body.
        """
        world = in_world(frame, "joint")
        values: Evaluate = lambda motion: rolling.reaction_of(motion, joint, world)  # noqa: E731
        name = f"reaction of {rolling.name_of(self._mechanism, joint)}"
        return self._answer(Question(values, {"component": WRENCH}, name, "N, N m"))

    # beams ------------------------------------------------------------------------------------------------------------

    def section_force(self, beam: Any, s: float | None = None) -> Answer:
        """Section force (6,) of a beam at s in [0, 1], or at a place of one: N, Qy, Qz (N), T, My, Mz (N m).

        The wrench that the part of larger s exerts on the part of smaller s, in the section's frame: a pulled beam has
        N > 0. Where a load or joint is attached inside the beam it jumps, and the value is that of smaller s.

        In floating frames it follows from the balance of the parts on both sides of the section: loads, wrenches of
        joints, and the inertia of the nodes as the modes move them. Where static loads prevail it is as good as the
        reactions, with however few modes; of a vibration it has the part of the modes that were kept. A manipulator
        that falls into its deflection: 8 percent off with two modes, 0.6 with four, 0.01 with eight.
        """
        return self.quantity("section_force", beam, s)

    def strain(self, beam: Any, s: float | None = None) -> Answer:
        """Strain measures (6,) of a beam at s, or at a place of one: stretch, shears (1), twist, curvatures (1/m)."""
        return self.quantity("strain", beam, s)

    # by word ----------------------------------------------------------------------------------------------------------

    def quantity(self, word: str, item: Any, s: float | None = None) -> Answer:
        """A quantity by the word that linear models use for it as an output, such as ``"velocity"`` or ``"effort"``.

        Of a place, of a joint, or of a beam at s or at one of its places; rotations are vectors, counted from the first
        stored time.
        """
        _, label, _ = target_of(self._mechanism, word, item, s)
        row = KINDS[word]
        if not row.components:
            return self._of_freedoms(word, item)
        labels, units = {"component": row.components}, ", ".join(dict.fromkeys(row.units))
        return self._answer(Question(_tabled(word, item, s), labels, f"{spoken(word)} of {label}", units))

    def _of_place(self, word: str, place: Any, frame: str = "world") -> Answer:
        """A quantity of the table that is of places, in world axes or in those of the place."""
        world, (_, label, _) = in_world(frame, "body"), target_of(self._mechanism, word, place)
        tabled, rotations, row = _tabled(word, place), _rotations(place), KINDS[word]
        own: Evaluate = lambda motion: kinematics.rotate(np.swapaxes(rotations(motion), 1, 2), tabled(motion))  # noqa: E731
        title = f"{spoken(word)} of {label}"
        return self._answer(Question(tabled if world else own, {"axis": AXES}, title, row.units[0], row.order == 0))

    def _of_freedoms(self, word: str, item: Any) -> Answer:
        """A quantity of the table with one value for each freedom of a joint."""
        joint, label, pick = target_of(self._mechanism, word, item)
        values, title = _tabled(word, item), f"{spoken(word)} of {label}"
        units = [unit_of(word, 0, kind) for kind in joint.kinds]
        placed = KINDS[word].order == 0 and not any(joint.driven)  # what is prescribed is an input
        if len(joint.names) == 1 or pick is not None:
            k = pick or 0
            return self._answer(Question(lambda motion: values(motion)[:, k], {}, title, units[k], placed))
        mixed = ", ".join(dict.fromkeys(units))
        return self._answer(Question(values, {"freedom": joint.names}, title, mixed, placed))


def _tabled(word: str, item: Any, s: float | None = None) -> Evaluate:
    """A quantity of the table as a function of motions, whatever their mechanism is."""
    return lambda motion: KINDS[word].values(motion, target_of(motion.mechanism, word, item, s)[0])


def _rotations(place: Any) -> Evaluate:
    """Axes (nt, 3, 3) of a place as a function of motions."""
    return lambda motion: kinematics.place_frames(motion, motion.mechanism.station(place)[0])[0]


def in_world(frame: str, other: str) -> bool:
    """Whether components are meant along world axes."""
    if not isinstance(frame, str) or frame not in ("world", other):
        raise SolveError(f"frame is {shown(frame)}; pass 'world' or {other!r}")
    return frame == "world"
