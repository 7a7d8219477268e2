"""Loads that depend on the state: a law of the user's from time, frame and twist of a place to a wrench.

Some laws see how the twist of their place changes: affine in that rate, and what multiplies it is an inertia. The
inertia A, which may change with the frame, goes to the body, as that of a fluid does, so that every method and analysis
knows it. A body also turns its momentum A v in moving axes; the law that is left takes this back, for it is the user's
to write. It knows the matrix that the body has, and the rate, as further numbers of its record: with these held fixed,
its derivatives are those of the whole.
"""
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.errors import ModelError
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.frame_laws import turned_momentum
from cosserat.model.functions import TimeFunction
from cosserat.model.parameters import Number, resolve
from cosserat.model.places import Place
from cosserat.model.records import Component, PlaceField, recorded
from cosserat.model.user_laws import LawFormulas, UserLaw, demand_function, named_numbers, record_type

if TYPE_CHECKING:
    from cosserat.model.nodes import BeamElement

_PROBES = np.array(
    [
        [0.31, -0.43, 0.59, 0.47, -0.61, 0.23, 0.7],
        [-0.83, 0.29, 0.37, -0.71, 0.53, 0.97, 3.1],
    ]
)  # any motions, and times
_SAME = 1e-9  # relative difference of inertias that are the same


def sees_rate(law: Any) -> bool:
    """Whether a law is one of (t, frame, twist, rate, parameters)."""
    try:
        names = list(inspect.signature(getattr(law, "py_func", law)).parameters)
    except (TypeError, ValueError):
        return False
    return len(names) == 5 and names[3] == "rate"


HIDDEN = [("_inertia", np.float64, (6, 6)), ("_rate", np.float64, (6,))]  # in the record of such a law


def without_inertia(law: Callable[..., Any]) -> Callable[..., Any]:
    """The law and the inertia forces of the matrix A that its body has: A rate, and what it turns of its momentum
    p = A v, (w x p, w x q + v x p).
    """

    def rest(t, frame, twist, parameters):
        A, known = parameters["_inertia"], parameters["_rate"]
        rate, p = np.zeros(6), np.zeros(6)
        for i in range(6):
            rate[i] = known[i]
        given = law(t, frame, twist, rate, parameters)
        out = np.zeros(len(given))
        for i in range(len(given)):
            out[i] = given[i]
        for i in range(6):
            for k in range(6):
                p[i] += A[i, k] * twist[k]
                out[i] += A[i, k] * known[k]
        out[:6] += turned_momentum(twist, p)
        return out

    return rest


def inertia_law(law: Callable[..., Any]) -> Callable[..., Any]:
    """The matrix A of the wrench w - A rate of a law, as 36 numbers."""

    def matrix(t, frame, twist, parameters):
        out, still, unit = np.zeros(36), np.zeros(6), np.zeros(6)
        base = law(t, frame, still, still, parameters)
        for k in range(6):
            unit[k] = 1.0
            given = law(t, frame, still, unit, parameters)
            for i in range(6):
                out[6 * i + k] += 0.5 * (base[i] - given[i])
                out[6 * k + i] += 0.5 * (base[i] - given[i])
            unit[k] = 0.0
        return out

    return matrix


def inertia_of(title: str, law: Callable[..., Any], frame: Array, numbers: Any) -> tuple[Array, bool]:
    """A (6, 6) of the wrench w - A rate of a law, symmetric and not negative; and whether it changes with the frame.

    Raises
    ------
    ModelError
        If it is not so, or changes otherwise.
    """
    function = getattr(law, "py_func", law)

    def wrench(t: float, H: Array, twist: Array, rate: Array) -> Array:
        try:
            return np.asarray(function(t, H, twist, rate, numbers), dtype=float)
        except Exception as error:
            raise ModelError(f"{title}: the law fails where its inertia is asked for: {error}") from error

    def slope(t: float, H: Array, twist: Array) -> Array:
        base = wrench(t, H, twist, np.zeros(6))
        return np.stack([base - wrench(t, H, twist, unit) for unit in np.eye(6)], axis=1)

    A = slope(0.0, frame, np.zeros(6))
    size = max(float(np.abs(A).max()), np.finfo(float).tiny)
    _demand_mass(title, A[:6], size)
    changes = False
    for *motion, t in _PROBES:
        there, twist = frame @ se3.exp(np.array(motion)), np.array(motion[::-1])
        near, other = slope(0.0, there, np.zeros(6)), slope(t, there, twist)
        if not np.isfinite(near).all():
            continue  # beyond where the law is defined
        size = max(size, float(np.abs(near).max()))
        changes |= bool(np.abs(near - A).max() > 100.0 * _SAME * size)
        _demand_mass(title, near[:6], size)
        both = wrench(t, there, twist, np.zeros(6)) - wrench(t, there, twist, 10.0 * twist)
        for found, wanted, what in (
            (both, 10.0 * other @ twist, "is not affine in the rate"),
            (other, near, "has an inertia that changes with time or with the twist of its place"),
            (other[6:], 0.0 * other[6:], "lets the rate enter the rates of its states"),
        ):
            if np.abs(found - wanted).max(initial=0.0) > 100.0 * _SAME * size:
                raise ModelError(f"{title}: the law {what}; it must be w(t, frame, twist) - A(frame) rate")
    return np.asarray(0.5 * (A[:6] + A[:6].T)), changes


def _demand_mass(title: str, A: Array, size: float) -> None:
    """Raise unless a matrix can be that of a mass: steps and modes take inertia as symmetric and not negative."""
    if np.abs(A - A.T).max() > _SAME * size or np.linalg.eigvalsh(A)[0] < -_SAME * size:
        raise ModelError(
            f"{title}: what multiplies the rate in the law must be minus a symmetric matrix without negative "
            f"eigenvalues, as that of a mass, which the solvers need; got {np.round(-A, 6).tolist()}"
        )


class StateLoad(UserLaw, Component):
    """A load given by a law of your own: drag, thrust, a magnet, a nonlinear spring, contact with a wall.

    Parameters
    ----------
    name : str
    place : place
        Where it acts.
    law : callable or dict
        ``law(t, frame, twist, parameters)`` returns the wrench (6,), force first, in the place's frame. `frame` is the
        4x4 matrix of the place in the world, `twist` its velocity and angular velocity (6,) in its own frame,
        `parameters` what is given below, read as ``parameters["c"]``. A plain Python function in the part of Python and
        NumPy that Numba compiles; it is compiled once and kept. Or formulas, which a model file can hold, too, by
        component: ``{"fx": "-c*vx*abs(vx)"}``, see `LawFormulas`. A law of ``(t, frame, twist, rate, parameters)``
        also sees the time derivative of `twist`, in which it is affine: added mass. What multiplies the rate is minus
        a symmetric matrix, which may change with the frame.
    parameters : dict
        Names and numbers, or `Parameter`s, which the law uses: change them and nothing is compiled again.
    other : place or list of places, optional
        With a place the law is ``law(t, frame, twist, other_frame, other_twist, parameters)``, and the opposite wrench
        acts on this place. With a list the law joins all of them: ``law(t, frames, twists, parameters)`` gets frames
        (n, 4, 4) and twists (n, 6) of `place` and of these, in their order, and returns wrenches (n, 6), each on its
        place and in its frame. A place may come again, and may be on the ground.
    derivative : callable, optional
        With the arguments of the law: its derivatives (6, 12) by left increments of the frame (H exp(d)) and by the
        twist; with `other` (6, 24), those by the other place's behind; with a list (6 n, 12 n). Without it they are
        found by differences, to 1e-7 or better.
    states : dict, optional
        Names and first values of states that the law owns: a lag, a filter, a wake. It reads them as it reads
        parameters, ``parameters["lag"]``, and returns their rates behind the wrench, 6 + n numbers. Formulas give the
        rate by the name of the state, ``{"fx": "-k*lag", "lag": "(vx - lag)/tau"}``. A law that joins a list of places
        returns all its wrenches and these rates in one row of numbers.
    balanced : bool
        Whether the wrenches of a law that joins a list of places must cancel, as those between bodies do: a law that
        breaks this is refused. False for what acts from outside on several places at once.

    Examples
    --------
    >>> import numpy as np
    >>> import cosserat as cs
    >>> model = cs.Model("fall", gravity=(0, 0, -9.81))
    >>> ball = model.add(cs.RigidBody("ball", mass=1, com=(0, 0, 0), inertia=np.eye(3)))
    >>> def drag(t, frame, twist, parameters):
    ...     wrench = np.zeros(6)
    ...     speed = np.sqrt(twist[0] ** 2 + twist[1] ** 2 + twist[2] ** 2)
    ...     wrench[:3] = -parameters["c"] * speed * twist[:3]
    ...     return wrench
    >>> _ = model.add(cs.StateLoad("drag", ball, drag, parameters={"c": 0.05}))
    >>> run = cs.simulate(model, duration=3, step=0.01)
    >>> round(float(run.velocity("ball")[-1, 2]), 3)
    -13.594
    """

    spread = False
    """Whether it is one of many that act along a beam, to which nothing is attached there."""
    varying: tuple[str, ...] = ()
    """Names of the signals that are mass, first moments and inertia, which it adds to its body; none: nothing."""
    has_energy = False
    """Whether its wrench is that of a potential energy, which its law then gives behind the wrench."""
    element: BeamElement | None = None
    """The element of a beam of which its law gets the inertia, behind its numbers; None: of none."""
    word = "load"
    derivative: Callable[..., Any] | None = None
    place = PlaceField[Place]("Where it acts.")
    other = PlaceField[Any]("The other place, or a list of them; None: the world.", several=True)
    balanced = True
    _place: Any
    _sees_rate = False
    _known: tuple[Any, Any] = (None, None)  # numbers, and the inertia for them
    _states: Mapping[str, Number] = {}

    @recorded
    def __init__(
        self,
        name: str,
        place: Any,
        law: Any,
        parameters: Mapping[str, Number] | None = None,
        other: Any = None,
        derivative: Callable[..., Any] | None = None,
        states: Mapping[str, Number] | None = None,
        balanced: bool = True,
    ) -> None:
        super().__init__(name)
        self._take("{'c': 0.1}")
        self.balanced = checks.flag(self.title, "balanced", balanced)
        if isinstance(self._other, tuple) and not self._other:
            raise self._wrong("other", "is an empty list; name a place, several, or leave it out")
        self._states = named_numbers(self.title, "states", states, "{'lag': 0.0}")
        both = [key for key in self._states if key in self._parameters]
        if both:
            raise self._wrong("states", f"has the name {both[0]!r}, which is a parameter; take another")
        if self._states and derivative is not None:
            raise self._wrong("derivative", "is not taken where the law owns states; leave it out")
        if isinstance(law, Mapping):
            if other is not None or derivative is not None:
                raise ModelError(f"{self.title}: formulas take no other= and no derivative=; write a Python function")
            law = LawFormulas(law, self._parameters, self.title, tuple(self._states))
        self._sees_rate = other is None and sees_rate(law)
        if self._sees_rate and derivative is not None:
            raise self._wrong("derivative", "is not taken where the law sees the rate; leave it out")
        more = ["rate"] if self._sees_rate else [] if other is None else ["other_frame", "other_twist"]
        names = ["t", "frame", "twist", *more, "parameters"]
        if self.joins:
            names = ["t", "frames", "twists", "parameters"]
        for argument, function in (("law", law), ("derivative", derivative)):
            if not (isinstance(function, LawFormulas) or (argument == "derivative" and function is None)):
                demand_function(self.title, argument, function, names)
        self._law, self.derivative = law, derivative
        self._keep(states=dict(self._states) or None)

    @property
    def law(self) -> Callable[..., Any]:
        """The law as a Python function of time, frames, twists and parameters; without its inertia, if it has one."""
        found = super().law
        return without_inertia(found) if self._sees_rate else found

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states that its law owns."""
        return tuple(self._states)

    @property
    def first_states(self) -> tuple[float, ...]:
        """Their values at the start of a motion from the reference configuration."""
        return tuple(resolve(value) for value in self._states.values())

    @property
    def signals(self) -> Mapping[str, TimeFunction]:
        """Functions of time by those of its names that they set: inputs, which controllers and linear models see."""
        return {}

    @property
    def heavy(self) -> float:
        """Mass (kg) at its place that it adds and gravity pulls at; that of uniform gravity is in its law."""
        return 0.0

    @property
    def joins(self) -> bool:
        """Whether its law takes the motions of all its places in arrays, and gives the wrench on each of them."""
        return isinstance(self._other, tuple)

    @property
    def acts_on(self) -> int:
        """On how many of its places it acts, the first ones; the motions of the others count, no more."""
        return len(self.places)

    @property
    def inertia(self) -> Any:
        """Inertia (6, 6) of a fluid that moves with the place, in its frame, where it is described; None: none."""
        return self._found_inertia()[0] if self._sees_rate else None

    @property
    def inertia_law(self) -> Callable[..., Any] | None:
        """The same as a law of the frame, 36 numbers, where it changes with that; None where it does not."""
        return inertia_law(super().law) if self._sees_rate and self._found_inertia()[1] else None

    @property
    def hidden(self) -> tuple[float, ...]:
        """What its law gets behind its parameters: the inertia that its body has, and the rate."""
        return (*self.inertia.ravel().tolist(), *(0.0,) * 6) if self._sees_rate else ()

    def _found_inertia(self) -> tuple[Array, bool]:
        given = (*self.values, *(0.0,) * 42, *self.first_states)
        if self._known[0] != given:
            self._known = given, inertia_of(self.title, super().law, self.place.frame(), self.record(given))
        return self._known[1]

    def fault(self, t: float, frame: Any, twist: Any, states: Any) -> str:
        """In words, why its law fails at a state, where more is known of it than that; or nothing."""
        return ""

    def outside(self, t: float, frame: Any) -> str:
        """In words, where its place is outside of what is known of the model's fluid; or nothing."""
        return ""

    def events(self, start: float, end: float) -> str:
        """In words, what happened to it in a run between two times, and ought to be said; or nothing."""
        return ""

    def wake_energy(self, t: float, frame: Any, states: Any) -> float:
        """Energy (J) that its states hold, where they are lags of a wake."""
        return 0.0

    @property
    def cautious(self) -> bool:
        """Whether `caution` has anything to say."""
        return False

    def caution(self, t: float, frame: Any, twist: Any, states: Any) -> tuple[float, str]:
        """How strongly it acts, in a measure of its kind; and in words, why a state is beyond what its law is meant
        for, though it does not fail, or nothing.
        """
        return 0.0, ""

    def check(self) -> None:
        super().check()
        checks.named(self.title, "states", self._states)

    def check_places(self) -> None:
        """Raise if it acts on the ground, or on one body from both sides."""
        if self.place.on_ground:
            raise ModelError(f"{self.title}: it acts on the ground, which cannot move; name a place on a body")
        if not self.joins:
            self._demand_apart(self.place, "; its wrenches would cancel")

    def record_type(self) -> Any:
        """dtype of the record of parameters and states that the law gets."""
        if not self._sees_rate:
            return record_type((*self.names, *self.states))
        return np.dtype(
            [*((k, np.float64) for k in self.names), *HIDDEN, *((k, np.float64) for k in self.states)]
        )  # fmt: skip
