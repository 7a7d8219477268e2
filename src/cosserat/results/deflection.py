"""How far elasticity moves things: where a run has its places, and where its joints alone would have put them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cosserat.compile.compiled import row_to_frame
from cosserat.compile.spanning import GROUND_GROUP, span
from cosserat.lie.protocol import Array
from cosserat.model.places import Place
from cosserat.results.kinematics import place_frames, rotate
from cosserat.results.mechanism import at_node
from cosserat.results.run import Run

_ROUNDING = 1e-12


class Move(NamedTuple):
    """A rigid motion over time that carries reference positions X to R X + x: (nt, 3, 3), (nt, 3)."""

    R: Array
    x: Array

    def after(self, other: Move) -> Move:
        """This motion after another one."""
        return Move(self.R @ other.R, self.x + rotate(self.R, other.x))

    def inverse(self) -> Move:
        """The motion back."""
        back = np.swapaxes(self.R, 1, 2)
        return Move(back, -rotate(back, self.x))

    def of(self, point: Array) -> Array:
        """Positions (nt, 3) of a reference position (3,)."""
        return self.x + self.R @ point


class Bending(NamedTuple):
    """How far a beam deforms, as seen from the section that carries it."""

    deflection: float  # largest displacement (m)
    rotation: float  # largest rotation of a section (rad)
    length: float


class Deflections:
    """Deflections of a run: each body is carried by the joints of a spanning tree, with beams as rigid ones.

    A body that no joint ties to the ground carries itself; if it is a beam, by the mean motion of its nodes.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        spanning = span(run.model, {name for phase in run.motion.phases for name in phase.open})
        nt = len(run.time)
        carriers = {GROUND_GROUP: Move(np.tile(np.eye(3), (nt, 1, 1)), np.zeros((nt, 3)))}
        self._roots: dict[str, Move] = {}
        self._root_places: dict[str, Place] = {}
        for edge in spanning.edges:
            elastic = spanning.elastic[edge.outer]
            if edge.joint is None:
                name = spanning.bodies[edge.outer][0].name if elastic is None else elastic.name
                carriers[edge.outer] = root = self._own(name)
            else:
                inner, outer = edge.joint.parent, edge.joint.child
                if edge.reverse:
                    inner, outer = outer, inner
                root = self._section(outer)
                step = root if inner.on_ground else self._section(inner).inverse().after(root)
                carriers[edge.outer] = carriers[edge.inner].after(step)
                self._root_places[outer.owner.name] = outer
            if elastic is not None:
                self._roots[elastic.name] = root
        self._carriers = {name: carriers[group] for name, group in spanning.group.items()}

    def of(self, place: str | Place) -> Array:
        """Displacement (nt, 3) by elasticity of a place, in world axes (m)."""
        place = self._run.model.place(place)
        carried = self._carriers[place.owner.name].of(place.frame()[:3, 3])
        return np.asarray(self._run.position(place).values - carried)

    def largest(self, place: str | Place) -> float:
        """Largest distance (m) by which elasticity moves a place; rounding does not count."""
        far = float(np.linalg.norm(self.of(place), axis=1).max())
        extent = float(np.abs(self._run.position(place).values).max()) + self._run.motion.mechanism.length
        return far if far > _ROUNDING * extent else 0.0

    def bending(self) -> dict[str, Bending]:
        """Of every beam."""
        motion, out = self._run.motion, {}
        for beam in self._run.model.beams:
            mesh, back = motion.mechanism.beams[beam.name], self._roots[beam.name].inverse()
            far = turned = 0.0
            for node in range(mesh.first_node, mesh.first_node + mesh.n_nodes):
                local = back.after(self._of_node(node))
                X = motion.mechanism.frames[node, 9:]
                far = max(far, float(np.linalg.norm(local.of(X) - X, axis=1).max()))
                turned = max(turned, float(rotation_angles(local.R).max()))
            out[beam.name] = Bending(far, turned, float(beam.length))
        return out

    def rates(self) -> dict[str, float]:
        """Largest angular velocity (rad/s) of the section that carries each beam, of the middle of one that is free."""
        out = {}
        for beam in self._run.model.beams:
            place = self._root_places.get(beam.name, beam.at(0.5))
            out[beam.name] = float(np.linalg.norm(self._run.angular_velocity(place).values, axis=1).max())
        return out

    def _section(self, place: Place) -> Move:
        station, _ = self._run.motion.mechanism.station(place)
        return self._moved(*place_frames(self._run.motion, station), place.frame())

    def _of_node(self, node: int) -> Move:
        frame = row_to_frame(self._run.motion.mechanism.frames[node])
        return self._moved(*place_frames(self._run.motion, at_node(node)), frame)

    @staticmethod
    def _moved(R: Array, x: Array, reference: Array) -> Move:
        turn = R @ reference[:3, :3].T
        return Move(turn, x - turn @ reference[:3, 3])

    def _own(self, name: str) -> Move:
        mechanism = self._run.motion.mechanism
        if name in mechanism.bodies:
            return self._of_node(mechanism.bodies[name])
        mesh = mechanism.beams[name]
        nodes = range(mesh.first_node, mesh.first_node + mesh.n_nodes)
        moves = [self._of_node(node) for node in nodes]
        U, _, V = np.linalg.svd(np.mean([move.R for move in moves], axis=0))
        R = U @ V
        X = mechanism.frames[nodes.start : nodes.stop, 9:]
        x = np.mean([move.of(point) for move, point in zip(moves, X, strict=True)], axis=0)
        return Move(R, x - R @ X.mean(axis=0))


def rotation_angles(R: Array) -> Array:
    """Angles (nt,) of rotation matrices (nt, 3, 3), exact for small ones too."""
    size = np.linalg.norm(R - np.eye(3), axis=(1, 2)) / (2.0 * np.sqrt(2.0))
    return np.asarray(2.0 * np.arcsin(np.minimum(size, 1.0)))
