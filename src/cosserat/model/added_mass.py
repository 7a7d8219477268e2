"""`AddedMass`: inertia of the fluid that a body sets in motion."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cosserat.errors import ArgumentError, ModelError
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.fluid import Fluid
from cosserat.model.fluid_loads import FluidLoad
from cosserat.model.frame_laws import (
    cross,
    driven,
    flow_change,
    flow_pull,
    in_world,
    turned_momentum,
    turning,
    turning_rate,
)
from cosserat.model.parameters import Number, resolve
from cosserat.model.placed_laws import BodyLaw
from cosserat.model.records import Component, Now, located, number, optional_vector, recorded


class AddedMass(BodyLaw, FluidLoad):
    """Inertia of a perfect fluid that moves with a body: Kirchhoff's equations, the Munk moment included.

    The 6x6 matrix A is added to the body's inertia, while its weight stays. It acts on the acceleration relative to the
    fluid; where the fluid itself accelerates, the force rho V Du/Dt on the displaced volume comes on top. The flow may
    change from place to place, little over the size of the body: a stream that converges pulls the body along.

    Parameters
    ----------
    name : str
    body : RigidBody or its name
    matrix : 6x6 numbers
        Symmetric, positive semidefinite; linear part first, in the body's axes about `centre` (kg, kg m, kg m^2). With
        `per_density` in m^3 to m^5: times the density of the fluid.
    volume : number
        Displaced volume (m^3), for fluids that accelerate.
    centre : (3,), optional
        World coordinates in the reference configuration; default: the centre of mass.
    per_density : bool

    Examples
    --------
    A light ball rises with (m_f - m) g / (m + m_f/2):

    >>> import cosserat as cs
    >>> model = cs.Model("balloon", gravity=(0, 0, -9.81), fluid=cs.Fluid(density=1.225))
    >>> ball = model.add(cs.RigidBody.sphere("ball", diameter=1.0, mass=0.4))
    >>> _ = model.add(cs.Buoyancy("lift", ball)), model.add(cs.AddedMass.sphere("air", ball, diameter=1.0))
    >>> round(float(cs.simulate(model, duration=0.1, step=0.01).acceleration("ball")[0, 2]), 9)
    3.285976718
    """

    _feels_frame = True
    _matrix = Now[Array](checks.array, shape=(6, 6))
    _volume = number(nonnegative=True)
    _centre = optional_vector()

    @recorded
    def __init__(
        self,
        name: str,
        body: Any,
        matrix: Any,
        volume: Number = 0.0,
        centre: Any = None,
        per_density: bool = False,
    ) -> None:
        Component.__init__(self, name)
        self._per_density = checks.flag(self.title, "per_density", per_density)

    @classmethod
    @located
    def sphere(cls, name: str, body: Any, diameter: float, centre: Any = None) -> AddedMass:
        """Of a sphere: half of the displaced mass."""
        _demand_fixed(name, diameter=diameter)
        d = checks.number(f"load {name!r}", "diameter", diameter, positive=True)
        volume = np.pi / 6 * d**3
        return cls(name, body, np.diag([volume / 2] * 3 + [0.0] * 3), volume, centre, per_density=True)

    @classmethod
    @located
    def ellipsoid(cls, name: str, body: Any, semi_axes: Any, centre: Any = None) -> AddedMass:
        """Of an ellipsoid with semi-axes (3,) along the body's axes; see `ellipsoid_coefficients`."""
        _demand_fixed(name, semi_axes=semi_axes)
        a = checks.array(f"load {name!r}", "semi_axes", semi_axes, (3,))
        if (a <= 0.0).any():
            raise ArgumentError(f"load {name!r}", "semi_axes", f"is {a.tolist()}; all must be greater than 0")
        volume = 4.0 / 3.0 * np.pi * float(np.prod(a))
        linear, turning = ellipsoid_coefficients(a)
        around = (a**2).sum() - a**2
        diagonal = np.concatenate((linear, turning * around / 5.0))
        return cls(name, body, volume * np.diag(diagonal), volume, centre, per_density=True)

    @classmethod
    @located
    def cylinder(
        cls, name: str, body: Any, diameter: float, length: float, axis: Any = (0, 0, 1), centre: Any = None
    ) -> AddedMass:
        """Of a slender cylinder by strips: the displaced mass across, nothing along. `axis` is in the body's axes."""
        _demand_fixed(name, diameter=diameter, length=length, axis=axis)
        d = checks.number(f"load {name!r}", "diameter", diameter, positive=True)
        L = checks.number(f"load {name!r}", "length", length, positive=True)
        e = checks.unit(f"load {name!r}", "axis", axis)
        volume = np.pi / 4 * d**2 * L
        across = np.eye(3) - np.outer(e, e)
        matrix = np.kron(np.diag((volume, volume * L**2 / 12)), across)
        return cls(name, body, matrix, volume, centre, per_density=True)

    @classmethod
    @located
    def disc(cls, name: str, body: Any, diameter: float, axis: Any = (0, 0, 1), centre: Any = None) -> AddedMass:
        """Of a thin disc: 8/3 rho r^3 along its axis, 16/45 rho r^5 about its diameters (Lamb, art. 102, 108)."""
        _demand_fixed(name, diameter=diameter, axis=axis)
        r = checks.number(f"load {name!r}", "diameter", diameter, positive=True) / 2
        e = checks.unit(f"load {name!r}", "axis", axis)
        along = np.outer(e, e)
        matrix = np.kron(np.diag((8 / 3 * r**3, 0)), along) + np.kron(np.diag((0, 16 / 45 * r**5)), np.eye(3) - along)
        return cls(name, body, matrix, 0.0, centre, per_density=True)

    def check(self) -> None:
        A = self._matrix
        checks.symmetric(self.title, "matrix", A)
        if np.any(np.diag(A) < 0.0) or checks.lowest(A) < -1e-9:
            raise self._wrong("matrix", "is not positive semidefinite: some motion would have negative energy")
        super().check()

    @property
    def matrix(self) -> Array:
        """The 6x6 matrix at the body's centre of mass, in its axes (kg, kg m, kg m^2), in the model's fluid."""
        A = self._matrix
        if self._per_density:
            fluid = self.fluid
            if fluid.has_surface or "density" not in fluid.numbers:
                raise ModelError(f"{self.title}: its formula needs a fluid of one density; pass a matrix in kg instead")
            A = A * resolve(fluid.numbers["density"])
        carry = se3.adjoint(se3.inverse(se3.frame(np.eye(3), self._arm)))  # twist at the centre from that at the body's
        return np.asarray(carry.T @ A @ carry)

    @property
    def _arm(self) -> Array:
        """From the body's centre of mass to `centre` (3,), in the body's axes."""
        centre = self._centre
        if centre is None:
            return np.zeros(3)
        return np.asarray(self.body.rotation.T @ (centre - self.body.com))

    @property
    def fluid(self) -> Fluid:
        if self._model is not None and self._model.fluid is None and not self._per_density:
            return Fluid(density=0.0)  # a matrix in kg needs to know no more than that nothing flows
        return super().fluid

    @property
    def own_numbers(self) -> dict[str, Number]:
        A = self.matrix
        arm = dict(zip(("arm_x", "arm_y", "arm_z"), self._arm.tolist(), strict=True))
        return {**{f"a{i}{j}": float(A[i, j]) for i in range(6) for j in range(6)}, "volume": self._volume, **arm}

    def record_type(self) -> Any:
        return np.dtype([("A", np.float64, (6, 6)), *((name, np.float64) for name in self.names[36:])])

    @property
    def law(self) -> Callable[..., Any]:
        return moving_fluid_law(self.fluid.density_function, self.fluid.velocity_function, self.moving)


def _demand_fixed(name: str, **sizes: Any) -> None:
    for argument, value in sizes.items():
        checks.fixed(f"load {name!r}", argument, value, "pass a number, or to AddedMass a matrix of parameters")


def ellipsoid_coefficients(semi_axes: Array) -> tuple[Array, Array]:
    """Added masses (3,) relative to the displaced mass, added moments of inertia (3,) relative to those of the fluid.

    Source: Lamb, Hydrodynamics (1932), art. 114-115, with the integrals as Carlson's R_D.
    """
    from scipy.special import elliprd

    a, b, c = semi_axes**2
    shape = 2.0 / 3.0 * float(np.prod(semi_axes)) * np.array([elliprd(b, c, a), elliprd(c, a, b), elliprd(a, b, c)])
    squares, turning = semi_axes**2, np.zeros(3)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        apart, both = squares[j] - squares[k], squares[j] + squares[k]
        if abs(apart) > 1e-7 * both:
            turning[i] = apart**2 * (shape[k] - shape[j]) / (2.0 * apart + both * (shape[j] - shape[k])) / both
    return shape / (2.0 - shape), turning


def moving_fluid_law(density: Any, velocity: Any, moving: bool) -> Any:
    """What a flow adds to the equations of a body whose inertia holds A already.

    The fluid exerts -A d(eta_r)/dt + ad(eta_r)^T A eta_r - grad(u) p + rho V Du/Dt with the twist
    eta_r = eta - (R^T u, 0) and the linear part p of A eta_r: the equations of the energy eta_r . A eta_r/2, which
    depends on the position with the flow. The body's equations have -A d(eta)/dt + ad(eta)^T A eta; the law is the
    difference. The flow is that at the centre of the volume, where grad(u) p and rho V Du/Dt act, too. In a frame that
    moves, the turning of eta_r is that in space, and so are Du/Dt and grad(u); the velocity relative to the fluid is
    the same for all observers.

    Source: G. I. Taylor, Proc. R. Soc. Lond. A 120 (1928) 260: a body held in a converging stream feels the gradient of
    u . (A + rho V) u/2. Of a sphere the whole is rho V (3 Du/Dt - dv/dt + (u - v) x rot u)/2: T. R. Auton,
    J. C. R. Hunt, M. Prud'homme, J. Fluid Mech. 197 (1988) 241.
    """
    change, pull = flow_change(velocity), flow_pull(velocity)

    def law(t, frame, twist, p):
        cx, cy, cz = p["arm_x"], p["arm_y"], p["arm_z"]
        x, y, z = in_world(frame, cx, cy, cz)
        x, y, z = x + frame[0, 3], y + frame[1, 3], z + frame[2, 3]
        u = velocity(x, y, z, t, p)
        w = np.zeros(6)
        # changes of the flow seen by the body, and by the fluid
        v0, v1, v2 = cross(twist[3], twist[4], twist[5], cx, cy, cz)
        vx, vy, vz = in_world(frame, twist[0] + v0, twist[1] + v1, twist[2] + v2)
        met, own = change(x, y, z, vx, vy, vz, t, p), change(x, y, z, u[0], u[1], u[2], t, p)
        displaced = density(x, y, z, t, p) * p["volume"]
        A = p["A"]
        flow, rate, relative = np.empty(3), np.zeros(6), twist.copy()
        seen = np.zeros(3)  # acceleration of the fluid that the frame drives
        if moving:
            seen[0], seen[1], seen[2] = driven(x, y, z, u[0], u[1], u[2], p)
            relative[3], relative[4], relative[5] = turning(frame, twist, p)
            r0, r1, r2 = turning_rate(frame, twist, p)
            rate[3], rate[4], rate[5] = -r0, -r1, -r2
        for i in range(3):
            flow[i] = frame[0, i] * u[0] + frame[1, i] * u[1] + frame[2, i] * u[2]
            for k in range(3):
                rate[i] += frame[k, i] * met[k]
                w[i] += displaced * frame[k, i] * (own[k] + seen[k])
            relative[i] -= flow[i]
        turned = cross(twist[3], twist[4], twist[5], flow[0], flow[1], flow[2])
        for i in range(3):
            rate[i] -= turned[i]
        if moving:  # a flow that is uniform in space is not so for the frame: what it is at the body's centre
            o0, o1, o2 = relative[3] - twist[3], relative[4] - twist[4], relative[5] - twist[5]
            carried, gained = cross(o0, o1, o2, cx, cy, cz), cross(r0, r1, r2, cx, cy, cz)
            for i in range(3):
                relative[i] -= carried[i]
                rate[i] += gained[i]
        p_own, p_rel = np.zeros(6), np.zeros(6)
        for i in range(6):
            for j in range(6):
                p_own[i] += A[i, j] * twist[j]
                p_rel[i] += A[i, j] * relative[j]
        px, py, pz = in_world(frame, p_rel[0], p_rel[1], p_rel[2])
        pulled = pull(x, y, z, t, px, py, pz, p)
        for i in range(3):
            for k in range(3):
                w[i] -= frame[k, i] * pulled[k]
        if moving:
            gained = cross(o0, o1, o2, p_rel[0], p_rel[1], p_rel[2])
            for i in range(3):
                w[i] += gained[i]
        w[3], w[4], w[5] = cross(cx, cy, cz, w[0], w[1], w[2])
        for i in range(6):
            for j in range(6):
                w[i] += A[i, j] * rate[j]
        return w + turned_momentum(twist, p_own) - turned_momentum(relative, p_rel)

    return law
