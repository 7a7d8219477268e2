"""Exceptions and warnings: one base class, so that a caller can catch everything this package raises."""

import os
import sys
import warnings
from difflib import get_close_matches
from types import FrameType
from typing import Any

_HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")


class CosseratError(Exception):
    """Base of every error raised by this package.

    Examples
    --------
    >>> import cosserat as cs
    >>> try:
    ...     cs.RigidBody("hub", mass=-1.0)
    ... except cs.CosseratError as error:
    ...     print(error)
    body 'hub': mass is -1; it must be greater than 0
    """


class GeometryError(CosseratError, ValueError):
    """A geometric quantity is not what it must be (a rotation, an axis, an inertia)."""


class ModelError(CosseratError, ValueError):
    """The description of a mechanism is wrong; the message names the item and the remedy."""


class PlaceError(ModelError):
    """A place on a body was named that does not exist."""


class ParameterError(ModelError):
    """A parameter is unknown, defined twice, or given a value it cannot take."""


class FileFormatError(CosseratError, ValueError):
    """A file could not be read; the message gives the file and the path inside it."""


class SolveError(CosseratError, RuntimeError):
    """A solver was asked for something it cannot do (never used for a run that merely fails: see `Status`)."""


class MissingDependencyError(CosseratError, ImportError):
    """An optional library is needed; the message gives the pip command."""


class CosseratWarning(UserWarning):
    """Something a user will want to know but that does not stop the work.

    Examples
    --------
    >>> import warnings
    >>> import cosserat as cs
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", cs.CosseratWarning)  # stop where something is doubtful
    ...     model = cs.Model("a script that wants to know")
    """


def is_ours(frame: FrameType) -> bool:
    """Whether a frame runs code of this package."""
    return frame.f_code.co_filename.startswith(_HERE)


def warn(message: str) -> None:
    """Warn the user, at the line outside this package from which it was called."""
    level, frame = 1, sys._getframe()
    while is_ours(frame) and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, CosseratWarning, stacklevel=level)


class ArgumentError(ModelError):
    """One argument of one item is wrong; `argument` is its name, so that a file reader can locate it."""

    def __init__(self, item: str, argument: str, problem: str) -> None:
        self.item, self.argument, self.problem = item, argument, problem
        super().__init__(f"{item}: {argument} {problem}" if argument else f"{item}: {problem}")

    def __reduce__(self) -> tuple[type["ArgumentError"], tuple[str, str, str]]:
        return (ArgumentError, (self.item, self.argument, self.problem))


class ExpressionError(ModelError):
    """A formula given as text cannot be read; the message shows the text and what is allowed."""


def no_attribute(item: Any, name: str) -> AttributeError:
    """The error for an attribute that an item of a model does not have, with the one that may be meant."""
    near = get_close_matches(name, (x for x in dir(item) if not x.startswith("_")), n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return AttributeError(f"{item.title} has no {name!r}{hint}")


def shown(value: object) -> str:
    """A value for an error message, whatever it is: short, and without an error of its own."""
    try:
        text = " ".join(repr(value).split("\n"))
    except Exception:  # a number with thousands of digits, an object that cannot print itself
        return f"a {type(value).__name__} that cannot be printed"
    return text if len(text) <= 200 else text[:197] + "..."
