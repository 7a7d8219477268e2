"""The data of a beam for its intrinsic equations: sections, reference strains, clamps, loads."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from cosserat.compile.build import compile_model
from cosserat.compile.compiled import frame_to_row, row_to_frame
from cosserat.compile.timetable import Sampler
from cosserat.errors import ArgumentError, ModelError, SolveError
from cosserat.kernels.arrays import Loads
from cosserat.kernels.loads import add_load
from cosserat.lie import SE3, se3
from cosserat.lie.protocol import Array
from cosserat.model import GROUND, Beam, DistributedLoad, Fixed, Force, Model, Torque, Wrench

__all__ = ["IntrinsicBeam", "coadjoint_of", "intrinsic_beam"]

_WHO = "intrinsic"
_CONSTANTS = SE3.structure_constants()
_KINDS = (Force, Torque, Wrench, DistributedLoad)


@dataclass(frozen=True)
class IntrinsicBeam:
    """A beam of n nodes: arrays over nodes (n) and elements (n - 1)."""

    name: str
    s: Array  # (n,)
    frames: Array  # (n, 4, 4) reference
    twist: Array  # (n, 6) at the start
    mass: Array  # (n, 6, 6) per unit length
    weight: Array  # (n,) length that a node stands for
    length: Array  # (n-1,)
    stiffness: Array  # (n-1, 6, 6)
    reference: Array  # (n-1, 6) strains without stress
    damping: Array  # (n-1,) Kelvin-Voigt time
    clamped: tuple[int, ...]  # nodes
    gravity: Array
    nodal: Loads
    sampler: Sampler

    def loads(self, inputs: Any, H: Array, middle: Array, half: float) -> Array:
        """Wrenches (n, 6) on the nodes, in their frames carried half a step by the twists ``middle``."""
        taken = np.zeros((len(self.s), 6))
        dead = self.nodal.node[self.nodal.follower == 0].tolist()
        nodes = range(len(self.s)) if self.gravity.any() else sorted({*dead})
        rows = {i: frame_to_row(H[i] @ se3.exp(half * middle[i])) for i in nodes}
        still = np.zeros(12)
        frames = [rows.get(i, still) for i in range(len(self.s))]  # those of follower loads are not looked at
        for k in range(len(self.nodal.node)):
            add_load(self.nodal, k, frames, inputs.wrench[0], taken)
        if self.gravity.any():
            for i, row in rows.items():
                taken[i] -= self.weight[i] * self.mass[i, :, :3] @ (row[:9].reshape(3, 3).T @ self.gravity)
        return -taken

    def closed(self, strain: Array) -> Array:
        """Return strains changed as little as possible so that they lead from one clamp to the other."""
        target = self.frames[-1]
        for _ in range(4):
            steps = self.length[:, None] * strain
            moves = [se3.exp(d) for d in steps]
            after = np.eye(4)
            rows = np.empty((len(moves), 6, 6))
            for e in range(len(moves) - 1, -1, -1):
                rows[e] = self.length[e] * se3.adjoint(se3.inverse(after)) @ se3.tangent(steps[e])
                after = moves[e] @ after
            error = se3.log(se3.inverse(self.frames[0] @ after) @ target)
            if float(np.max(np.abs(error))) < 1e-14 * max(1.0, float(np.sum(self.length))):
                break
            soft = np.linalg.inv(self.stiffness) / self.length[:, None, None]
            flexibility = np.einsum("eij,ejk,elk->il", rows, soft, rows)
            strain = strain + np.einsum("eij,ekj,k->ei", soft, rows, np.linalg.solve(flexibility, error))
        return strain


def intrinsic_beam(beam: Any, model: Any) -> IntrinsicBeam:
    """Return the data of a beam in its model, or raise an error that says what the intrinsic solver cannot take."""
    if not isinstance(beam, Beam):
        raise ArgumentError(_WHO, "beam", f"is {beam!r}; pass a Beam")
    if model is None:
        model = Model(beam.name)
        model.add(beam)
    if not isinstance(model, Model):
        raise ArgumentError(_WHO, "model", f"is {model!r}; pass a Model")
    if not any(item is beam for item in model.beams):
        raise ArgumentError(_WHO, "model", f"does not contain the beam {beam.name!r}")
    compiled = compile_model(model, floating=True)  # line loads shared out to the nodes, all of them
    mesh = compiled.beams[beam.name]
    if mesh.corners:
        raise ModelError(f"{_WHO}: beam {beam.name!r} has corners; the intrinsic solver takes smooth beams")
    clamped = _clamps(beam, model, mesh.first_node, mesh.n_nodes)
    rows = compiled.frames[mesh.nodes]
    frames = np.array([row_to_frame(row) for row in rows])
    d0 = np.array([se3.log(se3.inverse(a) @ b) for a, b in pairwise(frames)])
    length = np.linalg.norm(d0[:, :3], axis=1)
    middles = 0.5 * (mesh.s[1:] + mesh.s[:-1])
    weight = np.zeros(mesh.n_nodes)
    weight[:-1] += 0.5 * length
    weight[1:] += 0.5 * length
    twist = compiled.twists[: mesh.n_nodes].copy()
    for node in clamped:
        if np.abs(twist[node]).max() > 1e-9 * max(1.0, np.abs(twist).max()):
            at = f"s = {mesh.s[node]:g}"
            raise ModelError(f"{_WHO}: the initial velocity of beam {beam.name!r} moves its clamp at {at}")
        twist[node] = 0.0
    if beam.medium is not None and not beam.medium.is_quadratic:
        raise SolveError(
            f"intrinsic: {beam.title}: its potential is not quadratic; the intrinsic equations are solved for linear "
            "materials; use cs.simulate"
        )
    return IntrinsicBeam(
        name=beam.name,
        s=mesh.s,
        frames=frames,
        twist=twist,
        mass=np.array([beam.section_at(float(s))[1] for s in mesh.s]),
        weight=weight,
        length=length,
        stiffness=np.array([beam.section_at(float(s))[0] for s in middles]),
        reference=d0 / length[:, None],
        damping=np.array([beam.damping_at(float(s)) for s in middles]),
        clamped=clamped,
        gravity=np.asarray(compiled.sampler.gravity, dtype=float),
        nodal=compiled.system.loads,
        sampler=compiled.sampler,
    )


def _clamps(beam: Beam, model: Model, first: int, n: int) -> tuple[int, ...]:
    """Return the clamped nodes; everything but clamps and loads is an error that names the item."""
    found = set()
    for item in model.components:
        if item is beam or isinstance(item, _KINDS):
            continue
        if isinstance(item, Fixed):
            own, other = (item.child, item.parent) if item.child.owner is beam else (item.parent, item.child)
            for node, end in ((0, beam.start), (n - 1, beam.end)):
                if other.owner is GROUND and own == end:
                    found.add(node)
                    break
            else:
                raise ModelError(f"{_WHO}: joint {item.name!r} is no clamp of an end of {beam.name!r} to the ground")
            continue
        raise ModelError(
            f"{_WHO}: the model has {item.name!r} ({type(item).__name__}); the intrinsic solver takes one beam, its "
            "loads, and Fixed joints of its ends to the ground; use cs.simulate for the rest"
        )
    for what, given in (("gravity of a central body", model.field), ("moving frame", model.frame)):
        if given is not None:
            raise ModelError(f"{_WHO}: the {what} of {model.title} is not taken by this solver; use cs.simulate")
    return tuple(sorted(found))


def coadjoint_of(p: Array) -> Array:
    """Matrices C with ad(x)^T p = C x, of many momenta: (..., 6) -> (..., 6, 6)."""
    return np.tensordot(p, _CONSTANTS.transpose(2, 1, 0), axes=1)
