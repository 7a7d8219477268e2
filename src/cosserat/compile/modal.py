"""Modal bodies from finite elements: of a beam, or of any `FlexiblePart`.

Displacements Phi s + g s s / 2 keep strains linear in s: those of g_ab are opposite to the strains of second order e2
of Phi_a and Phi_b where the body is held at one place alone, and nearest to them where it is not. With strains P u and
their stiffness C, P^T C (P g_ab + e2_ab) = 0. The strain energy is then s^T K s / 2 up to fourth order, and the work of
a load on g is that of its stresses on e2: forces are those of the elements up to second order.

The kinetic energy knows g by its moments with (1, X), as the affine field F (1, X) that has them, and would have wrong
products of g with the shapes. So g = F (1, X) + Phi_c N_c + a rest without such products, and coordinates q with

    s_c = q_c - q^a q^b N_cab / 2

take over the second part: displacements are Phi q + (g - Phi N) q q / 2, and the kinetic energy is right up to third
order in (q, q_dot). Modes that are faster than a and b follow them with hardly any inertia of their own; for these N =
0, or stiff forces would not be linear.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cosserat.calls import answered
from cosserat.compile.beam_part import beam_part, welded_part
from cosserat.compile.flexible_part import FlexiblePart, rigid_motions, work_on_turning_arms
from cosserat.compile.matter import moments
from cosserat.compile.modal_dynamics import affine_fields, affine_inverse
from cosserat.compile.reduction import (
    BOUNDARIES,
    ConstrainedSolver,
    boundary_rows,
    linear_fields,
    recovery_points,
    shapes,
)
from cosserat.compile.series import skew
from cosserat.errors import ArgumentError
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.beams import Beam
from cosserat.model.closures import parameters_in
from cosserat.model.modal import ModalBody
from cosserat.model.modal_inertia import Interface, ModalInertia, Outline
from cosserat.model.model import Model

_MORE = 6  # shapes looked through besides twice as many as asked for, where kept ones are missing
_KEPT = 0.1  # share of a shape that combinations of others must keep of it


@answered()
def modal_body(
    part: Beam | Model,
    modes: int | None = None,
    frequency: float | None = None,
    boundary: str = "cantilever",
    root: str | None = None,
    interfaces: dict[str, Any] | None = None,
    recovery: dict[str, Any] | None = None,
    stiffening: bool = True,
    name: str | None = None,
    static: tuple[str, ...] | None = None,
    like: ModalBody | None = None,
) -> ModalBody:
    """The modal body of a beam, or of beams and rigid bodies fixed to each other, from the beams' finite elements.

    Parameters
    ----------
    part : Beam or Model
        A model of beams, rigid bodies and `Fixed` joints between them becomes one body. Parameters are taken at their
        present values, and the body refuses others; initial velocities are kept.
    modes : int, optional
        Number of modes, lowest frequencies first; with ``boundary="craig-bampton"`` the modes with all interfaces held.
    frequency : float, optional
        Instead of `modes`: all up to this frequency (Hz).
    boundary : {"cantilever", "free", "craig-bampton"}
        "cantilever": modes are fixed at the root, where the floating frame sits. "free": modes of the free body; the
        floating frame sits in the centre of mass, along the world axes, and follows the mean motion. "craig-bampton":
        fixed at the root; one static shape for each unit displacement and rotation of every other interface, and the
        modes with all interfaces held.
    root : str, optional
        Interface that carries the floating frame; default: the first one, "start" of a beam.
    interfaces : dict, optional
        Places by name. Of a beam: s in [0, 1], besides "start" and "end". Of a model: places on its beams, such as
        ``"arm.end"``.
    recovery : dict, optional
        Points by name, given like interfaces, of which section forces can be asked with `ModalBody.stress`.
    stiffening : bool
        Include the displacements of second order, so that centrifugal and other loads stiffen (or soften) the beam.
    name : str, optional
        Of the modal body; default: that of the part.
    static : tuple of str, optional
        Interfaces that get static shapes with ``boundary="craig-bampton"``; default: all but the root.
    like : ModalBody, optional
        The body as it was with other parameters. Shapes are combined so that its interfaces move as they do there:
        coordinates keep their meaning, also where modes are equally fast or change places.

    Examples
    --------
    >>> from cosserat.model import Rod, materials
    >>> beam = Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=Rod(0.01), material=materials.STEEL, elements=16)
    >>> body = modal_body(beam, modes=4)
    >>> (body.frequencies[0] / 7.24).round(2)  # 1.8751^2 / (2 pi) sqrt(EI/(m L^4)), twice
    np.float64(1.0)
    """
    checks.flag("modal_body", "stiffening", stiffening)
    for argument, table in (("interfaces", interfaces), ("recovery", recovery)):
        if not (table is None or isinstance(table, dict)):
            raise ArgumentError("modal_body", argument, f"must be a dictionary of places by name, got {table!r}")
    if isinstance(part, Model):
        elements = welded_part(part, interfaces or {}, recovery or {})
        if not elements.constraints:
            raise ArgumentError(part.title, "interfaces", "must be given, such as {'root': 'arm.start'}")
    elif isinstance(part, Beam):
        stations = {"start": 0.0, "end": 1.0}
        for key, s in _stations(part, "interfaces", interfaces or {}).items():
            if stations.setdefault(key, s) != s:
                raise ArgumentError(part.title, f"interfaces[{key!r}]", f"is {s:g}; {key!r} is an end of the beam")
        elements = beam_part(part, stations, _stations(part, "recovery", recovery or {}))
    else:
        raise ArgumentError("modal_body", "part", f"must be a Beam, or a Model of beams, got {part!r}")
    root = root or next(iter(elements.constraints))
    body = reduce_part(elements, name or part.name, modes, frequency, boundary, root, stiffening, static, like)
    body.remember(parameters_in(part))
    return body


def _stations(beam: Beam, argument: str, table: dict[str, Any]) -> dict[str, float]:
    out = {}
    for key, s in table.items():
        out[key] = value = checks.number(beam.title, f"{argument}[{key!r}]", s)
        if not 0.0 <= value <= 1.0:
            raise ArgumentError(beam.title, f"{argument}[{key!r}]", f"is {value:g}; s runs from 0 to 1")
    return out


def reduce_part(
    part: FlexiblePart,
    name: str,
    modes: int | None,
    frequency: float | None,
    boundary: str,
    root: str | None,
    stiffening: bool,
    static: tuple[str, ...] | None = None,
    like: ModalBody | None = None,
) -> ModalBody:
    """Reduce an elastic body to modes; arguments as those of `modal_body`."""
    root = _checked(part, modes, frequency, boundary, root)
    # interfaces at the same place as the root share its motion
    held = part.constraints[root] if root else None
    extra = tuple(k for k, A in part.constraints.items() if k != root and not _same(A, held)) if root else ()
    if static is not None:
        if isinstance(static, str) or not set(static) <= part.constraints.keys():
            known = ", ".join(map(repr, part.constraints))
            raise ArgumentError(part.title, "static", f"must be a tuple of interfaces ({known}), got {static!r}")
        extra = tuple(key for key in extra if key in static)
        if modes == 0 and not extra:
            raise ArgumentError(part.title, "modes", "is 0, and no interface besides the root gives a shape; take more")
    distinct: list[str] = []  # one name for each set of interfaces that move as one
    for key in extra:
        if not any(_same(part.constraints[key], part.constraints[other]) for other in distinct):
            distinct.append(key)
    Phi = shapes(part, boundary, root, modes, frequency, tuple(distinct))
    frame = part.frames[root] if boundary != "free" else _mean_frame(part)
    R = frame[:3, :3]
    both = np.zeros((6, 6))
    both[:3, :3] = both[3:, 3:] = R.T
    if like is not None and like.n_modes == Phi.shape[1]:
        motions = {key: both @ A for key, A in part.constraints.items()}
        near = _near(Phi, motions, like, float(np.ptp(part.points.positions, axis=0).max()))
        if near is None:  # some of the fastest modes that were kept have changed places with others
            more = shapes(part, boundary, root, modes, frequency, tuple(distinct), beyond=Phi.shape[1] + _MORE)
            near = _near(more, motions, like, float(np.ptp(part.points.positions, axis=0).max()))
        if near is None:
            raise ArgumentError(
                part.title, "modes", f"is {modes}, which keeps some of several modes that are nearly equally fast, and "
                "others than those of nearly the same parameters; take one or two more or fewer"
            )  # fmt: skip
        Phi = near
    stiffened, rested = stiffening and part.prestress is not None, bool(part.recovery) and boundary != "free"
    solver = None
    if stiffened or rested:
        solver = ConstrainedSolver(part.title, part.stiffness, boundary_rows(part, boundary, root))
    rigid, X = rigid_motions(part, frame), (part.points.positions - frame[:3, 3]) @ R
    turned = _with_engine_mass(part, X, np.einsum("ij,pim->pjm", R, part.points.shapes(Phi)), rigid, Phi)
    inertia = ModalInertia.from_fields(part.points.weights, X, turned)
    strains: Array | None = None
    bent: dict[str, Any] = dict.fromkeys(part.frames)
    if stiffened and solver is not None:
        inertia, bent, strains = second_order(part, solver, Phi, frame, inertia)
    K, D = (Phi.T @ (matrix @ Phi) for matrix in (part.stiffness, part.damping))
    found = {}
    for key, H in part.frames.items():
        shape = both @ (part.constraints[key] @ Phi)
        if key == root and boundary != "free":
            shape = np.zeros_like(shape)  # zero up to rounding
        found[key] = Interface(R.T @ (H[:3, 3] - frame[:3, 3]), shape, rotation=R.T @ H[:3, :3], stiffening=bent[key])
    outline = None
    if part.drawn is not None:
        X = part.drawn.points
        moved = np.asarray(part.drawn.displacement @ Phi).reshape(len(X), 3, -1)
        outline = Outline((X - frame[:3, 3]) @ R, np.einsum("ij,pim->pjm", R, moved), part.drawn.cells)
    return ModalBody(
        name,
        inertia,
        0.5 * (K + K.T),
        0.5 * (D + D.T),
        interfaces=found,
        clamp=None if boundary == "free" else root,
        position=frame[:3, 3],
        rotation=R,
        recovery=recovery_points(part, Phi, frame, solver if rested else None),
        outline=outline,
        stiffening=strains,
        **_initial_rates(part, rigid, Phi, R, held if boundary != "free" else None),
    )


def _near(Phi: Array, motions: dict[str, Any], like: ModalBody, length: float) -> Array | None:
    """Combinations (n, m) of shapes with which interfaces come closest to moving as those of another body.

    None where the shapes lack some of its own. The motions of too few interfaces tell nothing.
    """
    common = [key for key in motions if key in like.interfaces]
    weight = np.tile([1.0, length], len(common)).repeat(3)[:, None]
    now, then = np.vstack([motions[k] @ Phi for k in common]), np.vstack([like.interfaces[k].shape for k in common])
    found, _, rank, _ = np.linalg.lstsq(weight * now, weight * then, rcond=1e-9)
    if rank < like.n_modes:
        return Phi[:, : like.n_modes]
    kept = np.linalg.svd(found, compute_uv=False)
    return np.asarray(Phi @ found) if kept[-1] > _KEPT * kept[0] else None


def _initial_rates(part: FlexiblePart, rigid: Array, Phi: Array, R: Array, held: Any) -> dict[str, Array]:
    """Velocities of the floating frame, and modal rates closest to what is left of the velocities of the nodes."""
    if part.velocity is None:
        return {}
    if held is None:
        momenta = rigid.T @ (part.mass @ part.velocity)
        twist = np.linalg.solve(rigid.T @ (part.mass @ rigid), momenta)
    else:
        twist = np.kron(np.eye(2), R.T) @ (held @ part.velocity)
    rest = part.velocity - rigid @ twist
    rates = np.linalg.solve(Phi.T @ (part.mass @ Phi), Phi.T @ (part.mass @ rest))
    return {"velocity": R @ twist[:3], "angular_velocity": R @ twist[3:], "rates": rates}


def _checked(part: FlexiblePart, modes: Any, frequency: Any, boundary: str, root: str | None) -> str:
    if not isinstance(boundary, str) or boundary not in BOUNDARIES:
        known = ", ".join(map(repr, BOUNDARIES))
        raise ArgumentError(part.title, "boundary", f"is {boundary!r}; choose one of {known}")
    if (modes is None) == (frequency is None):
        raise ArgumentError(
            part.title, "modes", f"and frequency: give one of them, not {'neither' if modes is None else 'both'}"
        )
    if modes is not None:
        checks.integer(part.title, "modes", modes, 0 if boundary == "craig-bampton" else 1)
    else:
        checks.number(part.title, "frequency", frequency, positive=True)
    if boundary == "free":
        return root or ""
    if root not in part.constraints:
        known = ", ".join(repr(k) for k in part.constraints) or "none"
        raise ArgumentError(part.title, "root", f"is {root!r}, which is no interface; interfaces: {known}")
    if boundary == "craig-bampton" and len(part.constraints) < 2:
        raise ArgumentError(part.title, "boundary", "'craig-bampton' needs an interface besides the root")
    return root


def _same(A: Any, B: Any) -> bool:
    return B is not None and abs(A - B).max() < 1e-12 * max(abs(A).max(), abs(B).max())


def _mean_frame(part: FlexiblePart) -> Array:
    """The world axes in the centre of mass."""
    M = part.rigid.T @ (part.mass @ part.rigid)
    frame = np.eye(4)
    mass, first, _ = moments(M)
    frame[:3, 3] = first / mass
    return frame


def _with_engine_mass(part: FlexiblePart, X: Array, fields: Array, rigid: Array, Phi: Array) -> Array:
    """Shapes (p, 3, m) of the points whose products are those of the mass matrix: linear dynamics is that of elements.

    The fields of the points differ from those of the mass matrix of a beam by errors of the mesh. Each shape takes what
    is missing from the rigid motions and from the shapes below it, so that all tensors belong to one field.
    """
    p = len(fields)
    rotations = np.swapaxes(skew(X), 1, 2)
    unit = np.broadcast_to(np.eye(3), (p, 3, 3))
    both = np.concatenate((unit, rotations, fields), axis=2)
    flat = part.points.weighted(both.reshape(p, -1)).reshape(3 * p, -1)
    M0 = both.reshape(3 * p, -1).T @ flat
    basis = np.hstack((rigid, Phi))
    M1 = basis.T @ (part.mass @ basis)
    try:
        (low0, held0), (low1, held1) = (_condensed(M, M0[:6, :6]) for M in (M0, M1))
    except np.linalg.LinAlgError:
        return fields  # a mode without mass of its own, which the inertia names
    change = np.linalg.solve(low0.T, low1.T)
    return both[:, :, :6] @ (held1 - held0 @ change) + fields @ change


def _condensed(M: Array, rigid: Array) -> tuple[Array, Array]:
    """The factor of what remains of the modal mass beside the rigid motions, and these motions in the modes."""
    held = np.asarray(np.linalg.solve(rigid, M[:6, 6:]), dtype=float)
    rest = M[6:, 6:] - M[:6, 6:].T @ held
    return np.asarray(np.linalg.cholesky(0.5 * (rest + rest.T)), dtype=float), held


_SAME = 1.0 + 1e-6  # squared frequencies closer than this are the same
_AFFINE = 1e-9  # share of its mass below which a shape counts as affine


def second_order(
    part: FlexiblePart, solver: ConstrainedSolver, Phi: Array, frame: Array, inertia: ModalInertia
) -> tuple[ModalInertia, dict[str, Any], Array]:
    """The inertia with the moments of g - Phi N, the values of this field at the interfaces, and N (m, m, m)."""
    points, m, R = part.points, Phi.shape[1], frame[:3, :3]
    fields = np.hstack(
        (linear_fields(part, frame), points.weighted(points.shapes(Phi).reshape(-1, 3 * m)).reshape(-1, m))
    )
    frames = [np.asarray(A.T @ np.kron(np.eye(2), R)) for A in part.constraints.values()]
    loads = np.hstack((np.asarray(points.sampling.T @ fields[:, :12]), np.asarray(part.mass @ Phi), *frames))
    assert part.prestress is not None
    work = -part.prestress(solver(loads), Phi)
    work[: 12 + m] += work_on_turning_arms(points, Phi, fields)
    work = 0.5 * (work + np.swapaxes(work, 1, 2))
    theta, psi, _ = affine_fields(inertia)
    inverse = affine_inverse(theta)
    affine = psi @ inverse  # (c, i, k)
    volume = work[:12].reshape(3, 4, m, m)
    mass = inertia.modal_mass - np.tensordot(affine, psi, ((1, 2), (1, 2)))
    along = work[12 : 12 + m] - np.tensordot(affine, volume, 2)
    N = _slower(np.einsum("im,im->m", Phi, part.stiffness @ Phi), mass, along)
    volume = volume - np.einsum("cik,cab->ikab", psi, N)
    at = work[12 + m :] - np.einsum("fc,cab->fab", loads[:, 12 + m :].T @ Phi, N)
    # as moments of affine fields, which a body without extent in a direction cannot have there
    volume = np.einsum("ikab,kl,ld->diab", volume, inverse, theta)
    g, Xg = np.transpose(volume[0], (1, 2, 0)), np.transpose(volume[1:], (2, 3, 0, 1))
    return inertia.stiffened(g, Xg), {key: at[6 * k : 6 * k + 6] for k, key in enumerate(part.constraints)}, N


def _slower(squares: Array, mass: Array, along: Array) -> Array:
    """N (m, m, m) with mass N_ab = along_ab for the modes that are no faster than a or b."""
    N = np.zeros_like(along)
    fastest = np.maximum(squares[:, None], squares)
    for square in np.unique(squares):
        a, b = np.nonzero(fastest == square)
        slow = np.flatnonzero(squares <= square * _SAME)
        values, shapes = np.linalg.eigh(mass[np.ix_(slow, slow)])
        shapes, values = shapes[:, values > _AFFINE], values[values > _AFFINE]
        N[slow[:, None], a, b] = (shapes / values) @ (shapes.T @ along[slow][:, a, b])
    return N
