"""Motions on a Lie group: collocation, and Euler-Poincare equations of quadratic Lagrangians.

Source: [deSaxce26] (59)-(61), (70).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from cosserat.errors import ArgumentError, SolveError
from cosserat.lie.protocol import Array, Group
from cosserat.symbolic.arguments import array, element, grid

_WHO = "euler_poincare"
_SUZUKI = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))
_KAHAN_LI = (0.39216144400731413928, 0.33259913678935943860, -0.70624617255763935981, 0.082213596293550800230)
_COMPOSITIONS = {
    2: (1.0,),
    4: (_SUZUKI, _SUZUKI, 1.0 - 4.0 * _SUZUKI, _SUZUKI, _SUZUKI),
    6: (*_KAHAN_LI, 0.79854399093482996340, *reversed(_KAHAN_LI)),
}
Force = Callable[[float, Any, Array], Any]


def euler_poincare(
    group: Any,
    inertia: Any,
    velocity: Any,
    duration: float,
    step: float,
    *,
    start: Any = None,
    force: Force | None = None,
    method: str = "velocity",
    conserving: bool = False,
    order: int = 6,
) -> GroupMotion:
    """Solve mu_dot = ad(eta)^T mu + F, mu = I eta, and reconstruct g_dot = g hat(eta).

    Parameters
    ----------
    group : cosserat.lie.Group or symbolic.Group
        Any group.
    inertia : (dim, dim) array
        Symmetric positive definite matrix of the Lagrangian 1/2 eta^T I eta.
    velocity : (dim,) array
        eta at the start, material.
    duration, step : float
        Length of the motion and of its (equal) steps.
    start : element, optional
        g at the start; default: the identity.
    force : callable, optional
        ``force(t, g, eta)`` gives the material force (dim,).
    method : str
        "velocity": the unknown is eta, (59)-(61). "momentum": the unknown is the momentum, (70), carried by the motion
        itself, so that the momentum map is exact.
    conserving : bool
        Conserve energy and momentum map to rounding: g_1 = g_0 exp(h xi) with xi = I^-1 (mu_0 + mu_1)/2 and
        mu_1 = Ad(exp(h xi))^T mu_0. For every xi, <xi, mu_1 - mu_0> = 0 because ad(xi) xi = 0; for this one it is the
        change of the energy. Symmetric, order 2, composed to ``order``. Takes no force.
    order : int
        2, 4, 6; without ``conserving`` also 8.

    Returns
    -------
    GroupMotion

    Examples
    --------
    >>> import numpy as np
    >>> from cosserat.lie import SO3
    >>> from cosserat.symbolic import euler_poincare
    >>> motion = euler_poincare(SO3, np.diag([1.0, 2.0, 3.0]), (1, 0.2, 0.5), 10.0, 0.1, conserving=True)
    >>> bool(np.ptp(motion.energy) < 1e-13 and np.ptp(motion.momentum_map, axis=0).max() < 1e-13)
    True
    """
    group = getattr(group, "numeric", group)
    if not all(callable(getattr(group, name, None)) for name in ("exp", "adjoint", "coadjoint", "tangent_inv")):
        raise ArgumentError(_WHO, "group", f"is {group!r}; pass a group of cosserat.lie or of cosserat.symbolic")
    if not (force is None or callable(force)):
        raise ArgumentError(_WHO, "force", f"is {force!r}; pass a function of (t, g, eta)")
    inertia = _inertia(inertia, group)
    times = grid(duration, step, _WHO)
    eta = array(_WHO, "velocity", velocity, (group.dim,))
    g = element(_WHO, group, start)
    if method not in ("velocity", "momentum"):
        raise ArgumentError(_WHO, "method", f"is {method!r}; pass 'velocity' or 'momentum'")
    known = _COMPOSITIONS if conserving else (2, 4, 6, 8)
    if not isinstance(order, int) or order not in known:
        raise ArgumentError(_WHO, "order", f"is {order!r}; pass one of {', '.join(map(str, known))}")
    if conserving:
        if force is not None:
            raise ArgumentError(_WHO, "force", "cannot be given with conserving=True; leave conserving out")
        elements, momentum = _conserving(group, inertia, g, inertia @ eta, times, _COMPOSITIONS[order])
    elif method == "velocity":
        elements, rates = _by_velocity(group, inertia, g, eta, times, order // 2, force)
        momentum = rates @ inertia
    else:
        elements, momentum = _by_momentum(group, inertia, g, inertia @ eta, times, order // 2, force)
    rates = np.linalg.solve(inertia, momentum.T).T
    energy = 0.5 * np.sum(rates * momentum, axis=1)
    return GroupMotion(group, times, elements, rates, momentum, energy)


def _by_velocity(
    group: Group[Any], inertia: Array, g: Any, eta: Array, times: Array, stages: int, force: Force | None
) -> tuple[list[Any], Array]:
    """Step 1 of [deSaxce26] section 8 and step 3 together: eta and g by collocation."""
    inverse = np.linalg.inv(inertia)

    def field(t: float, g: Any, eta: Array) -> tuple[Array, Array]:
        load = group.coadjoint(eta) @ (inertia @ eta)
        if force is not None:
            load = load + array(_WHO, "force", force(t, g, eta), (group.dim,))
        return eta, inverse @ load

    return integrate(group, field, g, eta, times, stages=stages, who=_WHO)


def _by_momentum(
    group: Group[Any], inertia: Array, g: Any, mu: Array, times: Array, stages: int, force: Force | None
) -> tuple[list[Any], Array]:
    """Momentum first: mu = Ad(g)^T pi, where the spatial momentum pi changes by the spatial force alone."""
    inverse = np.linalg.inv(inertia)
    pi: Array = np.asarray(np.linalg.solve(group.adjoint(g).T, mu), dtype=float)

    def field(t: float, g: Any, pi: Array) -> tuple[Array, Array]:
        Ad = group.adjoint(g)
        eta = inverse @ (Ad.T @ pi)
        if force is None:
            return eta, np.zeros(group.dim)
        load = array(_WHO, "force", force(t, g, eta), (group.dim,))
        return eta, np.asarray(np.linalg.solve(Ad.T, load), dtype=float)

    elements, spatial = integrate(group, field, g, pi, times, stages=stages, who=_WHO)
    return elements, np.array([group.adjoint(g).T @ p for g, p in zip(elements, spatial)])


def _conserving(
    group: Group[Any], inertia: Array, g: Any, mu: Array, times: Array, composition: tuple[float, ...]
) -> tuple[list[Any], Array]:
    """Compose the symmetric step that conserves energy and momentum map."""
    inverse = np.linalg.inv(inertia)
    elements, momenta = [g], [mu]
    for start, end in pairwise(times):
        for part in composition:
            h = part * float(end - start)
            xi, last = inverse @ mu, np.inf
            for _ in range(100):
                new = 0.5 * inverse @ (mu + group.adjoint(group.exp(h * xi)).T @ mu)
                change = float(np.max(np.abs(new - xi)))
                xi = new
                if change == 0.0 or (last <= change < 1e-13 * max(1.0, float(np.max(np.abs(xi))))):
                    break
                last = change
            else:
                raise SolveError(f"{_WHO}: no convergence at t = {start:.6g}; take a step below {end - start:.3g}")
            move = group.exp(h * xi)
            g, mu = group.compose(g, move), group.adjoint(move).T @ mu
        elements.append(g)
        momenta.append(mu)
    return elements, np.array(momenta)


def _inertia(value: Any, group: Group[Any]) -> Array:
    I = array(_WHO, "inertia", value, (group.dim, group.dim))
    if np.max(np.abs(I - I.T)) > 1e-12 * np.max(np.abs(I)):
        raise ArgumentError(_WHO, "inertia", "is not symmetric")
    I = 0.5 * (I + I.T)
    unit = np.sqrt(np.abs(np.diag(I)))
    unit[unit == 0.0] = 1.0
    values = np.linalg.eigvalsh(I / np.outer(unit, unit))  # units of the diagonal do not matter
    if abs(values).min() <= 1e-14 * abs(values).max():
        raise ArgumentError(_WHO, "inertia", "is singular: some velocity carries no momentum; pass a regular matrix")
    if values[0] < 0.0:
        raise ArgumentError(
            _WHO, "inertia", f"is not positive definite: its diagonal is {np.diag(I).tolist()}, its lowest eigenvalue "
            f"in units of that {values[0]:.3g}; a kinetic energy is positive"
        )  # fmt: skip
    return I


Field = Callable[[float, Any, Array], tuple[Array, Array]]
"""Takes (t, g, y); returns the velocity of g (dim,) and the rate of y."""

_MOST_ITERATIONS = 100
_FAR = 1e6  # a step this long in the algebra is a diverged one


@cache
def gauss(stages: int) -> tuple[Array, Array, Array]:
    """Return (c, b, a): nodes, weights and matrix of the Gauss method on [0, 1]."""
    x, w = np.polynomial.legendre.leggauss(stages)
    c, b = 0.5 * (1.0 + x), 0.5 * w
    a = np.empty((stages, stages))
    for i in range(stages):
        inner = c[i] * c
        for j in range(stages):
            others = np.delete(c, j)
            basis = np.prod((inner[:, None] - others) / (c[j] - others), axis=1)
            a[i, j] = c[i] * float(b @ basis)
    return c, b, a


def integrate(
    group: Group[Any],
    field: Field,
    g: Any,
    y: Array,
    times: Array,
    *,
    stages: int = 3,
    setting: str = "material",
    who: str = "integrate",
) -> tuple[list[Any], Array]:
    """Return elements and unknowns y at all ``times``: d g = g hat(eta) (or hat(eta) g), d y = f.

    Collocation at Gauss points: order 2s with s stages, symmetric, never leaving the group. Within a step
    g = g_0 exp(w) (material) or exp(w) g_0 (spatial); the collocation acts on the vector w of the algebra and on y.
    Source: H. Munthe-Kaas, High order Runge-Kutta methods on manifolds, Appl. Numer. Math. 29 (1999); coefficients from
    E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration (2006), II.1.
    """
    c, b, a = gauss(stages)
    left = setting == "material"
    elements, unknowns = [g], [np.array(y, dtype=float)]
    for start, end in pairwise(times):
        h = float(end - start)
        g, y = elements[-1], unknowns[-1]
        rates = np.tile(np.concatenate(field(float(start), g, y)), (stages, 1))
        change, converged = np.inf, False
        for _ in range(_MOST_ITERATIONS):
            inner = h * a @ rates
            if not float(np.max(np.abs(inner))) < _FAR:
                break
            new = np.empty_like(rates)
            for i in range(stages):
                w = inner[i, : group.dim]
                move = group.exp(w)
                at = group.compose(g, move) if left else group.compose(move, g)
                eta, f = field(float(start) + c[i] * h, at, y + inner[i, group.dim :])
                new[i, : group.dim] = group.tangent_inv(w if left else -w) @ eta
                new[i, group.dim :] = f
            last, change = change, float(np.max(np.abs(new - rates)))
            rates = new
            size = max(1.0, float(np.max(np.abs(rates))))
            if change <= 1e-15 * size or last <= change < 1e-10 * size:
                converged = True
                break
        if not converged:
            raise SolveError(f"{who}: no convergence at t = {start:.6g} with step {h:.3g}; take a shorter step")
        total = h * b @ rates
        move = group.exp(total[: group.dim])
        elements.append(group.compose(g, move) if left else group.compose(move, g))
        unknowns.append(y + total[group.dim :])
    return elements, np.array(unknowns)


@dataclass(frozen=True)
class GroupMotion:
    """A motion g(t) on a group with its velocity.

    Attributes
    ----------
    group : cosserat.lie.Group
        The group.
    time : (nt,) array
        Instants.
    elements : list
        g(t), one element of the group per instant.
    velocity : (nt, dim) array
        eta = g^-1 dg/dt, or dg/dt g^-1 in the spatial setting.
    momentum : (nt, dim) array
        dL/d eta.
    energy : (nt,) array
        <momentum, velocity> - L.
    setting : str
        "material" or "spatial".
    """

    group: Group[Any]
    time: Array
    elements: list[Any]
    velocity: Array
    momentum: Array
    energy: Array
    setting: str = "material"

    def __repr__(self) -> str:
        return f"<GroupMotion on {self.group}: {len(self.time)} instants to t = {self.time[-1]:g}>"

    @property
    def matrices(self) -> Array:
        """Matrices of the elements, (nt, m, m)."""
        return np.array([self.group.matrix(g) for g in self.elements])

    @property
    def momentum_map(self) -> Array:
        """Spatial momentum Ad(g^-1)^T mu, (nt, dim): constant where the Lagrangian does not depend on g."""
        if self.setting == "spatial":
            return self.momentum
        pairs = zip(self.elements, self.momentum)
        return np.array([np.linalg.solve(self.group.adjoint(g).T, mu) for g, mu in pairs])

    @property
    def material_velocity(self) -> Array:
        """g^-1 dg/dt in either setting, (nt, dim)."""
        if self.setting == "material":
            return self.velocity
        pairs = zip(self.elements, self.velocity)
        return np.array([np.linalg.solve(self.group.adjoint(g), eta) for g, eta in pairs])
