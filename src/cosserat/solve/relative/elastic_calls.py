"""The recursive algorithms of a model with elastic bodies, called as those of a rigid one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import SolveError
from cosserat.model.model import Model
from cosserat.results.posture import Posture
from cosserat.solve.relative.flexible_tree import FlexibleTree
from cosserat.solve.relative.quantities import Energy, ForwardDerivatives, InverseDerivatives
from cosserat.solve.relative.states import StateChecker

Array = NDArray[np.float64]


class ElasticCalls:
    """A `FlexibleTree` with the arguments of `Tree`: it has a time, writes into `out`, and takes stacks of states.

    States of a stack are taken one after the other, in one thread.
    """

    def __init__(self, model: Model, modes: Any, call: str) -> None:
        self.tree = FlexibleTree(model, modes, call=call)
        self.time, self.rolling = 0.0, tuple(item.title for item in model.rolling)
        self.data, self.coordinates = self.tree.data, self.tree.coordinates
        self._check = StateChecker(self.tree.data.title, self.tree.coordinates)

    def set_time(self, t: float) -> None:
        """Time of loads and efforts."""
        self.time = float(t)

    def _each(
        self,
        call: str,
        one: Callable[..., Sequence[Array]],
        out: Any,
        threads: int,
        depths: tuple[int, ...],
        given: dict[str, Any],
    ) -> list[Array]:
        """Results of one state or of a stack: vectors (depth 1) or matrices (depth 2); `out` has an array for each."""
        if threads != 1:
            raise SolveError(f"{call}: threads is {threads!r}; states of models with elastic bodies take one")
        arrays = self._check.vectors(call, **given)
        n, stack = len(self.tree.coordinates), arrays[0].shape[:-1]
        places = [None] * len(depths) if out is None else out
        results = [
            self._check.out(call, place, (*stack, *(depth * (n,)))) for place, depth in zip(places, depths, strict=True)
        ]
        for index in np.ndindex(stack):
            for result, value in zip(results, one(*(array[index] for array in arrays)), strict=True):
                result[index] = value
        return results

    def _vector(
        self, call: str, one: Callable[..., Array], out: Any, threads: int, depth: int = 1, **given: Any
    ) -> Array:
        places = None if out is None else (out,)
        return self._each(call, lambda *state: (one(*state),), places, threads, (depth,), given)[0]

    def inverse_dynamics(self, q: Any, v: Any, a: Any, out: Any = None, threads: int = 1) -> Array:
        """Efforts (n,) or (N, n)."""
        one = functools.partial(self.tree.inverse_dynamics, t=self.time)
        return self._vector("inverse_dynamics", one, out, threads, q=q, v=v, a=a)

    def forward_dynamics(self, q: Any, v: Any, tau: Any, out: Any = None, threads: int = 1) -> Array:
        """Accelerations (n,) or (N, n)."""
        one = functools.partial(self.tree.forward_dynamics, t=self.time)
        return self._vector("forward_dynamics", one, out, threads, q=q, v=v, tau=tau)

    def hybrid_dynamics(
        self, q: Any, v: Any, driven: Array, given: Array, pull: Array | None, threads: int = 1
    ) -> tuple[Array, Array]:
        """Accelerations and efforts, (n,) or (N, n); `pull` as in `FlexibleTree.hybrid_dynamics`."""
        one = functools.partial(
            self.tree.hybrid_dynamics, driven=driven, given=given, t=self.time, pull=pull
        )  # fmt: skip
        a, tau = self._each("hybrid_dynamics", one, None, threads, (1, 1), {"q": q, "v": v})
        return a, tau

    def mass_matrix(self, q: Any, out: Any = None, threads: int = 1) -> Array:
        """M (n, n) or (N, n, n)."""
        return self._vector("mass_matrix", self.tree.mass_matrix, out, threads, 2, q=q)

    def bias(self, q: Any, v: Any, out: Any = None, threads: int = 1) -> Array:
        """h (n,) or (N, n)."""
        return self._vector("bias", functools.partial(self.tree.bias, t=self.time), out, threads, q=q, v=v)

    def gravity_forces(self, q: Any, out: Any = None, threads: int = 1) -> Array:
        """Efforts (n,) or (N, n) that hold the weight."""
        return self._vector("gravity_forces", self.tree.gravity_forces, out, threads, q=q)

    def inverse_dynamics_derivatives(
        self, q: Any, v: Any, a: Any, out: Any = None, threads: int = 1
    ) -> InverseDerivatives:  # fmt: skip
        """Derivatives of the efforts."""
        one = functools.partial(self.tree.inverse_dynamics_derivatives, t=self.time)
        given = {"q": q, "v": v, "a": a}
        return InverseDerivatives(*self._each("inverse_dynamics_derivatives", one, out, threads, (2, 2, 2), given))

    def forward_dynamics_derivatives(
        self, q: Any, v: Any, tau: Any, out: Any = None, threads: int = 1
    ) -> ForwardDerivatives:  # fmt: skip
        """Derivatives of the accelerations."""
        one = functools.partial(self.tree.forward_dynamics_derivatives, t=self.time)
        given = {"q": q, "v": v, "tau": tau}
        return ForwardDerivatives(*self._each("forward_dynamics_derivatives", one, out, threads, (2, 2, 2, 1), given))

    def jacobian(self, place: Any, q: Any, frame: str = "world") -> Array:
        """J (6, n) of a place."""
        return self.tree.jacobian(place, q, frame)

    def forward_kinematics(self, q: Any, v: Any = None, a: Any = None) -> Posture:
        """Frames and motions of places."""
        return self.tree.forward_kinematics(q, v, a)

    def centroidal_matrix(self, q: Any) -> Array:
        """Matrix (6, n) of the momentum about the centre of mass."""
        return self.tree.centroidal_matrix(q)

    def centroidal_momentum(self, q: Any, v: Any) -> Array:
        """Momentum (6,) about the centre of mass."""
        return self.tree.centroidal_momentum(q, v)

    def energy(self, q: Any, v: Any) -> Energy:
        """Energies of a state."""
        return self.tree.energy(q, v)
