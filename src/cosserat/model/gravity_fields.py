"""`CentralGravity`: the field of a planet or star, which weakens with the distance and turns long bodies."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.model import checks
from cosserat.model.fields import number, unit_vector, vector
from cosserat.model.frame_laws import cross, in_axes, in_world
from cosserat.model.nodes import Lump
from cosserat.model.observers import Observer, moving_vector
from cosserat.model.parameters import Number, resolve
from cosserat.model.placed_laws import PlacedLaw
from cosserat.model.records import Record, recorded


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

    @property
    def has_energy(self) -> bool:
        return not self._inputs

    @property
    def law(self) -> Callable[..., Any]:
        return central_wrench if self.has_energy else central_wrench_seen


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
