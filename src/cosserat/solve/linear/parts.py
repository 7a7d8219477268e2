"""The share of one joint or one element in the equations: those of the mechanism with everything else taken away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix

from cosserat.compile.compiled import System, frame_to_row
from cosserat.compile.elements import element_weights
from cosserat.compile.state_laws import law_addresses
from cosserat.kernels.arrays import LineLoads, Media, StateLoads
from cosserat.solve.linear.matrices import tangents
from cosserat.solve.linear.point import Point

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """Residual (n, 6) of a part in the nodes' frames, and its matrices (6n, 6n): residual' = M x" + D x' + K x."""

    residual: Array
    mass: csc_matrix
    damping: csc_matrix
    stiffness: csc_matrix

    def at(self, node: int) -> tuple[Array, Array, Array, Array]:
        """Residual (6,) at a node and its dependence (6, 6n) on x, x' and x"."""
        rows = slice(6 * node, 6 * node + 6)
        parts = (m[rows].toarray() for m in (self.stiffness, self.damping, self.mass))
        return (self.residual[node], *parts)


def joint_part(point: Point, j: int, passive: bool = True) -> Part:
    """What joint j exerts: its constraints, and with `passive` its springs, dampers, friction and efforts."""
    system = _empty(point)
    ours = point.compiled.system
    n_rows = np.zeros_like(ours.joints.n_rows)
    n_rows[j] = ours.joints.n_rows[j]
    system = system._replace(joints=ours.joints._replace(n_rows=n_rows))
    if not passive:
        return _part(point, system)
    elsewhere = ours.freedoms.joint != j
    freedoms = ours.freedoms._replace(
        stiffness=np.where(elsewhere, 0.0, ours.freedoms.stiffness),
        damping=np.where(elsewhere, 0.0, ours.freedoms.damping),
        friction=np.where(elsewhere, 0.0, ours.freedoms.friction),
        effort=np.where(elsewhere, -1, ours.freedoms.effort),
        target=np.where(elsewhere, -1, ours.freedoms.target),
        armature=np.where(elsewhere, 0.0, ours.freedoms.armature),
    )
    return _part(point, system._replace(freedoms=freedoms))


def elastic_part(point: Point, e: int, viscous: bool) -> Part:
    """Internal forces of element e, with or without those of its viscosity."""
    system, elements = _empty(point), point.compiled.system.elements
    stiffness, viscosity = np.zeros_like(elements.stiffness), np.zeros_like(elements.viscosity)
    stiffness[e] = elements.stiffness[e]
    if viscous:
        viscosity[e] = elements.viscosity[e]
    ours = system.elements._replace(stiffness=stiffness, viscosity=viscosity)
    media = point.compiled.system.media
    own = media.element == e
    rows = Media(media.element[own], media.point[own], media.weight[own], media.start[own], media.parameter)
    return _part(
        point,
        system._replace(elements=ours, media=rows),
        media=point.compiled.medium_addresses()[own],
    )


def burden_part(point: Point, beam: str, e: int) -> Part:
    """Inertia of element e less its weight and the loads along it, shared out to its nodes."""
    system, ours = _empty(point), point.compiled.system
    elements, nodes, loads = ours.elements, system.nodes, ours.loads
    mass = np.zeros_like(elements.mass)
    mass[e] = elements.mass[e]
    weights, arms = element_weights(elements.mass[e : e + 1])
    for side, node in enumerate(elements.node[e]):
        nodes.mass[node] += weights[0, side]
        nodes.moment[node] += arms[0, side]
    gain, frame = np.zeros_like(loads.gain), loads.frame.copy()
    first = point.mechanism.beams[beam].first_element
    for line in point.mechanism.line_loads(beam):
        for side, node in enumerate(elements.node[e]):
            found = np.nonzero((loads.column == line.columns[e - first]) & (loads.node == node))[0]
            if not len(found):  # nothing of it acts on this node
                continue
            k = int(found[0])
            R = point.compiled.frames[node, :9].reshape(3, 3)
            turn = np.kron(np.eye(2), R)
            spread = line.spread[e - first, side]
            gain[k] += turn @ spread @ turn.T
            frame[k] = frame_to_row(np.block([[R.T, np.zeros((3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]]))
    system = system._replace(
        elements=system.elements._replace(mass=mass),
        loads=loads._replace(gain=gain, frame=frame),
        line_loads=LineLoads(*(array[ours.line_loads.element == e] for array in ours.line_loads)),
    )
    laws, own = ours.state_loads, set(elements.node[e].tolist())
    apparent = [k for k in np.nonzero(laws.pair == 2)[0].tolist() if set(laws.node[k].tolist()) == own]
    if not apparent:
        return _part(point, system)
    first, last = apparent[0], apparent[-1] + 1  # they follow one another
    rows, ends = slice(first, last), slice(first, last + 1)
    whole = {"start": laws.start[ends], "inner": laws.inner[ends], "parameter": laws.parameter, "signal": laws.signal}
    mine: dict[str, Any] = {name: whole.get(name, array[rows]) for name, array in laws._asdict().items()}
    return _part(point, system._replace(state_loads=StateLoads(**mine)), law_addresses(point.compiled.laws[rows]))


def _empty(point: Point) -> System:
    """The mechanism with nothing in it, its numbering kept."""
    ours = point.compiled.system
    zero = np.zeros_like
    return System(
        nodes=ours.nodes._replace(mass=zero(ours.nodes.mass), moment=zero(ours.nodes.moment)),
        elements=ours.elements._replace(
            like=np.arange(len(ours.elements.node)),
            stiffness=zero(ours.elements.stiffness),
            viscosity=zero(ours.elements.viscosity),
            mass=zero(ours.elements.mass),
        ),
        bodies=ours.bodies._replace(mass=zero(ours.bodies.mass)),
        joints=ours.joints._replace(n_rows=zero(ours.joints.n_rows)),
        freedoms=ours.freedoms._replace(
            stiffness=zero(ours.freedoms.stiffness),
            damping=zero(ours.freedoms.damping),
            friction=zero(ours.freedoms.friction),
            effort=np.full_like(ours.freedoms.effort, -1),
            target=np.full_like(ours.freedoms.target, -1),
            armature=zero(ours.freedoms.armature),
        ),
        turns=ours.turns,
        springs=ours.springs._replace(stiffness=zero(ours.springs.stiffness), damping=zero(ours.springs.damping)),
        loads=ours.loads._replace(gain=zero(ours.loads.gain)),
        line_loads=ours.line_loads._replace(element=ours.line_loads.element[:0]),
        state_loads=ours.state_loads._replace(node=ours.state_loads.node[:0]),
        media=ours.media._replace(element=ours.media.element[:0]),
        rolling=ours.rolling._replace(node=ours.rolling.node[:0]),
        rules=ours.rules._replace(item=ours.rules.item[:0]),
        pattern=ours.pattern,
    )


def _part(point: Point, system: System, units: Any = None, media: Any = None) -> Part:
    memory = point.memory
    ours: dict[str, Any] = {name: getattr(memory.problem, name) for name in (*System._fields, "solver")}
    solver = memory.problem.solver
    solver = solver._replace(
        units=solver.units if units is None else units, media=solver.media if media is None else media
    )
    try:
        memory.replace(**system._asdict(), solver=solver)
        point.refresh()
        residual = memory.problem.trial.residual[: point.compiled.n_nodes].copy()
        return Part(residual, *tangents(point))
    finally:
        memory.replace(**ours)
        point.refresh()
