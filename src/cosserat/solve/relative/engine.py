"""What a `Tree` asks of its engine: numbers for states that are plain arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from cosserat.compile.seats import Seat
from cosserat.lie.protocol import Array
from cosserat.results.posture import Posture
from cosserat.solve.relative.nonholonomic import PlaceMotion

Dynamics = Callable[..., int]


class Engine(Protocol):
    """Recursions over the links of one model.

    Calls of dynamics take vectors (n,) of one state, then arrays that they write into, all plain: C-contiguous, of
    doubles, with the right shape. They return 0, or 1 where an array is not plain or a state not finite; for other
    objects they may raise a TypeError, ValueError, AttributeError or IndexError.
    """

    @property
    def inverse_dynamics(self) -> Dynamics:
        """Of q, v, a to tau (n,)."""

    @property
    def forward_dynamics(self) -> Dynamics:
        """Of q, v, tau to a (n,)."""

    @property
    def hybrid_dynamics(self) -> Dynamics:
        """Of q, v, driven, given to a, tau (n,)."""

    @property
    def gravity_forces(self) -> Dynamics:
        """Of q to tau (n,)."""

    @property
    def mass_matrix(self) -> Dynamics:
        """Of q to M (n, n)."""

    @property
    def inverse_dynamics_derivatives(self) -> Dynamics:
        """Of q, v, a to dq, dv, da (n, n)."""

    @property
    def forward_dynamics_derivatives(self) -> Dynamics:
        """Of q, v, tau to dq, dv, dtau (n, n), a (n,)."""

    @property
    def judges_drives(self) -> bool:
        """Whether hybrid dynamics returns 1 where the driven freedoms are not all or none of a joint."""

    def demand_threads(self, call: str, threads: Any) -> None:
        """Raise if a stack cannot be split over so many threads."""

    def stack(self, call: str, states: list[Array], out: list[Array], threads: int) -> int:
        """The call of dynamics with this name for stacks (N, n), to (N, n) or (N, n, n)."""

    def own_forces(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Wrenches (n_z,) on the links, in their frames, and efforts (n,) in the coordinates; all but gravity."""

    def pulled(self, q: Array, wrenches: Array) -> Array:
        """What wrenches (..., n_links, 6) on links, in their frames, do in the coordinates (..., n)."""

    def jacobian(self, seat: Seat, q: Array, v: Array | None, own_axes: bool) -> tuple[Array, Array]:
        """J and J_dot (6, n) of a seat; the second is of no use where v is None."""

    def place_motion(self, seat: Seat, q: Array, v: Array) -> PlaceMotion:
        """World frame, Jacobian in world axes and J_dot v of a seat on a link."""

    def posture(self, seat_of: Callable[[Any], Seat], q: Array, v: Array, a: Array) -> Posture:
        """Frames and motions of places."""

    def centroidal(self, q: Array) -> tuple[Array, Array]:
        """Matrix (6, n) of the momentum about the centre of mass, and the centre (3,)."""

    def energies(self, q: Array, v: Array) -> tuple[float, float, float]:
        """Kinetic, strain and potential energy."""

    def law_state_rates(self, q: Array, v: Array) -> Array:
        """Rates of the states that laws own."""

    def set_time(self, t: float) -> None:
        """Take functions of time at time t."""

    def set_law_states(self, states: Array) -> None:
        """Take laws at these states."""
