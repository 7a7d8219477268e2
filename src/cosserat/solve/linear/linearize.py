"""`linearize`: the linear model of a mechanism about an equilibrium, a steady rotation or a moment of a run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky, eigh, qr, solve_triangular
from scipy.sparse import block_array, csc_matrix, identity, vstack
from scipy.sparse.linalg import splu

from cosserat.errors import SolveError
from cosserat.model.model import Model
from cosserat.results.linear import ACCELERATION, POSITION, LinearModel, OutputRows
from cosserat.solve.arguments import check_choice, check_count
from cosserat.solve.linear.eigen import symmetric_modes
from cosserat.solve.linear.kinematic_rows import joint_jacobian
from cosserat.solve.linear.matrices import Matrices, matrices_at
from cosserat.solve.linear.modes import is_symmetric
from cosserat.solve.linear.output_rows import coordinate_names
from cosserat.solve.linear.point import Point, point_at
from cosserat.solve.linear.ports import InputPorts, OutputPorts, input_ports, output_ports

Array = NDArray[np.float64]

_INDEPENDENT = 1e-8  # smallest share of a coordinate that others do not say
_WELL_CONDITIONED = 1e-10
_DENSE = 400  # degrees of freedom up to which a reduced model comes from the full one
_LARGEST = 3000  # degrees of freedom up to which all are kept


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
        The point: as for `modes`. About a moment of a run the coefficients are those of that moment, frozen.
    modes : int, optional
        Keep so many undamped modes (`LinearModel.reduce`); sparse where the stiffness is symmetric, so that the
        mechanism may be large.
    drive : "position" or "acceleration"
        What the input of a prescribed motion is. With its position, velocities and reactions that follow it at once
        cannot be outputs.

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
    point = point_at(model, about, time=time, spin=spin, center=center, caller="linearize")
    matrices = matrices_at(point)
    ins = input_ports(point, inputs)
    outs = output_ports(point, outputs, ins)
    free = matrices.mass.shape[0] - point.n_constraints
    if modes is not None and free > _DENSE and modes < free and is_symmetric(point, matrices):
        linear = _modal(point, matrices, ins, outs, modes, drive)
    elif free > _LARGEST:
        raise SolveError(
            f"linearize: the mechanism has {free} degrees of freedom, too many to keep all; pass modes=20 or so to "
            "keep the slowest (where the stiffness is symmetric), or use frequency_response"
        )
    else:
        N, names = basis_of_motions(point, matrices)
        G = _following(matrices, ins)
        force = N.T @ (ins.force - matrices.stiffness @ G)
        linear = _project(point, matrices, ins, outs, N, names, drive, force, G)
        linear = linear if modes is None else linear.reduce(modes)
    linear._space  # noqa: B018  (an output that cannot be is refused now)
    return linear


def basis_of_motions(point: Point, matrices: Matrices) -> tuple[Array, tuple[str, ...]]:
    """Basis (6n, n_free) of the motions that the joints allow, and names of its coordinates.

    Joint coordinates as far as they are independent, with the static deflection that goes with them; then the modes,
    of unit modal mass, of the mechanism with these joints locked.
    """
    N = matrices.free_motions()
    if N.shape[1] == 0:
        raise SolveError("linearize: the joints allow no motion at all, there is nothing to linearise")
    joints, names = _joint_coordinates(point, N)
    M, K = N.T @ (matrices.mass @ N), N.T @ (matrices.stiffness @ N)
    _demand_inertia(M)
    if not len(joints):
        return N @ eigh(0.5 * (K + K.T), M)[1], _mode_names(0, N.shape[1])
    Q, R = qr(joints.T, mode="full")
    k = len(joints)
    moved, locked = Q[:, :k], Q[:, k:]
    if locked.shape[1]:
        locked = locked @ eigh(locked.T @ (0.5 * (K + K.T)) @ locked, locked.T @ M @ locked)[1]
        stiffness = locked.T @ K @ locked
        well = 1.0 / np.linalg.cond(stiffness) > _WELL_CONDITIONED
        form = K if well else M  # with free motions left, deflections are not defined: least kinetic energy instead
        moved = moved - locked @ np.linalg.solve(locked.T @ form @ locked, locked.T @ form @ moved)
    moved = solve_triangular(R[:k], moved.T, trans=0, lower=False).T if k else moved
    return N @ np.hstack((moved, locked)), (*names, *_mode_names(0, locked.shape[1]))


def _joint_coordinates(point: Point, N: Array) -> tuple[Array, tuple[str, ...]]:
    """Rows (k, n_free) and names of joint coordinates that are independent of each other and not prescribed."""
    rows, names = [], []
    for joint in point.mechanism.joints.values():
        for i, (row, name) in enumerate(zip(joint_jacobian(point, joint), coordinate_names(joint), strict=True)):
            if not joint.driven[i]:
                rows.append(row @ N)
                names.append(name)
    if not rows:
        return np.zeros((0, N.shape[1])), ()
    J = np.array(rows)
    lengths = np.linalg.norm(J, axis=1)
    _, R, order = qr((J / np.where(lengths > 0, lengths, 1.0)[:, None]).T, mode="economic", pivoting=True)
    rank = int(np.count_nonzero(np.abs(np.diag(R)) > _INDEPENDENT))
    chosen = np.sort(order[:rank])
    return J[chosen], tuple(names[i] for i in chosen)


def _mode_names(first: int, count: int) -> tuple[str, ...]:
    return tuple(f"mode {first + i + 1}" for i in range(count))


def _demand_inertia(M: Array) -> None:
    scale = 1.0 / np.sqrt(np.maximum(np.diag(M), np.finfo(float).tiny))
    try:
        cholesky(scale[:, None] * M * scale)
    except LinAlgError:
        raise SolveError(
            "linearize: some motion has no inertia, so its acceleration is not defined; give every body a mass and an "
            "inertia about all axes in which it can turn"
        ) from None


def _project(
    point: Point,
    matrices: Matrices,
    ins: InputPorts,
    outs: OutputPorts,
    N: Array,
    names: tuple[str, ...],
    drive: str,
    force: Array,
    G: Array,
    give: Array | None = None,
) -> LinearModel:
    """The linear equations on the motions x = N q + G u (+ give u, at once), where G follows the drives."""
    M, D, K = matrices.mass, matrices.damping, matrices.stiffness
    position, rate, acceleration, direct = outs.position, outs.rate, outs.acceleration, outs.direct
    if np.any(outs.multiplier):
        # Phi^T lambda = f u - M x" - D x' - K x, and Phi L = multiplier^T: y has L^T of it
        n = K.shape[0]
        right = np.vstack((np.zeros((n, len(outs.names))), outs.multiplier.T))
        L = splu(matrices.bordered(identity(n, format="csc"))).solve(right)[:n]
        position, rate, acceleration = position - (K.T @ L).T, rate - (D.T @ L).T, acceleration - (M.T @ L).T
        direct = direct + L.T @ ins.force
    mass = N.T @ (M @ N)
    moved = G if give is None else G + give
    return LinearModel(
        mass=mass,
        damping=N.T @ (D @ N),
        stiffness=N.T @ (K @ N),
        force=force,
        drag=N.T @ (D @ G),
        rows=OutputRows(
            position @ N, rate @ N, acceleration @ N, direct + position @ moved, rate @ G, acceleration @ G
        ),
        basis=N,
        drives=moved,
        dual=np.linalg.solve(mass, (M.T @ N).T),
        frames=point.memory.problem.trial.frame.copy(),
        driven=tuple(bool(np.any(column)) for column in ins.drive.T),
        coordinates=names,
        inputs=ins.names,
        outputs=outs.names,
        values=outs.values,
        drive=drive,
        name=point.model.name,
        kind=point.kind,
        time=point.time,
        point=point,
    )


def _following(matrices: Matrices, ins: InputPorts) -> Array:
    """G (6n, k) with Phi G = drive and N^T M G = 0: accelerations of prescribed motions do not push q."""
    n = len(ins.force)
    if not np.any(ins.drive):
        return np.zeros_like(ins.force)
    right = np.vstack((np.zeros_like(ins.force), ins.drive))
    return np.asarray(splu(matrices.bordered(matrices.mass)).solve(right)[:n])


def _modal(point: Point, matrices: Matrices, ins: InputPorts, outs: OutputPorts, modes: int, drive: str) -> LinearModel:
    """The n slowest modes of a large symmetric mechanism as coordinates; the others give way statically. Sparse."""
    found = symmetric_modes(matrices, modes)
    n_free = int(np.count_nonzero(found.squares == 0.0))
    if modes < n_free:
        raise SolveError(
            f"linearize: modes={modes}, but the mechanism has {n_free} free motions, which cannot give way statically; "
            f"pass modes={n_free} or more"
        )
    V = found.shapes[:, :modes]
    n, phi = len(V), matrices.constraints
    heavy = np.asarray(matrices.mass @ V)
    border = vstack((phi, csc_matrix(heavy[:, found.squares[:modes] == 0.0]).T), format="csc")
    rest = border.shape[0] - phi.shape[0]  # free motions are held by their inertia
    statics = splu(block_array([[matrices.stiffness, border.T], [border, None]], format="csc"))
    # Prescribed motions with their static deflection, less the part of it that the kept modes describe.
    followed = statics.solve(np.vstack((0.0 * ins.force, ins.drive, np.zeros((rest, len(ins.names))))))[:n]
    share = heavy.T @ followed
    force = V.T @ ins.force + (V.T @ (matrices.stiffness @ V)) @ share
    pushed = ins.force - heavy @ (V.T @ ins.force)
    give = statics.solve(np.vstack((pushed, np.zeros((border.shape[0], len(ins.names))))))[:n]
    give -= V @ (heavy.T @ give)
    G = followed - V @ share
    return _project(point, matrices, ins, outs, V, _mode_names(0, modes), drive, force, G, give)
