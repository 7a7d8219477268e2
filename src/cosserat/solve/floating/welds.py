"""Reactions of joints between bodies that one rigid link of a tree carries: from the balance of each body."""

from __future__ import annotations

import numpy as np

from cosserat.compile.compiled import row_to_frame
from cosserat.model.model import Model
from cosserat.results.beams import gyroscopic
from cosserat.results.joints import constraint_wrenches, joint_sides
from cosserat.results.kinematics import to_node
from cosserat.results.motion import Motion
from cosserat.results.nodal import external, times_mass
from cosserat.solve.relative.flexible_tree import FlexibleTree


def fill_welds(model: Model, tree: FlexibleTree, motion: Motion) -> None:
    """Multipliers of fixed joints inside rigid groups; the smallest ones where several hold the same bodies."""
    carrier, history = tree.data.carrier, motion.states
    infos = motion.mechanism.joints
    welds = []
    for joint in model.joints:
        sides = [-1 if place.on_ground else carrier[place.owner.name] for place in (joint.parent, joint.child)]
        if joint.kind == "fixed" and sides[0] == sides[1]:
            welds.append(infos[joint.name].index)
    if not welds:
        return
    arrays, bodies = motion.mechanism.system.joints, motion.mechanism.system.bodies
    held = external(motion).force
    place = {node: k for k, node in enumerate(dict.fromkeys(bodies.node.tolist()))}
    left = np.zeros((len(motion.time), len(place), 6))
    for row, node in enumerate(bodies.node.tolist()):  # of a body, and of fluid and propellant that move with it
        twist = motion.twist[:, node]
        left[:, place[node]] += times_mass(motion, row, motion.rate[:, node])
        left[:, place[node]] += gyroscopic(times_mass(motion, row, twist), twist)
    for node, k in place.items():
        left[:, k] -= held[:, node]
    columns = np.zeros((len(place), 6, len(welds), 6))
    for w, index in enumerate(welds):
        sides_now = joint_sides(motion, index)
        for row in range(6):
            history.force[:, index] = 0.0
            history.force[:, index, row] = 1.0
            both = constraint_wrenches(motion, index, sides_now)
            for node, frame, wrench in zip(arrays.node[index], (arrays.frame_a, arrays.frame_b), both, strict=True):
                if int(node) in place:
                    columns[place[int(node)], :, w, row] += to_node(wrench[:1], row_to_frame(frame[index]))[0]
    matrix = columns.reshape(6 * len(place), -1)
    found = np.linalg.lstsq(matrix, left.reshape(len(left), -1).T, rcond=1e-10)[0]
    history.force[:, welds] = found.T.reshape(len(left), len(welds), 6)
