"""Plain data that remember the arguments they were made with.

Everything a model consists of derives from `Record`: equality, printing, copying, collecting parameters and writing to
files all work on the recorded arguments, so that a new component has to write none of them.

Their classes declare arguments as fields, in place of copies, properties and checks written by hand. A field stands in
the class under the name of the argument, or under that name with an underscore before it. Reading it gives what the
argument is now; `Record.check` asks every field of the class, in their order, whether it is acceptable.
"""

from __future__ import annotations

import functools
import inspect
import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, Generic, Self, TypeVar, overload

import numpy as np

from cosserat.calls import bind
from cosserat.errors import ArgumentError, ModelError, no_attribute, shown
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.closures import Copied, parameters_in, same_function
from cosserat.model.functions import TimeFunction, VectorFunction
from cosserat.model.parameters import Parameter, resolve
from cosserat.model.places import Owner, Place, find_place

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

    read = Given.check


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


def _demanded(kind: type, argument: str) -> bool:
    """Whether a constructor has no default for an argument."""
    known = inspect.signature(kind.__init__).parameters  # type: ignore[misc]
    return argument in known and known[argument].default is inspect.Parameter.empty


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
        for each in target if isinstance(target, tuple) else (target,):
            if isinstance(each, str):
                called = self._called or f"the {record.word}"
                raise ModelError(f"{record.title}: {self.argument} {each!r} is text; add {called} to a model first")
        return target

    def take(self, record: Any, find: Callable[[Any, str], Any]) -> bool:
        """Find the place by ``find(target, argument)`` and keep it as the argument; None stays as it is.

        Returns whether nothing of it is text any more.
        """
        kept = "_" + self.name
        target = record.__dict__.get(kept)
        if self.argument in record._given:  # else the library made the record, and gave it its place
            target = record.__dict__.get(kept, record._given[self.argument])
            if self._several and isinstance(target, tuple):
                target = tuple(find(each, self.argument) for each in target)
            elif target is not None or _demanded(type(record), self.argument):
                target = find(target, self.argument)
            setattr(record, kept, target)
            record._given[self.argument] = target
        return not any(isinstance(each, str) for each in (target if isinstance(target, tuple) else (target,)))


F = TypeVar("F", bound=Callable[..., Any])
RESERVED_NAMES = ("ground",)


class Record(Copied):
    """Base of sections, materials and components: data defined by its constructor's arguments."""

    word: ClassVar[str] = ""
    given_fields: ClassVar[tuple[Given[Any], ...]] = ()
    place_fields: ClassVar[tuple[PlaceField[Any], ...]] = ()
    _given: dict[str, Any]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        declared = {name: x for base in reversed(cls.__mro__) for name, x in vars(base).items()}.values()
        cls.given_fields = tuple(x for x in declared if isinstance(x, Given))
        cls.place_fields = tuple(x for x in declared if isinstance(x, PlaceField))

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and self.__dict__.get("_finished"):
            if name not in vars(self) and not hasattr(type(self), name):
                raise no_attribute(self, name)
            raise AttributeError(f"{self.title}: {name!r} cannot be set; make a new {self.word or type(self).__name__}")
        super().__setattr__(name, value)

    def __copy__(self) -> Self:
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        return new

    def __getstate__(self) -> dict[str, Any]:
        """For pickles: an error that says where there is a function that they cannot hold."""
        for name, value in self._given.items():
            if not _can_be_pickled(value):
                raise ModelError(
                    f"{self.title}: {name} is a Python function that cannot be sent to another process; define it with "
                    "def at the top of a module, or give a formula such as 'sin(t)'"
                )
        return self.__dict__

    @property
    def title(self) -> str:
        """How error messages call it, such as ``joint 'elbow'``."""
        name = self._given.get("name")
        word = self.word or type(self).__name__
        return f"{word} {shown(name)}" if name else word

    def arguments(self) -> dict[str, Any]:
        """The arguments it was made with, in order, those left at their default omitted."""
        given = {}
        for name, parameter in inspect.signature(type(self).__init__).parameters.items():
            if name in self._given and not same_function(self._given[name], parameter.default):
                given[name] = self._given[name]
        return given

    def referred(self) -> Iterable[Any]:
        return self._given.values()

    def parameters(self) -> Iterator[Parameter]:
        """Every `Parameter` it depends on."""
        return parameters_in(self)

    def check(self) -> None:
        """Raise a located error if a number is not acceptable; called again whenever a parameter changes."""
        for field in self.given_fields:
            field.check(self)

    def as_given(self, name: str) -> Any:
        """A field as it was given, parameters included."""
        field = getattr(type(self), name)
        return field.given(self) if isinstance(field, Given) else self._given[field.argument]

    def _wrong(self, argument: str, problem: str) -> ArgumentError:
        """The error that says what is wrong with one of its arguments."""
        return ArgumentError(self.title, argument, problem)

    def _keep(self, **values: Any) -> None:
        """Replace recorded arguments by their normal form."""
        self._given.update(values)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, Record):
            return NotImplemented
        return same_function(self._given, other._given)

    def __repr__(self) -> str:
        arguments = self.arguments()
        shown = [repr(arguments.pop("name"))] if "name" in arguments else []
        return f"{type(self).__name__}({', '.join([*shown, *(f'{k}={v!r}' for k, v in arguments.items())])})"


class Component(Record, ABC):
    """Something with a name that can be added to a model."""

    @abstractmethod
    def __init__(self, name: str) -> None:
        if not isinstance(name, str) or not name.strip() or name != name.strip():
            raise ModelError(f"{self.word}: its name must be a non-empty text such as 'arm1', got {shown(name)}")
        if set(name) & set(".(),/") or not name.isprintable():
            raise ModelError(f"{self.word} {name!r}: a name may not contain '.', ',', '/', brackets or line breaks")
        if name in RESERVED_NAMES:
            raise ModelError(f"{self.word} {name!r}: this name is reserved for the ground; choose another")
        self.name = str(name)  # also where text of NumPy was given
        self.find_places(
            lambda x, argument: x if isinstance(x, str) else find_place(x, {}, f"{self.title}: {argument}")
        )

    def find_places(self, find: Callable[[Any, str], Any]) -> None:
        """Turn what was given as places into `Place` objects by ``find(target, argument)``: text, in a model only."""
        if all([field.take(self, find) for field in self.place_fields]):
            self._settle()

    def _settle(self) -> None:
        """Do what can be done only when its places are known."""

    @property
    def places(self) -> tuple[Place, ...]:
        """All places it is about, its own first."""
        found = (field.read(self) for field in self.place_fields)
        listed = (each if isinstance(each, tuple) else (each,) for each in found)
        return tuple(place for several in listed for place in several if place is not None)

    @property
    def owners(self) -> tuple[Owner, ...]:
        """Bodies and beams that it refers to."""
        return tuple(place.owner for place in self.places)

    def check_places(self) -> None:
        """Raise if it cannot be where it is; called when the model is complete."""

    def join(self, model: Any) -> None:
        """Take what it needs from the model it is added to."""


def recorded(init: F) -> F:
    """Decorate `__init__`: locate wrong arguments, record them, and check the finished object."""
    signature = inspect.signature(init)

    @functools.wraps(init)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> None:
        if "_given" in self.__dict__:  # called by the constructor of a derived class, which records
            init(self, *args, **kwargs)
            return
        bound = bind(type(self).__name__, signature, (self, *args), kwargs)
        bound.apply_defaults()
        self._given = {k: plain(v) for k, v in list(bound.arguments.items())[1:]}
        init(self, *args, **kwargs)
        self.check()
        self._finished = type(self).__module__.startswith("cosserat.")  # classes of users may do as they like

    return wrapper  # type: ignore[return-value]


def located(function: F) -> F:
    """Decorate a named constructor so that wrong arguments are reported like those of `__init__`."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def wrapper(cls: Any, *args: Any, **kwargs: Any) -> Any:
        bind(f"{cls.__name__}.{function.__name__}", signature, (cls, *args), kwargs)
        return function(cls, *args, **kwargs)

    return wrapper  # type: ignore[return-value]


def plain(value: Any) -> Any:
    """Arrays and lists as nested tuples, NumPy numbers as Python ones; everything else as it is.

    Arrays of other packages, such as xarray, count too: they would change with what they were taken from.
    """
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (tuple, list)):
        return tuple(plain(v) for v in value)
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    kind = type(value)
    if getattr(kind, "__array__", None) is not None and getattr(kind, "ndim", None) is not None:
        return plain(np.asarray(value))
    return value


def _can_be_pickled(value: Any) -> bool:
    """Whether pickles take the functions that an argument is or has."""
    if isinstance(value, (tuple, dict)):
        return all(map(_can_be_pickled, value.values() if isinstance(value, dict) else value))
    try:
        if callable(value) or isinstance(value, (TimeFunction, VectorFunction)):
            pickle.dumps(value)
    except Exception:  # whatever a callable of the user's raises
        return False
    return True
