"""Fields of acceleration: `CentralGravity` of a planet or star, and the apparent forces of a frame that moves.

The field of a central body weakens with the distance and turns long bodies.

A mechanism seen from a frame that moves obeys the equations of a Galilean frame with the drive and Coriolis wrenches of
[Lerbet17] (45)-(47) added, with the opposite sign: what a model that is described in a moving frame feels besides its
loads.
"""
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cosserat.model import checks
from cosserat.model.frame_laws import cross, driven, driven_at, in_axes, in_world, turning, turning_rate
from cosserat.model.nodes import BeamElement, Lump, elements_of, lumps_of
from cosserat.model.observers import Observer, frame_motion, moving_vector
from cosserat.model.parameters import Number, resolve
from cosserat.model.placed_laws import PlacedLaw
from cosserat.model.records import Record, number, recorded, unit_vector, vector
from cosserat.model.state_loads import StateLoad

if TYPE_CHECKING:
    from cosserat.model.model import Model


class CentralGravity(Record):
    """Gravity of a central body: ``cs.Model("satellite", gravity=cs.CentralGravity(mu))``.

    The potential of a mass is -mu/r (1 - J2 (a/r)^2 (3 sin^2 - 1)/2), a the radius and the angle the latitude over the
    equator. A rigid body feels it with its mass and, by the second derivatives, with its inertia: about a sphere the
    torque is 3 mu/r^5 x × J x. Beams feel it at every node.

    Parameters
    ----------
    mu : number
        Gravitational constant times the mass (m^3/s^2).
    centre : (3,)
        (m), world coordinates; in a model with ``frame=``, coordinates of the Galilean frame.
    j2 : number
        Oblateness, 0 for a sphere.
    radius : number
        Equatorial radius (m), with `j2`.
    pole : (3,)
        Axis of the oblateness.

    Examples
    --------
    A circular orbit of 7000 km:

    >>> import numpy as np
    >>> import cosserat as cs
    >>> model = cs.Model("satellite", gravity=cs.CentralGravity.earth())
    >>> v = np.sqrt(3.986004418e14 / 7e6)
    >>> body = cs.RigidBody("body", mass=100, com=(7e6, 0, 0), inertia=np.diag([3.0, 4.0, 5.0]), velocity=(0, v, 0))
    >>> _ = model.add(body)
    >>> run = cs.simulate(model, duration=600, step=10, integrator="energy-momentum")
    >>> bool(np.allclose(np.linalg.norm(run.position("body"), axis=1), 7e6, rtol=2e-4))
    True
    """

    word = "CentralGravity"
    _mu = number(positive=True)
    _j2 = number()
    _radius = number(nonnegative=True, hint="; the equatorial radius (m)")
    _centre = vector()
    _pole = unit_vector()

    @recorded
    def __init__(
        self,
        mu: Number,
        centre: Any = (0.0, 0.0, 0.0),
        j2: Number = 0.0,
        radius: Number = 0.0,
        pole: Any = (0.0, 0.0, 1.0),
    ) -> None:
        pass

    @classmethod
    def earth(cls, oblate: bool = False) -> CentralGravity:
        """That of the Earth, about the world's origin, as a sphere or with its oblateness (WGS 84, EGM 96)."""
        if checks.flag("CentralGravity.earth", "oblate", oblate):
            return cls(3.986004418e14, j2=1.08262668e-3, radius=6378137.0)
        return cls(3.986004418e14)

    def check(self) -> None:
        super().check()
        if resolve(self._j2) != 0.0:
            checks.number(self.title, "radius", self._radius, positive=True, hint="; j2 needs it")

    @property
    def centre(self) -> NDArray[np.float64]:
        """Where it attracts to (3,) (m)."""
        return self._centre

    @property
    def numbers(self) -> dict[str, Number]:
        """Numbers of the law that do not depend on the observer."""
        return {"mu": self._mu, "j2": self._j2, "radius": self._radius}

    @property
    def text(self) -> str:
        """In a few words."""
        return f"central, mu = {resolve(self._mu):g} m^3/s^2"


class FieldLoad(PlacedLaw):
    """Gravity of a central body on one lump of mass."""

    def __init__(self, lump: Lump, field: CentralGravity, frame: Observer | None) -> None:
        self._made(lump.titled("gravity"), lump.place)
        self._numbers = {**field.numbers, **lump.numbers}
        self._inputs, self.spread = dict(lump.signals), lump.place.s is not None
        if frame is None:
            self._numbers |= dict(zip(("cx", "cy", "cz"), field.as_given("_centre"), strict=True))
            self._numbers |= dict(zip(("px", "py", "pz"), field._pole.tolist(), strict=True))
        else:
            centre = moving_vector(frame, "c", field._centre, True)
            self._inputs |= centre | moving_vector(frame, "p", field._pole, False)

        self.has_energy = not self._inputs
        self._law = central_wrench if self.has_energy else central_wrench_seen


def central_wrench(t, frame, twist, p):
    """Wrench of a central field on a lump, and its potential energy V.

    With phi the potential of a unit of mass, x from the centre, d the first and P the second moments of the mass:
    V = m phi + d . grad phi + P : H/2, H = grad grad phi; the force is -dV/dx, and the torque -dV by turning d and P,
    the vector of P H - H P for the latter.
    """
    x, y, z = frame[0, 3] - p["cx"], frame[1, 3] - p["cy"], frame[2, 3] - p["cz"]
    r2 = x * x + y * y + z * z
    r = math.sqrt(r2)
    r5 = r2 * r2 * r
    mu, m = p["mu"], p["m"]
    X, R, s = (x, y, z), frame, (p["sx"], p["sy"], p["sz"])
    S = np.empty((3, 3))  # second moments in the place's frame
    half = 0.5 * (p["jxx"] + p["jyy"] + p["jzz"])
    S[0, 0], S[1, 1], S[2, 2] = half - p["jxx"], half - p["jyy"], half - p["jzz"]
    S[0, 1], S[0, 2], S[1, 2] = -p["jxy"], -p["jxz"], -p["jyz"]
    S[1, 0], S[2, 0], S[2, 1] = S[0, 1], S[0, 2], S[1, 2]
    own, d = in_axes(R, x, y, z), in_world(R, s[0], s[1], s[2])  # x in the place's frame
    Sx = in_axes(S, own[0], own[1], own[2])
    Px = in_world(R, Sx[0], Sx[1], Sx[2])
    xSx = own[0] * Sx[0] + own[1] * Sx[1] + own[2] * Sx[2]
    trace = S[0, 0] + S[1, 1] + S[2, 2]
    xd = x * d[0] + y * d[1] + z * d[2]
    grad, hess_d, shaped = np.empty(3), np.empty(3), np.empty(3)
    for i in range(3):
        grad[i] = mu * X[i] / (r2 * r)
        hess_d[i] = mu * (d[i] / (r2 * r) - 3.0 * X[i] * xd / r5)
        shaped[i] = -mu * ((3.0 * Px[i] - X[i] * trace) / r5 - 2.5 * X[i] * (3.0 * xSx - r2 * trace) / (r5 * r2))
    energy = -mu * (m / r + (3.0 * xSx - r2 * trace) / (2.0 * r5))
    flattened = np.zeros(3)  # torque of the oblateness on the second moments
    if p["j2"] != 0.0:  # k (3 h^2/r^5 - 1/r^3), h the height over the equator
        k = 0.5 * mu * p["j2"] * p["radius"] * p["radius"]
        pole = p["px"], p["py"], p["pz"]
        h = pole[0] * x + pole[1] * y + pole[2] * z
        pd = pole[0] * d[0] + pole[1] * d[1] + pole[2] * d[2]
        r7, r9 = r5 * r2, r5 * r2 * r2
        for i in range(3):
            grad[i] += k * (6.0 * h * pole[i] / r5 + (3.0 / r5 - 15.0 * h * h / r7) * X[i])
            hess_d[i] += k * (
                6.0 * pole[i] * pd / r5
                - 30.0 * h * (pole[i] * xd + X[i] * pd) / r7
                + (3.0 / r5 - 15.0 * h * h / r7) * d[i]
                + (105.0 * h * h / r9 - 15.0 / r7) * X[i] * xd
            )
        energy += m * k * (3.0 * h * h / r5 - 1.0 / (r2 * r))
        q = in_axes(R, pole[0], pole[1], pole[2])  # the pole in the place's frame
        Sq = in_axes(S, q[0], q[1], q[2])
        Pp = in_world(R, Sq[0], Sq[1], Sq[2])
        pPp = q[0] * Sq[0] + q[1] * Sq[1] + q[2] * Sq[2]
        pPx = q[0] * Sx[0] + q[1] * Sx[1] + q[2] * Sx[2]
        flat, far = 3.0 / r5 - 15.0 * h * h / r7, 105.0 * h * h / r9 - 15.0 / r7
        energy += 0.5 * k * (6.0 * pPp / r5 - 60.0 * h * pPx / r7 + flat * trace + far * xSx)
        for i in range(3):
            along_x = -30.0 * pPp / r7 + 420.0 * h * pPx / r9 + trace * far
            along_x += xSx * (105.0 / r9 - 945.0 * h * h / (r9 * r2))
            along_p = -60.0 * pPx / r7 - 30.0 * h * trace / r7 + 210.0 * h * xSx / r9
            shaped[i] += 0.5 * k * (along_x * X[i] + along_p * pole[i] - 60.0 * h * Pp[i] / r7 + 2.0 * far * Px[i])
            j, n = (i + 1) % 3, (i + 2) % 3
            twisted = 6.0 / r5 * (q[j] * Sq[n] - q[n] * Sq[j]) + far * (own[j] * Sx[n] - own[n] * Sx[j])
            mixed = own[j] * Sq[n] - own[n] * Sq[j] + q[j] * Sx[n] - q[n] * Sx[j]
            flattened[i] = k * (twisted - 30.0 * h / r7 * mixed)
    energy += d[0] * grad[0] + d[1] * grad[1] + d[2] * grad[2]
    w = np.empty(7)
    pull = -(m * grad + hess_d + shaped)
    w[0], w[1], w[2] = in_axes(R, pull[0], pull[1], pull[2])
    g = in_axes(R, grad[0], grad[1], grad[2])
    hung = cross(g[0], g[1], g[2], s[0], s[1], s[2])
    turned = cross(own[0], own[1], own[2], Sx[0], Sx[1], Sx[2])
    for i in range(3):
        w[3 + i] = hung[i] - 3.0 * mu / r5 * turned[i] + flattened[i]
    w[6] = energy
    return w


def central_wrench_seen(t, frame, twist, p):
    """The same seen from a moving frame, where the field has no energy of its own: it changes with time."""
    return central_wrench(t, frame, twist, p)[:6]


class ApparentLoad(PlacedLaw):
    """Drive and Coriolis wrenches on one lump of mass in a frame that moves as prescribed."""

    def __init__(self, lump: Lump, frame: Observer) -> None:
        self._made(lump.titled("apparent forces"), lump.place)
        numbers, signals = frame_motion(frame)
        self._numbers = {**lump.numbers, **numbers}
        self._inputs = {**lump.signals, **signals}
        self._law = apparent_wrench


class ApparentOnElement(PlacedLaw):
    """The same on a node of an element of a beam, with the inertia of the element: exact as its inertia is.

    The kinetic energy of an element is tr(Z' G Z'^T)/2 + (Y_A w_A) . (Y_B w_B), Z = (x_A, R_A, x_B, R_B), w in space;
    see `compile.matter`. A frame adds the drive and Coriolis accelerations of the columns of Z, and its turning to w.
    """

    spread = True

    def __init__(self, part: BeamElement, frame: Observer) -> None:
        place, self._other = part.ends
        self._made(f"apparent forces on {part.beam.name} element {part.number} {int(part.turned)}", place)
        self.element = part
        self._numbers, self._inputs = frame_motion(frame)
        self._law = apparent_on_element

    @property
    def acts_on(self) -> int:
        return 1

    def record_type(self) -> Any:
        return np.dtype([*((name, np.float64) for name in self.names), ("G", np.float64, (82,))])


def apparent_loads(model: Model, frame: Observer, laws: tuple[StateLoad, ...]) -> tuple[StateLoad, ...]:
    """All of a model in a moving frame that has these laws besides."""
    what = "a moving frame"
    on_lumps = [ApparentLoad(lump, frame) for lump in lumps_of(model, what)]
    return (*on_lumps, *(ApparentOnElement(part, frame) for part in elements_of(model, laws, what)))


def apparent_on_element(t, frame, twist, other_frame, other_twist, p):
    """Wrench on the first node of an element, in its axes."""
    G = p["G"]
    ax, ay, az = p["ax"], p["ay"], p["az"]
    F = np.zeros((3, 4))  # forces on the columns x, R of the node
    for side in range(2):
        H, eta = (frame, twist) if side == 0 else (other_frame, other_twist)
        w0, w1, w2 = eta[3], eta[4], eta[5]
        for k in range(4):  # velocity v, then w x e_k
            v0, v1, v2 = eta[0], eta[1], eta[2]
            if k == 1:
                v0, v1, v2 = 0.0, w2, -w1
            elif k == 2:
                v0, v1, v2 = -w2, 0.0, w0
            elif k == 3:
                v0, v1, v2 = w1, -w0, 0.0
            c = 3 if k == 0 else k - 1
            vx, vy, vz = in_world(H, v0, v1, v2)
            bx, by, bz = driven(H[0, c], H[1, c], H[2, c], vx, vy, vz, p)
            if k > 0:  # the columns of a rotation are directions
                bx, by, bz = bx - ax, by - ay, bz - az
            for j in range(4):
                g = G[8 * (4 * side + k) + j]
                F[0, j] -= g * bx
                F[1, j] -= g * by
                F[2, j] -= g * bz
    f = np.zeros((4, 3))  # the same in the node's axes
    for j in range(4):
        f[j, 0], f[j, 1], f[j, 2] = in_axes(frame, F[0, j], F[1, j], F[2, j])
    W, V = np.empty(3), np.empty(3)  # turning in space of both nodes, and what it has besides the rates of the twists
    W[0], W[1], W[2] = turning(frame, twist, p)
    V[0], V[1], V[2] = turning(other_frame, other_twist, p)
    r = np.empty(3)
    r[0], r[1], r[2] = turning_rate(other_frame, other_twist, p)
    seen = _product(G, frame, other_frame, twist[3:], other_twist[3:], np.zeros(3))
    m = seen - _product(G, frame, other_frame, W, V, r)
    w = np.empty(6)
    w[0], w[1], w[2] = f[0, 0], f[0, 1], f[0, 2]
    w[3] = m[0] + f[2, 2] - f[3, 1]
    w[4] = m[1] + f[3, 0] - f[1, 2]
    w[5] = m[2] + f[1, 1] - f[2, 0]
    return w


def _product(G, frame, other_frame, w, v, rate):
    """Inertia moment of (Y_A w_A) . (Y_B w_B) on node A, in its axes; w, v: turning of A and B, `rate` that of v."""
    Y, R, H, K = np.empty((3, 3)), np.empty((3, 3)), frame, other_frame
    turned, grown, seen = np.zeros(3), np.zeros(3), np.zeros(3)  # in the axes of B: Y_B w_B and Y_B times its rate
    p, q, q_rate, apart = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(3):
        for j in range(3):
            Y[i, j] = G[64 + 3 * i + j]
            turned[i] += G[73 + 3 * i + j] * v[j]
            grown[i] += G[73 + 3 * i + j] * rate[j]
            R[i, j] = H[0, i] * K[0, j] + H[1, i] * K[1, j] + H[2, i] * K[2, j]
    for i in range(3):
        for j in range(3):
            p[i] += Y[i, j] * w[j]
            q[i] += R[i, j] * turned[j]
            q_rate[i] += R[i, j] * grown[j]
            apart[i] += R[i, j] * v[j]
    apart -= w
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        q_rate[i] += apart[j] * q[k] - apart[k] * q[j]
    for i in range(3):
        for j in range(3):
            seen[i] += Y[i, j] * q[j]
    out = np.zeros(3)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] = w[j] * seen[k] - w[k] * seen[j] + q[j] * p[k] - q[k] * p[j]
        for n in range(3):
            out[i] += Y[i, n] * q_rate[n]
    return out


def apparent_wrench(t, frame, twist, p):
    """-(K_r + K_c) of a lump about its place, in its axes: [Lerbet17] (45)-(46).

    With the angular velocity O of the frame, its rate L and the acceleration A of its origin, along its axes, a point
    at x with the velocity v has the apparent acceleration -(A + L × x + O × (O × x) + 2 O × v).
    """
    gx, gy, gz = driven_at(frame, twist, p)
    g = in_axes(frame, -gx, -gy, -gz)
    spin, turn = in_axes(frame, p["ox"], p["oy"], p["oz"]), in_axes(frame, p["lx"], p["ly"], p["lz"])
    s = p["sx"], p["sy"], p["sz"]
    J = np.empty((3, 3))
    J[0, 0], J[1, 1], J[2, 2] = p["jxx"], p["jyy"], p["jzz"]
    J[0, 1], J[0, 2], J[1, 2] = p["jxy"], p["jxz"], p["jyz"]
    J[1, 0], J[2, 0], J[2, 1] = p["jxy"], p["jxz"], p["jyz"]
    # of the first moment: L × s + O × (O × s) + 2 O × (w × s)
    a, b = np.empty(3), np.empty(3)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        a[i] = spin[j] * s[k] - spin[k] * s[j] + 2.0 * (twist[3 + j] * s[k] - twist[3 + k] * s[j])
        b[i] = turn[j] * s[k] - turn[k] * s[j]
    w = np.empty(6)
    turned, driven, mixed = np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        w[i] = p["m"] * g[i] - b[i] - (spin[j] * a[k] - spin[k] * a[j])
        for n in range(3):
            q, r = (n + 1) % 3, (n + 2) % 3
            turned[i] += J[i, n] * twist[3 + n]
            driven[i] += J[i, n] * spin[n]
            mixed[i] += J[i, n] * (spin[q] * twist[3 + r] - spin[r] * twist[3 + q] + turn[n])
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        w[3 + i] = (s[j] * g[k] - s[k] * g[j]) - (
            (spin[j] + twist[3 + j]) * driven[k]
            - (spin[k] + twist[3 + k]) * driven[j]
            + spin[j] * turned[k]
            - spin[k] * turned[j]
            + mixed[i]
        )
    return w
