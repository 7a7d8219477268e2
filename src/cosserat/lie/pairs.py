"""What cannot be changed once it is made, and pairs of vectors among it: what twists and wrenches share."""

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from cosserat.lie import checks
from cosserat.lie.protocol import Array

if TYPE_CHECKING:
    from cosserat.lie.frame import Frame


class Immutable:
    """Base of tensors and frames: their parts are set when they are made."""

    __slots__ = ()

    def _take(self, **parts: Any) -> None:
        for name, value in parts.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        kind = type(self).__name__
        article = "an" if kind[0] in "AEIOU" else "a"
        raise AttributeError(f"{article} {kind} is immutable; make a new one instead of setting {name!r}")


class Pair(Immutable):
    """Two vectors, by their components in a frame: a vector space."""

    __slots__ = ()

    _PARTS: ClassVar[tuple[str, str]]

    def __init__(self, first: Any, second: Any) -> None:
        kind = type(self).__name__
        given = zip(self._PARTS, (first, second), strict=True)
        self._take(**{name: checks.vector(value, f"{kind}: {name}") for name, value in given})

    @classmethod
    def _from_array(cls, array: Any) -> Self:
        array = checks.vector(array, f"{cls.__name__}: ({', '.join(cls._PARTS)})", 6)
        return cls(array[:3], array[3:])

    @property
    def array(self) -> Array:
        """Both vectors, one after the other, (6,)."""
        return np.concatenate([getattr(self, name) for name in self._PARTS])

    def carried_by(self, frame: "Frame") -> Self:
        """Return the components in a of what is given in b = H_ab."""
        raise NotImplementedError

    def seen_from(self, frame: "Frame") -> Self:
        """Return the components in b = H_ab of what is given in a: theta' = Ad(g^-1) theta, or its dual."""
        return self.carried_by(frame.inverse())

    def isclose(self, other: Self, tolerance: float = 1e-12) -> bool:
        """Say whether all components differ by at most ``tolerance``."""
        return bool(np.max(np.abs(self.array - other.array)) <= tolerance)

    def __add__(self, other: Self) -> Self:
        return self._from_array(self.array + other.array) if isinstance(other, type(self)) else NotImplemented

    def __sub__(self, other: Self) -> Self:
        return self._from_array(self.array - other.array) if isinstance(other, type(self)) else NotImplemented

    def __mul__(self, factor: float) -> Self:
        return self._from_array(self.array * factor)

    __rmul__ = __mul__

    def __neg__(self) -> Self:
        return self._from_array(-self.array)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return bool(np.array_equal(self.array, other.array))

    def __hash__(self) -> int:
        return hash(self.array.tobytes())

    def __repr__(self) -> str:
        parts = (f"{name}={getattr(self, name).tolist()}" for name in self._PARTS)
        return f"{type(self).__name__}({', '.join(parts)})"
