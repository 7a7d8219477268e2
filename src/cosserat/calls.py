"""Arguments of constructors and functions: unknown and missing ones are reported with what is accepted."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from cosserat.errors import ArgumentError

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T", bound=type)


def bind(
    what: str, signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any], named: bool = True
) -> inspect.BoundArguments:
    """Bind arguments to a signature, or say which one is unknown or missing and which are accepted."""
    accepted = [n for n in signature.parameters if n not in ("self", "cls")]
    name = kwargs.get("name", args[1] if named and len(args) > 1 and isinstance(args[1], str) else None)
    item = f"{what} {name!r}" if isinstance(name, str) else what
    listed = f"accepted arguments: {', '.join(accepted) or 'none'}"
    for key in kwargs:
        if key not in accepted:
            raise ArgumentError(item, "", f"unknown argument {key!r}; {listed}")
    try:
        return signature.bind(*args, **kwargs)
    except TypeError as error:
        raise ArgumentError(item, "", f"{error}; {listed}") from None


def answered(what: str = "") -> Callable[[F], F]:
    """Decorate a function so that unknown and missing arguments are reported like those of constructors."""

    def decorate(function: F) -> F:
        return _reporting(function, what or function.__name__)

    return decorate


def answering(kind: T) -> T:
    """Decorate a class so that its constructor and its public methods report unknown and missing arguments.

    Methods of its bases do so, too.
    """
    if "__init__" in vars(kind):
        kind.__init__ = _reporting(kind.__init__, "{0}")  # type: ignore[misc]
    for owner in kind.__mro__[:-1]:
        for name, method in list(vars(owner).items()):
            if not name.startswith("_") and inspect.isfunction(method) and not hasattr(method, "__wrapped__"):
                setattr(owner, name, _reporting(method, f"{{0}}.{name}"))
    return kind


def _reporting(function: F, title: str) -> F:
    """A function that reports unknown and missing arguments; in its title {0} is the class of its first argument."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError:
            bind(title.format(type(args[0]).__name__ if args else ""), signature, args, kwargs, named=False)
            raise

    return wrapper  # type: ignore[return-value]
