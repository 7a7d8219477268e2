"""Beams by their intrinsic equations: twists and strains are the unknowns, frames follow [deSaxce26] (66)-(70).

    M d eta/dt - ad(eta)^T M eta = d sigma/dS - ad(f)^T sigma + F,    sigma = K (f - f0)       momentum (66)-(67)
    d f/dt = d eta/dS + ad(f) eta                                                               compatibility (69)

Twists are linear between nodes, strains constant in elements, mass is at the nodes: the two discrete equations are
dual, so the implicit midpoint rule conserves the energy of a beam without loads. Frames follow the twists of nodes in
time (68); how far strains are from those of the frames is the residual of compatibility that is reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cosserat.compile.series import bracket
from cosserat.errors import ArgumentError, SolveError
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.symbolic.arguments import grid, positive
from cosserat.symbolic.intrinsic_beam import IntrinsicBeam, coadjoint_of, intrinsic_beam

_WHO = "intrinsic"
_MOST_ITERATIONS = 30


def intrinsic(
    beam: Any,
    duration: float,
    step: float,
    *,
    model: Any = None,
    form: str = "velocity",
    tolerance: float = 1e-11,
) -> IntrinsicMotion:
    """Solve the intrinsic equations of a beam and reconstruct its frames.

    Parameters
    ----------
    beam : Beam
        A smooth beam; it starts from its reference configuration with its given velocity.
    duration, step : float
        Length of the motion and of its equal steps (s).
    model : Model, optional
        A model of this beam alone, from which gravity, loads and clamps (`Fixed` to the ground at its ends) are taken.
        Default: the beam flies free.
    form : str
        "velocity": twists and strains are the unknowns; "momentum": momenta and stress resultants, (70).
    tolerance : float
        Newton's iteration stops when the residual is this small compared with the forces.

    Returns
    -------
    IntrinsicMotion

    Examples
    --------
    A straight rod that spins about its middle stretches, and keeps its energy:

    >>> import cosserat as cs
    >>> section = cs.Section(stiffness=[1e3, 1e3, 1e3, 10, 10, 10], mass=[1, 1, 1, 0.1, 0.1, 0.1])
    >>> spin = ("-y", "x", "0", "0", "0", "1")
    >>> rod = cs.Beam("rod", points=[(-1, 0, 0), (1, 0, 0)], section=section, elements=8, velocity=spin)
    >>> motion = cs.symbolic.intrinsic(rod, 1.0, 0.05)
    >>> bool(np.ptp(motion.energy) < 1e-10)
    True
    """
    times = grid(duration, step, _WHO)
    if form not in ("velocity", "momentum"):
        raise ArgumentError(_WHO, "form", f"is {form!r}; pass 'velocity' or 'momentum'")
    tolerance = positive(_WHO, "tolerance", tolerance)
    data = intrinsic_beam(beam, model)
    solver = _MidpointStepper(data, form, tolerance)
    eta, f, H = data.twist.copy(), data.reference.copy(), data.frames.copy()
    etas, fs, Hs = [eta], [f], [H]
    for n in range(len(times) - 1):
        eta, f, H = solver.step(eta, f, H, float(times[n]), float(times[n + 1] - times[n]))
        etas.append(eta)
        fs.append(f)
        Hs.append(H)
    return IntrinsicMotion(data, times, np.array(etas), np.array(fs), np.array(Hs))


class _MidpointStepper:
    """One step of the implicit midpoint rule; the unknowns are twists (or momenta) halfway."""

    def __init__(self, data: IntrinsicBeam, form: str, tolerance: float) -> None:
        self.data, self.tolerance = data, tolerance
        self.before: Array | None = None  # twists one step earlier
        n = len(data.mass)
        one = np.broadcast_to(np.eye(6), (n, 6, 6))
        self.to_unknown = data.mass if form == "momentum" else one
        self.from_unknown = np.asarray(np.linalg.inv(data.mass) if form == "momentum" else one, dtype=float)
        self.compliance = np.linalg.inv(data.stiffness) if form == "momentum" else None

    def step(self, eta: Array, f: Array, H: Array, t: float, h: float) -> tuple[Array, Array, Array]:
        """Return twists, strains and frames one step later."""
        data = self.data
        inputs = data.sampler.sample(np.array([t + 0.5 * h]))
        if self.compliance is not None:  # the stress resultants are the unknowns, strains follow from them
            stress = np.einsum("eij,ej->ei", data.stiffness, f - data.reference)
            f = data.reference + np.einsum("eij,ej->ei", self.compliance, stress)
        ahead = eta + 0.5 * (eta - self.before) if self.before is not None else eta
        x, last = np.einsum("nij,nj->ni", self.to_unknown, ahead), np.inf
        self.before = eta
        for _ in range(_MOST_ITERATIONS):
            middle = np.einsum("nij,nj->ni", self.from_unknown, x)
            r, blocks, strain, size = self._residual(eta, f, H, middle, inputs, h)
            norm = float(np.max(np.abs(r)))
            if not np.isfinite(norm):
                break
            if norm <= self.tolerance * size or (norm >= last and norm <= 1e-8 * size):
                return self._finish(eta, f, H, middle, strain, h)
            last = norm
            x = x - _solved(blocks, r, self.from_unknown)
        raise SolveError(f"{_WHO}: no convergence at t = {t:.6g} s with step {h:.3g} s; take a shorter step")

    def _residual(
        self, eta: Array, f: Array, H: Array, middle: Array, inputs: Any, h: float
    ) -> tuple[Array, tuple[Array, Array, Array], Array, float]:
        """Return the residual at nodes, its derivative in blocks, the strains halfway, the size of forces."""
        data, half = self.data, 0.5 * h
        L = data.length[:, None]
        mean = 0.5 * (middle[1:] + middle[:-1])
        A = np.linalg.inv(np.eye(6) + half * bracket(mean))
        strain = np.einsum("eij,ej->ei", A, f + half * (middle[1:] - middle[:-1]) / L)
        lag = data.damping[:, None] * (strain - f) / half
        sigma = np.einsum("eij,ej->ei", data.stiffness, strain - data.reference + lag)
        ad_f = bracket(strain)
        turn = 0.5 * L * np.einsum("eji,ej->ei", ad_f, sigma)
        p = np.einsum("nij,nj->ni", data.mass, middle)
        ad_v = bracket(middle)
        weight = data.weight[:, None]
        rate = np.einsum("nij,nj->ni", data.mass, middle - eta) / half
        r = weight * (rate - np.einsum("nji,nj->ni", ad_v, p))
        r[:-1] += turn - sigma
        r[1:] += turn + sigma
        load = data.loads(inputs, H, middle, half)
        size = float(np.max(np.abs(r)) + np.max(np.abs(sigma)) + np.max(np.abs(load)) + np.max(np.abs(weight * p)) / h)
        r -= load
        # Derivatives: strain halfway by twists, then forces by strain.
        Li = 1.0 / data.length[:, None, None]
        one = np.eye(6)
        D_a, D_b = half * A @ (0.5 * ad_f - Li * one), half * A @ (0.5 * ad_f + Li * one)
        K = data.stiffness * (1.0 + data.damping / half)[:, None, None]
        geometric = 0.5 * data.length[:, None, None] * coadjoint_of(sigma)
        lever = 0.5 * data.length[:, None, None] * np.swapaxes(ad_f, 1, 2)
        G_a, G_b = (lever - one) @ K + geometric, (lever + one) @ K + geometric
        diagonal = data.mass / half - np.swapaxes(ad_v, 1, 2) @ data.mass - coadjoint_of(p)
        diagonal = data.weight[:, None, None] * diagonal
        diagonal[:-1] += G_a @ D_a
        diagonal[1:] += G_b @ D_b
        upper, lower = G_a @ D_b, G_b @ D_a
        for node in data.clamped:
            r[node] = 0.0
            diagonal[node] = one
            if node < len(upper):
                upper[node] = 0.0
            if node > 0:
                lower[node - 1] = 0.0
        return r, (diagonal, upper, lower), strain, max(size, 1e-300)

    def _finish(
        self, eta: Array, f: Array, H: Array, middle: Array, strain: Array, h: float
    ) -> tuple[Array, Array, Array]:
        frames = np.array([H[i] @ se3.exp(h * middle[i]) for i in range(len(H))])
        new = 2.0 * strain - f
        if len(self.data.clamped) == 2:
            new = self.data.closed(new)
        return 2.0 * middle - eta, new, frames


def _solved(blocks: tuple[Array, Array, Array], r: Array, scale: Array) -> Array:
    """Solve the block tridiagonal system; columns are scaled from twists to the unknowns."""
    from scipy.linalg import solve_banded

    diagonal, upper, lower = blocks[0] @ scale, blocks[1] @ scale[1:], blocks[2] @ scale[:-1]
    n = len(diagonal)
    banded = np.zeros((23, 6 * n))
    i, j = np.mgrid[0:6, 0:6]
    for shift, part in ((0, diagonal), (1, upper), (-1, lower)):
        first = np.arange(len(part)) + (0 if shift >= 0 else 1)
        rows = 6 * first[:, None, None] + i
        columns = 6 * (first + shift)[:, None, None] + j
        banded[11 + rows - columns, columns] = part
    return np.asarray(solve_banded((11, 11), banded, r.ravel()), dtype=float).reshape(n, 6)


@dataclass(frozen=True)
class IntrinsicMotion:
    """Motion of a beam from its intrinsic equations.

    Attributes
    ----------
    beam : IntrinsicBeam
        The data it was solved with.
    time : (nt,) array
        Instants (s).
    twist : (nt, n, 6) array
        Material twists of the nodes, linear part first.
    strain : (nt, n-1, 6) array
        f = g^-1 dg/dS in the elements.
    frames : (nt, n, 4, 4) array
        Frames of the nodes.
    """

    beam: IntrinsicBeam
    time: Array
    twist: Array
    strain: Array
    frames: Array

    @property
    def s(self) -> Array:
        """Places of the nodes along the beam, 0 to 1."""
        return self.beam.s

    def position(self, s: float) -> Array:
        """Positions (nt, 3) of the node at s, world axes."""
        k = int(np.argmin(np.abs(self.beam.s - s)))
        if abs(self.beam.s[k] - s) > 1e-9:
            known = self.beam.s.round(6).tolist()
            raise ArgumentError("IntrinsicMotion.position", "s", f"is {s!r}; nodes are at {known}")
        return self.frames[:, k, :3, 3]

    @property
    def stress(self) -> Array:
        """Stress resultants K (f - f0), (nt, n-1, 6), without their viscous part."""
        return np.einsum("eij,tej->tei", self.beam.stiffness, self.strain - self.beam.reference)

    @property
    def momentum(self) -> Array:
        """Momenta M eta per unit length at the nodes, (nt, n, 6)."""
        return np.einsum("nij,tnj->tni", self.beam.mass, self.twist)

    @property
    def energy(self) -> Array:
        """Kinetic and strain energy, (nt,) (J)."""
        kinetic = 0.5 * np.einsum("n,tni,tni->t", self.beam.weight, self.momentum, self.twist)
        strain = self.strain - self.beam.reference
        return np.asarray(kinetic + 0.5 * np.einsum("e,tei,tei->t", self.beam.length, self.stress, strain))

    @cached_property
    def compatibility(self) -> Array:
        """Strains less those of the frames, f - log(H_a^-1 H_b)/L, (nt, n-1, 6): zero where (69) holds exactly."""
        out = np.empty_like(self.strain)
        for k, frames in enumerate(self.frames):
            for e, length in enumerate(self.beam.length):
                out[k, e] = self.strain[k, e] - se3.log(se3.inverse(frames[e]) @ frames[e + 1]) / length
        return out
