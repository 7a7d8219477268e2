"""`Sampled`: a number of a law that follows from something else as a function of time, such as a moving frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from cosserat.lie.protocol import Array
from cosserat.model.functions import TimeFunction
from cosserat.model.parameters import Parameter


class Sampled(TimeFunction):
    """Values by a function of arrays of times.

    Parameters
    ----------
    values : callable
        values(t) (nt,) at times t (nt,).
    key : hashable
        Of two with the same key one is sampled.
    where : str
        For messages.
    breaks : callable
        breaks(start, end): times at which it jumps or has a kink.
    """

    def __init__(
        self,
        values: Callable[[Array], Array],
        key: Any,
        where: str,
        breaks: Callable[[float, float], Iterable[float]] = lambda start, end: (),
    ) -> None:
        super().__init__(0.0, where)
        self.source, self.key, self.breaks = values, key, breaks

    def sample(self, t: Any) -> Array:
        at = np.atleast_1d(np.asarray(t, float))
        return np.asarray(self.source(at), dtype=float) if at.size else np.zeros(0)

    def watch(self, t: Array) -> None:
        """Its breaks are known."""

    def parameter_objects(self) -> Iterator[Parameter]:
        """Those of what it follows, which has them itself."""
        yield from ()
