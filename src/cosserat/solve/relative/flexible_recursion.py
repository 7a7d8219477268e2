"""The generalised Newton-Euler recursions of a tree of rigid and elastic links, O(n) in the number of links.

Every link has the velocities z = (twist of its frame, modal rates), which follow from those of its parent and from its
own velocities v (of its joint, then modal), [Boyer05] (64)-(66):

    z = E W z_parent + N v,        z_dot = E W z_dot_parent + N a + c,        E = (1, 0) picks the twist

and its equations M z_dot + b = wrench and modal forces, [Boyer05] (63). Inverse dynamics sums the latter inwards.
Forward dynamics eliminates joint and modal accelerations of one link after the other, so that each hands a 6x6 inertia
to its parent: the articulated-body algorithm with modes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.flexible_tree import FlexibleLink, FlexibleTreeData
from cosserat.compile.packed_inertia import bracket_times, cross
from cosserat.kernels.recursion import table as layout
from cosserat.lie import se3, so3

Array = NDArray[np.float64]


class LinkMotion(NamedTuple):
    """One link at a state."""

    frame: Array  # (4, 4) in the world
    z: Array  # (6 + m,) twist of the frame in its own axes, modal rates
    W: Array  # (6, 6 + m_parent)
    N: Array  # (6 + m, k + m)
    c: Array  # (6 + m,)
    M: Array  # (6 + m, 6 + m)
    b: Array  # (6 + m,) without gravity, which enters as an acceleration of the ground; with modal stiffness


def joint_frame(link: FlexibleLink, q: Array) -> Array:
    """Joint frame (4, 4) on the link's side, seen from that on the parent's, for the joint coordinates q."""
    H = np.eye(4)
    if link.kind in (layout.REVOLUTE, layout.SCREW):
        angle = link.turn * q[0]
        s, c = np.sin(angle), np.cos(angle)
        H[0, 0], H[0, 1], H[1, 0], H[1, 1] = c, -s, s, c
        H[2, 3] = link.slide * q[0]
    elif link.kind == layout.SPHERICAL:
        H[:3, :3] = so3.exp(link.turn * q)
    elif link.kind == layout.FREE:
        H[:3, :3], H[:3, 3] = so3.exp(q[3:]), q[:3]
        return H if link.turn > 0.0 else se3.inverse(H)
    return H


def motions(data: FlexibleTreeData, q: Array, v: Array) -> list[LinkMotion]:
    """Kinematics, inertia and velocity terms of all links: [Boyer05] (64)-(65), (63)."""
    out: list[LinkMotion] = []
    ground = LinkMotion(np.eye(4), np.zeros(6), *([np.zeros(0)] * 5))
    for link in data.links:
        above = ground if link.base.link < 0 else out[link.base.link]
        outer = data.links[link.base.link] if link.base.link >= 0 else None
        out.append(_motion(link, above, _modal(outer, q), q[link.columns], v[link.columns]))
    return out


def _modal(link: FlexibleLink | None, q: Array) -> Array:
    """Modal coordinates of a link."""
    if link is None or link.modal is None:
        return np.zeros(0)
    return q[link.columns[-link.n_modes :]]


def _motion(link: FlexibleLink, above: LinkMotion, bent: Array, q: Array, v: Array) -> LinkMotion:
    """`bent`: modal coordinates of the parent."""
    k, m = link.axes.shape[1], link.n_modes
    base = link.base.at(bent)
    turned = joint_frame(link, q[:k])
    own = link.own.at(q[k:])
    carried = base @ turned
    # twist of the joint frame on the own side, and what of its rate does not come from accelerations
    to_base, to_joint, to_link = (se3.adjoint(H) for H in (se3.inverse(base), se3.inverse(turned), own))
    W = to_joint @ to_base
    carry = to_base @ above.z[:6]
    drift = np.zeros(6)
    if link.base.interface is not None:
        Phi, rates = link.base.jacobian(bent), above.z[6:]
        drift = link.base.bias(bent, rates) + bracket_times(carry, Phi @ rates)
        carry = carry + Phi @ rates
        W = np.hstack((W, to_joint @ Phi))
    elif len(above.z) > 6:
        W = np.hstack((W, np.zeros((6, len(above.z) - 6))))
    carry, drift = to_joint @ carry, to_joint @ drift
    slip = link.axes @ v[:k]
    drift = drift + bracket_times(carry, slip)
    eta = carry + slip
    N, c = np.zeros((6 + m, k + m)), np.zeros(6 + m)
    N[:6, :k] = to_link @ link.axes
    if m:
        N[6:, k:] = np.eye(m)
    if link.own.interface is not None:
        Phi = link.own.jacobian(q[k:])
        N[:6, k:] = -to_link @ Phi
        rate = Phi @ v[k:]
        eta = eta - rate
        drift = drift - link.own.bias(q[k:], v[k:]) - bracket_times(eta, rate)
    c[:6] = to_link @ drift
    eta = to_link @ eta
    z = np.concatenate((eta, v[k:]))
    frame = above.frame @ carried @ se3.inverse(own)
    return LinkMotion(frame, z, to_link @ W, N, c, *_equations(link, q[k:], z))


def _equations(link: FlexibleLink, q: Array, z: Array) -> tuple[Array, Array]:
    """M and b of one link."""
    body = link.modal
    if body is None or link.packed is None:
        return link.inertia, -se3.bracket(z).T @ (link.inertia @ z)
    M, b = link.packed.equations(q, z[3:6], z[6:])
    b += M[:, :3] @ cross(z[3:6], z[:3])
    b[6:] += body.stiffness @ q + body.damping @ z[6:]
    return M, b


def inverse(data: FlexibleTreeData, now: list[LinkMotion], a: Array, gravity: Array, wrench: list[Array]) -> Array:
    """Efforts and modal forces (n,) for accelerations a; arguments as for `transmitted`."""
    tau = np.empty(len(a))
    for link, w, force in zip(data.links, now, transmitted(data, now, a, gravity, wrench), strict=True):
        tau[link.columns] = w.N.T @ force
    return tau


def transmitted(
    data: FlexibleTreeData, now: list[LinkMotion], a: Array, gravity: Array, wrench: list[Array]
) -> list[Array]:  # fmt: skip
    """What the joint of every link must put on it, (6 + m,): [Boyer05] (66) outwards, then the sum of (63) inwards.

    `wrench`: what acts on every link from outside, (6 + m,) in its own axes.
    """
    rates = accelerations(data, now, a, gravity)
    force = [w.M @ x + w.b - f for w, x, f in zip(now, rates, wrench, strict=True)]
    for i in range(len(now) - 1, -1, -1):
        link = data.links[i]
        if link.base.link >= 0:
            force[link.base.link] += now[i].W.T @ force[i][:6]
    return force


def accelerations(data: FlexibleTreeData, now: list[LinkMotion], a: Array, gravity: Array) -> list[Array]:
    """z_dot of all links; with `gravity` the ground accelerates against it."""
    ground = np.concatenate((-gravity, np.zeros(3)))
    out: list[Array] = []
    for link, w in zip(data.links, now, strict=True):
        x = w.N @ a[link.columns] + w.c
        x[:6] += w.W @ (ground if link.base.link < 0 else out[link.base.link])
        out.append(x)
    return out


class Articulated:
    """The tree factored at a state: solves M a = r, or (M + extra) a = r, in O(n) as often as wanted.

    Parameters
    ----------
    extra : list of (k + m, k + m), optional
        Added to each link's own block, such as stiffness and damping of an implicit step.
    driven : (n,) of bool, optional
        Coordinates whose accelerations are given.
    """

    def __init__(
        self,
        data: FlexibleTreeData,
        now: list[LinkMotion],
        extra: list[Array] | None = None,
        driven: NDArray[np.bool_] | None = None,
    ) -> None:
        self._data, self._now = data, now
        n = len(now)
        held = np.zeros(len(data.coordinates), dtype=bool) if driven is None else driven
        self._free = [np.nonzero(~held[link.columns])[0] for link in data.links]
        inertia = [w.M.copy() for w in now]
        self._pull: list[Array] = [np.zeros(0)] * n
        self._root: list[Array] = [np.zeros(0)] * n  # inverse of D
        self._inertia = inertia
        for i in range(n - 1, -1, -1):
            link, w, free = data.links[i], now[i], self._free[i]
            N = w.N[:, free]
            U = inertia[i] @ N
            D = N.T @ U
            own = np.zeros_like(D) if extra is None else extra[i][np.ix_(free, free)]
            D += own
            self._root[i], self._pull[i] = _inverse(D), U
            if link.base.link >= 0:
                # a product, not a difference: what is beyond may be far heavier than what the joint and the modes leave
                share = self._root[i] @ U[:6].T
                rest = np.eye(len(w.z), 6) - N @ share
                inertia[link.base.link] += w.W.T @ (rest.T @ inertia[i] @ rest + share.T @ own @ share) @ w.W

    def solve(self, tau: Array, a: Array, force: list[Array], drift: bool, ground: Array) -> Array:
        """Accelerations (n,) under efforts tau, with `force` (6 + m,) on every link taken away from them.

        Where coordinates are driven, `a` has their accelerations. With `drift`, velocity terms of accelerations count.
        """
        data, now = self._data, self._now
        n = len(now)
        p = [f.copy() for f in force]
        known: list[Array] = []
        shares: list[Array] = [np.zeros(0)] * n
        for i in range(n):
            link = data.links[i]
            given = a[link.columns]
            given[self._free[i]] = 0.0
            known.append(now[i].N @ given + (now[i].c if drift else 0.0))
        for i in range(n - 1, -1, -1):
            link, w, free = data.links[i], now[i], self._free[i]
            p[i] += self._inertia[i] @ known[i]
            shares[i] = tau[link.columns][free] - w.N[:, free].T @ p[i]
            if link.base.link >= 0:
                p[link.base.link] += w.W.T @ (p[i][:6] + self._pull[i][:6] @ (self._root[i] @ shares[i]))
        out = a.copy()
        rates: list[Array] = []
        for i in range(n):
            link, w, free = data.links[i], now[i], self._free[i]
            carried = w.W @ (ground if link.base.link < 0 else rates[link.base.link])
            own = self._root[i] @ (shares[i] - self._pull[i][:6].T @ carried)
            out[link.columns[free]] = own
            x = known[i] + w.N[:, free] @ own
            x[:6] += carried
            rates.append(x)
        return out


def _inverse(D: Array) -> Array:
    """Inverse of a symmetric positive definite matrix, its rows scaled to a unit diagonal first."""
    scale = 1.0 / np.sqrt(np.abs(np.diag(D)))
    return np.asarray(scale[:, None] * np.linalg.inv(D * scale[:, None] * scale) * scale)
