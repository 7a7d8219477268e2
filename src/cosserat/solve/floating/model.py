"""A model in floating frames: what steps, starts, results and analyses of its tree have in common."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from cosserat.compile.compiled import row_to_frame
from cosserat.compile.modal_dynamics import Seat, seat_on
from cosserat.compile.rules import break_array
from cosserat.compile.skeleton import Skeleton
from cosserat.compile.timetable import Timetable
from cosserat.compile.tree import TreeData, grown_tree, linked_again
from cosserat.model.model import Model
from cosserat.results.trajectory import Reference
from cosserat.solve.formulation import Floating
from cosserat.solve.relative.coordinates import Drives
from cosserat.solve.relative.flexible_tree import FlexibleTree
from cosserat.solve.relative.tree_constraints import TreeConstraints


class FloatingModel:
    """A model as a tree.

    Parameters
    ----------
    model : Model
    data : TreeData
        Of the model, its loops cut.
    reference : Reference, optional
        Nodes of the Galilean mesh, on which results stand, and sizes.
    loose : collection of str
        Names of cut joints that may open.

    Attributes
    ----------
    tree : FlexibleTree
    drives : Drives
        Prescribed coordinates.
    constraints : TreeConstraints
        What closes loops, rolls, or is prescribed otherwise.
    seats : list of Seat
        Where the nodes are.
    size : float
        Extent of the mechanism (m).
    """

    def __init__(
        self, model: Model, data: TreeData, reference: Reference | None = None, loose: Collection[str] = ()
    ) -> None:
        kept = None if reference is None else reference.kept
        self.tree, self.data, self.reference = FlexibleTree.of_data(model, data, kept), data, reference
        self.size = 1.0 if reference is None else reference.size
        self.drives = Drives(data)
        self.seats = [] if reference is None else _seats_of(data, reference.skeleton)
        self.constraints = TreeConstraints(model, data, [seat for seat in self.seats if seat.link >= 0], loose)

    def timetable(self, reference: Reference, t: float, duration: float) -> Timetable:
        """When something in the tree, its cut joints and its drives is not smooth, in a run from time t on."""
        model, constraints = reference.model, self.constraints
        driven = tuple(joint for joint in model.joints if any(motion is not None for motion in joint.motion))
        functions = *self.tree.forces.functions(), *constraints.functions
        found = Timetable(functions, driven, self.tree.forces.units, constraints.rules, tuple(model.servos))
        reference.rules = constraints.rules
        if constraints.rules:
            found.look(t, duration)
            constraints.closed.held.breaks[:] = break_array(constraints.rules)
        return found


def floating_model(
    model: Model, reference: Reference, frames: Floating, caller: str, like: TreeData | None = None,
    loose: Collection[str] = (), again: bool = False,
) -> FloatingModel:  # fmt: skip
    """The model as a tree, its loops cut, with the nodes of a reference; beams keep the stations of their meshes.

    `like`: data of nearly the same model, whose modal coordinates of beams mean the same; `again`: of the same bodies
    and beams under other loads, whose reduced beams are used again. `loose`: names of joints that may open, which are
    cut, too.
    """
    if like is not None and again:
        data = linked_again(model, like)
    else:
        stations = {name: [float(s) for s in mesh.s] for name, mesh in reference.skeleton.beams.items()}
        data = grown_tree(
            model, frames.modes, frames.boundary, frames.stiffening, stations, caller, cut=True, loose=loose, like=like
        )  # fmt: skip
    return FloatingModel(model, data, reference, loose)


def _seats_of(data: TreeData, nodes: Skeleton) -> list[Seat]:
    """Seat of every node of the Galilean mesh, and of the frames of modal bodies."""
    out = [Seat(-1, np.eye(4))] * nodes.n_nodes
    found: list[tuple[str, int, str | None]] = [(name, node, None) for name, node in nodes.bodies.items()]
    for name, mesh in nodes.beams.items():
        stations = data.reduced.stations[name]
        for k, s in enumerate(mesh.s):
            found.append((name, mesh.first_node + k, min(stations, key=lambda key: abs(stations[key] - s))))
    for name, modal in nodes.modal.items():
        out[modal.frame] = Seat(data.carrier[name], np.eye(4))
        found += [(name, node, key) for key, node in modal.interfaces.items()]
    for name, node, key in found:
        link = data.carrier[name]
        if link >= 0:
            interface = None if key is None else data.reduced.bodies[name].interfaces[key]
            out[node] = seat_on(link, data.links[link].frame, row_to_frame(nodes.frames[node]), interface)
    return out
