"""`linearize`: the linear model of a mechanism about an equilibrium, a steady rotation or a moment of a run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csc_matrix, vstack

from cosserat.calls import answered
from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.linear import ACCELERATION, POSITION, LinearModel
from cosserat.results.state_space import LawStates, OutputRows, RollingStates, definite
from cosserat.solve.analyses.points import point_at
from cosserat.solve.arguments import carrying, check_choice, check_count
from cosserat.solve.gradients import nearest_motion
from cosserat.solve.linear.basis import Basis, MovingColumns, constant, leading, mode_names
from cosserat.solve.linear.eigen import symmetric_modes
from cosserat.solve.linear.matrices import Matrices
from cosserat.solve.linear.ports import InputPorts, OutputPorts, input_ports, output_ports
from cosserat.solve.linear.rolling_spectrum import rolling_space
from cosserat.solve.linear.scaling import meeting

_DENSE = 400  # degrees of freedom up to which a reduced model comes from the full one
_LARGEST = 3000  # degrees of freedom up to which all are kept


@answered()
@carrying("about")
def linearize(
    model: Model,
    inputs: Any = (),
    outputs: Any = (),
    about: Any = None,
    *,
    time: float = 0.0,
    spin: Any = None,
    center: Any = (0.0, 0.0, 0.0),
    modes: int | None = None,
    drive: str = POSITION,
    formulation: Any = None,
) -> LinearModel:
    """Linear equations of motion of a mechanism, with named inputs and outputs.

    Parameters
    ----------
    model : Model
    inputs : names
        A joint or ``"joint.freedom"`` (its effort, or its motion where that is prescribed); a load (along its present
        direction) or ``"load.fx"`` ... ``"load.mz"``; a new force at a place, ``"arm.end.fz"``; a parameter.
    outputs : names
        ``"arm.end"`` (position) or ``"arm.end.x"``, also ``.rotation, .velocity, .angular_velocity, .section_force,
        .strain``; a joint (its coordinates), also ``.rate, .effort, .reaction``; single components such as
        ``"arm.end.vy"``, ``"arm.at(0.5).Mz"``, ``"elbow.fz"``.
    about, time, spin, center
        The point: as for `modes`. About a moment of a run the coefficients are those of that moment, frozen. About a
        steady motion ("motion") outputs are along axes that go along, and places those of frames that do not spin.
    modes : int, optional
        Keep so many undamped modes (`LinearModel.reduce`); sparse where the stiffness is symmetric, so that the
        mechanism may be large.
    drive : "position" or "acceleration"
        What the input of a prescribed motion is. With its position, velocities and reactions that follow it at once
        cannot be outputs.
    formulation : "galilean", "floating" or Floating, optional
        As for `equilibrium`. In floating frames the coordinates are those of the tree.

    Returns
    -------
    LinearModel

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -9.81))
    >>> bob = model.add(cs.RigidBody("bob", mass=2.0, com=(0, 0, -1), inertia=[1e-9] * 3))
    >>> _ = model.add(cs.Revolute("pivot", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0), damping=0.4))
    >>> linear = cs.linearize(model, inputs="pivot", outputs="bob.x")
    >>> linear.states, linear.A[1].round(4).tolist()
    (('pivot', 'pivot.rate'), [-9.81, -0.2])
    """
    check_choice(drive, "linearize", "drive", (POSITION, ACCELERATION))
    modes = None if modes is None else check_count(modes, "linearize", "modes")
    point = point_at(model, about, time=time, spin=spin, center=center, caller="linearize", formulation=formulation)
    matrices = point.matrices()
    ins = input_ports(point, inputs)
    outs = output_ports(point, outputs, ins)
    free = matrices.mass.shape[0] - point.n_constraints
    if matrices.slips is not None:
        if modes is not None:
            raise SolveError(
                "linearize: a mechanism that rolls has no undamped modes to keep; leave out modes, or linearise it at "
                "rest, about=None"
            )
        return rolling_model(point, matrices, ins, outs, drive)
    if modes is not None and free > _DENSE and modes < free and not point.turning and point.is_symmetric(matrices):
        linear = _modal(point, matrices, ins, outs, modes, drive)
    elif free > _LARGEST:
        raise SolveError(
            f"linearize: the mechanism has {free} degrees of freedom, too many to keep all; pass modes=20 or so to "
            "keep the slowest (where the stiffness is symmetric), or use frequency_response"
        )
    else:
        basis = point.basis(matrices)
        linear = project(point, matrices, ins, outs, basis, following(point, matrices, basis, ins), drive)
        linear = linear if modes is None else linear.reduce(modes)
    linear._space  # noqa: B018  (an output that cannot be is refused now)
    return linear


def project(
    point: Any,
    matrices: Matrices,
    ins: InputPorts,
    outs: OutputPorts,
    basis: Basis,
    driven: MovingColumns,
    drive: str,
    give: tuple[Array, Array, Array] | None = None,
) -> LinearModel:
    """The linear equations on the motions x = N q + G u, where G follows the drives.

    With N and G that change in time, x' = N q' + N' q + G u' + G' u, and so on. `give` is what else gives way at once
    to u, to q' and to u'.
    """
    M, D = matrices.mass, matrices.damping
    position, rate, acceleration, direct = outs.position, outs.rate, outs.acceleration, outs.direct
    if np.any(outs.multiplier):
        # Phi^T lambda = f u - M x" - D x' - K x, and Phi L = multiplier^T: y has L^T of it
        L = _balancing(matrices, outs.multiplier)
        position, rate = position - (matrices.stiffness.T @ L).T, rate - (D.T @ L).T
        acceleration, direct = acceleration - (M.T @ L).T, direct + L.T @ ins.force
    rows = OutputRows(position, rate, acceleration, direct, 0.0 * direct, 0.0 * direct)
    N, (G, G1, G2) = basis.motions.value, driven
    mass = N.T @ (M @ N)
    force = N.T @ (ins.force - D @ G1 - M @ G2) - matrices.form(N, G)
    more, slow, lag = (0.0 * G, 0.0 * N, 0.0 * G) if give is None else give
    return LinearModel(
        mass=definite(mass + N.T @ (D @ slow), mass),
        damping=basis.damping(matrices),
        stiffness=basis.stiffness(matrices),
        force=force,
        drag=N.T @ (D @ G + 2.0 * (M @ G1)),
        rows=rows.on(basis.motions, driven, more, slow, lag),
        basis=point.nodal(N),
        drives=point.nodal(G + more),
        dual=basis.dual,
        frames=point.frames,
        layout=point.compiled.layout,
        driven=tuple(bool(np.any(column)) for column in ins.drive.T),
        coordinates=basis.names,
        inputs=ins.names,
        outputs=outs.names,
        values=outs.values,
        drive=drive,
        name=point.model.name,
        kind=point.kind,
        time=point.time,
        point=point,
        inner=_inner(point, matrices, ins, outs, basis, driven),
    )


def _inner(
    point: Any, matrices: Matrices, ins: InputPorts, outs: OutputPorts, basis: Basis, driven: MovingColumns
) -> LawStates | None:
    """States of laws as states of the linear model."""
    inner = matrices.inner
    if inner is None:
        return None
    if np.any(driven.value):
        raise SolveError(
            f"linearize: prescribed motions cannot be inputs where laws own states, such as "
            f"{point.compiled.inner_names[0]!r}; drive the joint by an effort instead"
        )
    own, n = inner.projected(basis.motions.value, basis.motions.rate), len(point.compiled.inner_names)
    rows = np.zeros((len(outs.names), n))
    if np.any(outs.multiplier):
        rows = _balancing(matrices, outs.multiplier).T @ inner.push.toarray()
    return LawStates(
        names=point.compiled.inner_names,
        push=own.push.toarray(),
        position=own.position.toarray(),
        velocity=own.velocity.toarray(),
        rate=own.rate.toarray(),
        force=ins.inner(n),
        rows=rows,
        values=point.inner_values.copy(),
    )


def rolling_model(
    point: Any, matrices: Matrices, ins: InputPorts, outs: OutputPorts, drive: str = POSITION
) -> LinearModel:
    """The linear equations of a mechanism in steady motion whose wheels roll, in coordinates and fewer velocities."""
    assert matrices.slips is not None
    if np.any(ins.drive):
        raise SolveError(
            "linearize: prescribed motions and the geometry cannot be inputs where wheels roll; pass about=None to "
            "linearise at rest, or use frequency_response"
        )
    held = replace(matrices, constraints=matrices.constraints[~matrices.slips.rows], slips=None)
    basis = point.basis(held)
    space = rolling_space(matrices, basis.motions.value)
    chosen = leading(space.velocities)
    Z = np.asarray(np.linalg.solve(space.velocities[chosen].T, space.velocities.T).T)
    space = rolling_space(matrices, basis.motions.value, (Z, chosen))
    empty = InputPorts(ins.columns, ins.force, 0.0 * ins.drive)
    linear = project(point, matrices, empty, outs, basis, constant(np.zeros_like(ins.force)), drive)
    return replace(
        linear,
        mass=space.mass,
        damping=space.damping,
        stiffness=space.stiffness,
        force=space.velocities.T @ linear.force,
        drag=np.zeros_like(space.velocities.T @ linear.force),
        rolling=RollingStates(space.drift, space.velocities, tuple(chosen)),
    )


def _balancing(matrices: Matrices, multiplier: Array) -> Array:
    """L (6n, p) with Phi L = multiplier^T, the smallest in typical lengths."""
    return meeting(matrices, heavy=False)(multiplier.T)


def following(point: Any, matrices: Matrices, basis: Basis, ins: InputPorts) -> MovingColumns:
    """G (6n, k) with Phi G = drive and N^T M G = 0: accelerations of prescribed motions do not push q."""
    if not np.any(ins.drive):
        return constant(np.zeros_like(ins.force))
    G = meeting(matrices, heavy=True)(ins.drive)
    if basis.transport is None:
        return constant(G)
    demands = basis.transport.derivatives(lambda: (np.stack([c.demand(point) for c in ins.columns], axis=1),))
    return basis.transport.carried(G, demands[0])


def _modal(point: Any, matrices: Matrices, ins: InputPorts, outs: OutputPorts, modes: int, drive: str) -> LinearModel:
    """The n slowest modes of a large symmetric mechanism as coordinates; the others give way statically. Sparse."""
    found = symmetric_modes(matrices, modes)
    n_free = int(np.count_nonzero(found.squares == 0.0))
    if modes < n_free:
        raise SolveError(
            f"linearize: modes={modes}, but the mechanism has {n_free} free motions, which cannot give way statically; "
            f"pass modes={n_free} or more"
        )
    V = found.shapes[:, :modes]
    phi = matrices.constraints
    heavy = np.asarray(matrices.mass @ V)
    border = vstack((phi, csc_matrix(heavy[:, found.squares[:modes] == 0.0]).T), format="csc")
    rest = border.shape[0] - phi.shape[0]  # free motions are held by their inertia
    statics = nearest_motion(border, matrices.stiffness)
    # Prescribed motions with their static deflection, less the part of it that the kept modes describe.
    followed, _ = statics(0.0 * ins.force, np.vstack((ins.drive, np.zeros((rest, len(ins.names))))))
    share = heavy.T @ followed
    force = V.T @ ins.force + (V.T @ (matrices.stiffness @ V)) @ share

    def gives(force: Array) -> Array:
        """What the modes that are left out give way to forces (6n, k)."""
        pushed = force - heavy @ (V.T @ force)
        x, _ = statics(pushed, np.zeros((border.shape[0], force.shape[1])))
        return np.asarray(x - V @ (heavy.T @ x))

    G = followed - V @ share
    give = gives(ins.force), -gives(matrices.damping @ V), -gives(matrices.damping @ G)
    basis = Basis(constant(V), mode_names(modes), 0, np.asarray(heavy.T))
    linear = project(point, matrices, ins, outs, basis, constant(G), drive, give)
    return replace(linear, force=force)
