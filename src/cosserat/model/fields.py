"""Fields: arguments of a record that its class declares, in place of copies, properties and checks written by hand.

A field stands in the class under the name of the argument, or under that name with an underscore before it. Reading it
gives what the argument is now; `Record.check` asks every field of the class, in their order, whether it is acceptable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

from cosserat.errors import ModelError
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.parameters import resolve
from cosserat.model.places import Place

T = TypeVar("T")
S = TypeVar("S")


class Declared(Generic[T]):
    """Something that a class declares about an argument; reading it on an object gives its value."""

    def __init__(self, doc: str, argument: str = "") -> None:
        self.__doc__, self.argument = doc, argument

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name.lstrip("_")
        self.argument = self.argument or self.name

    @overload
    def __get__(self: S, record: None, owner: type) -> S: ...

    @overload
    def __get__(self, record: Any, owner: type) -> T: ...

    def __get__(self, record: Any, owner: type) -> Any:
        return self if record is None else self.read(record)

    def __set__(self, record: Any, value: Any) -> None:
        raise AttributeError(f"{self.name!r} of {type(record).__name__!r} objects cannot be set; make a new one")

    def read(self, record: Any) -> Any:
        raise NotImplementedError


class Given(Declared[T]):
    """An argument as it was given, parameters included.

    Parameters
    ----------
    check : callable
        One of `checks`: of item, argument and value; it raises, or gives the numbers now.
    argument : str
        What the constructor calls it, if not by the name of the field.
    optional : bool
        Whether None stands for an argument that was left out.
    absent : optional
        Its value where the constructor of a derived class does not have the argument.
    options
        Further arguments of the check, such as ``positive=True``.
    """

    def __init__(
        self,
        check: Callable[..., Any],
        doc: str = "",
        *,
        argument: str = "",
        optional: bool = False,
        absent: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(doc, argument)
        self._check, self._options, self._optional, self._absent = check, options, optional, absent

    def given(self, record: Any) -> Any:
        """The argument as it was given."""
        return record._given.get(self.argument, self._absent)

    read = given

    def check(self, record: Any) -> Any:
        """The numbers now, or a located error."""
        value = self.given(record)
        if value is None and self._optional:
            return None
        return self._check(record.title, self.argument, value, **self._options)


class Now(Given[T]):
    """An argument as numbers: those that it has for the present values of the parameters."""

    def read(self, record: Any) -> Any:
        return self.check(record)


class Scalar(Given[float]):
    """A number."""

    def __init__(self, doc: str = "", **options: Any) -> None:
        super().__init__(checks.number, doc, **options)

    def read(self, record: Any) -> float:
        return resolve(self.given(record))


def number(**options: Any) -> Given[Any]:
    """A number as it was given, which may be a parameter."""
    return Given(checks.number, **options)


def vector(doc: str = "", **options: Any) -> Now[Array]:
    """Three numbers."""
    return Now(checks.array, doc, shape=(3,), **options)


def optional_vector(doc: str = "") -> Now[Array | None]:
    """Three numbers, or None."""
    return Now(checks.array, doc, shape=(3,), optional=True)


def unit_vector(doc: str = "", **options: Any) -> Now[Array]:
    """Three numbers, made unit length."""
    return Now(checks.unit, doc, **options)


class PlaceField(Declared[T]):
    """A place, or several in their order, which may be given as text until the component is part of a model; kept with
    an underscore before the name.

    Parameters
    ----------
    argument : str
        What the constructor calls it, if not by the name of the field.
    called : str, optional
        How messages call the component; default: by its word.
    several : bool
        Whether a list of places is taken.
    """

    def __init__(self, doc: str = "", argument: str = "", called: str = "", several: bool = False) -> None:
        super().__init__(doc, argument)
        self._called, self._several = called, several

    def read(self, record: Any) -> Any:
        target = getattr(record, "_" + self.name)
        if isinstance(target, tuple):
            return tuple(self._placed(record, each) for each in target)
        return self._placed(record, target)

    def places(self, record: Any) -> tuple[Place, ...]:
        """Its places: one, several, or none."""
        found: Place | tuple[Place, ...] | None = self.read(record)
        return found if isinstance(found, tuple) else () if found is None else (found,)

    def is_found(self, record: Any) -> bool:
        """Whether nothing of it is text any more."""
        target = getattr(record, "_" + self.name, None)
        return not any(isinstance(each, str) for each in (target if isinstance(target, tuple) else (target,)))

    def take(self, record: Any, find: Callable[[Any, str], Any]) -> None:
        """Find the place by ``find(target, argument)`` and keep it as the argument; None stays as it is."""
        if self.argument not in record._given:  # the library made the record, and gave it its place
            return
        target = record.__dict__.get("_" + self.name, record._given[self.argument])
        target = self._found(target, find)
        setattr(record, "_" + self.name, target)
        record._keep(**{self.argument: target})

    def _found(self, target: Any, find: Callable[[Any, str], Any]) -> Any:
        if self._several and isinstance(target, tuple):
            return tuple(find(each, self.argument) for each in target)
        return target if target is None else find(target, self.argument)

    def _placed(self, record: Any, target: Any) -> Any:
        if target is None or isinstance(target, Place):
            return target
        called = self._called or f"the {record.word}"
        raise ModelError(f"{record.title}: {self.argument} {target!r} is text; add {called} to a model first")
