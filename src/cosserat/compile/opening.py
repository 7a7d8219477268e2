"""Joints that are open for a while in a run: they hold nothing, and nothing acts along their freedoms. Springs, too.

Their rows, multipliers and freedoms keep their places in all arrays, so that the pattern of the equations stays.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import CompiledModel, System
from cosserat.compile.joints import ints
from cosserat.compile.rows import NO_BRANCH
from cosserat.kernels.arrays import Bodies

LAWS = ("stiffness", "damping", "friction", "kp", "kd")
"""What acts along a freedom whatever the time; the rest of it are columns of sampled inputs."""


def silent(system: System, joints: Collection[int], springs: Collection[int] = ()) -> System:
    """Arrays in which joints and springs with these numbers are open; all that does not change is shared."""
    if springs:
        lines, cut = system.springs, list(springs)
        stiffness, damping, column = lines.stiffness.copy(), lines.damping.copy(), lines.column.copy()
        stiffness[cut], damping[cut], column[cut] = 0.0, 0.0, -1
        given = np.zeros_like(lines.given)  # written anew wherever there is a column
        lines = lines._replace(stiffness=stiffness, damping=damping, column=column, given=given)
        system = system._replace(springs=lines)
    if not joints:
        return system
    rows, freedoms, numbers = system.joints, system.freedoms, list(joints)
    n_rows, branch = rows.n_rows.copy(), rows.branch.copy()
    n_rows[numbers], branch[numbers] = 0, NO_BRANCH
    own = np.isin(freedoms.joint, numbers)
    laws = {name: np.where(own, 0.0, getattr(freedoms, name)) for name in LAWS}
    columns = {name: np.where(own, -1, getattr(freedoms, name)) for name in ("effort", "target")}
    closed = np.delete(rows.node, numbers, axis=0)
    held = {*closed.ravel().tolist(), *system.rolling.node.tolist(), *system.rules.node.ravel().tolist()}
    return system._replace(
        bodies=system.bodies._replace(lone=lone_bodies(system.bodies, held)),
        joints=rows._replace(n_rows=n_rows, branch=branch),
        freedoms=freedoms._replace(**laws, **columns),
    )


def lone_bodies(bodies: Bodies, held: Collection[int]) -> NDArray[np.int64]:
    """Bodies, and their propellant, that no joint or other constraint holds; not where a fluid moves with them."""
    nodes, burning = bodies.node.tolist(), set(bodies.varying[:, 0].tolist())
    coupled = {
        i for k, (i, M) in enumerate(zip(nodes, bodies.mass, strict=True))
        if k not in burning and not np.array_equal(M[:3], np.eye(3, 6) * M[0, 0])
    }  # fmt: skip
    return ints([k for k, i in enumerate(nodes) if i not in held and i not in coupled])


def opened(compiled: CompiledModel, names: Collection[str]) -> CompiledModel:
    """A compiled model in which the joints and springs of these names are open."""
    joints = [k for k, joint in enumerate(compiled.joints) if joint.name in names]
    springs = [k for k, spring in enumerate(compiled.model.springs) if spring.name in names]
    return replace(compiled, system=silent(compiled.system, joints, springs))
