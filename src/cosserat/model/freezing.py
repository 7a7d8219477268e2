"""Who asks for the number behind a parameter: what `math` and SciPy make of it does not follow later changes.

Python asks in the same way for `float(P)`, which is meant, and for `math.sin(P)`, which is not: what is being called is
read from the code of the caller.
"""

import builtins
import dis
import sys
from functools import lru_cache
from types import CodeType
from typing import Any

_OURS = __name__.split(".")[0]
_MATH = ("math", "cmath")
_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")  # what they loop over is made by the caller
_TELLING = ("isclose", "isfinite", "isinf", "isnan")  # they compare, as < does


def frozen_by() -> str:
    """Name of a function of `math` or SciPy whose caller is about to freeze a parameter, such as "math.sin", or "".

    To be called by `__float__`. Functions of time that this package calls see present values whenever they are called:
    nothing is frozen there.
    """
    frame: Any = sys._getframe(2)
    if _is_of(frame, _OURS):
        return ""
    names = []
    while _is_of(frame, "scipy"):
        names, frame = [f"scipy: {frame.f_code.co_qualname}"], frame.f_back
    around = [frame, frame.f_back] if frame.f_code.co_name in _COMPREHENSIONS else [frame]
    at_work = (_called(_found(f, path)) for f in around for path in _paths(f.f_code, f.f_lasti))
    of_math = (f for f in at_work if getattr(f, "__module__", None) in _MATH)
    names += [f"math.{f.__name__}" for f in of_math if f.__name__ not in _TELLING]
    while names and frame is not None:
        if _is_of(frame, _OURS):
            return ""
        frame = frame.f_back
    return names[0] if names else ""


def _is_of(frame: Any, package: str) -> bool:
    return frame is not None and str(frame.f_globals.get("__name__", "")).split(".")[0] == package


def _called(found: Any) -> Any:
    """What is called by something that is at work: a `map` that was made before calls its function now."""
    return found.__reduce__()[1][0] if isinstance(found, map) else found


def _found(frame: Any, path: tuple[str, ...]) -> Any:
    """What a path of names means in a frame, or None."""
    first, *more = path
    for names in (frame.f_locals, frame.f_globals, vars(builtins)):
        if first in names:
            found = names[first]
            for name in more:
                found = getattr(found, name, None)
            return found
    return None


@lru_cache(maxsize=4096)
def _paths(code: CodeType, at: int) -> tuple[tuple[str, ...], ...]:
    """Paths of names, such as ("math", "sin"), of functions that may be at work in the instruction at an offset.

    These are what it calls, which begins where it does, and what stands inside it without being called there, as in
    ``list(map(math.sin, values))``.
    """
    instructions = [i for i in dis.get_instructions(code) if i.positions is not None and i.positions.lineno is not None]
    here = max((i for i in instructions if i.offset <= at), key=lambda i: i.offset, default=None)
    if here is None:
        return ()
    begin, end = _span(here)
    loaded: dict[Any, list[str]] = {}
    called = set()
    for i in instructions:
        start, stop = _span(i)
        if i.offset >= here.offset or start < begin or stop > end:
            continue
        if i.opname.startswith("LOAD") and isinstance(i.argval, str):
            loaded.setdefault(start, []).append(i.argval)
        elif i.opname.startswith("CALL") and start != begin:
            called.add(start)
    return tuple(tuple(path) for start, path in loaded.items() if start not in called)


def _span(instruction: dis.Instruction) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """First and last position of the code of an instruction: line and column."""
    p: Any = instruction.positions
    return (p.lineno, p.col_offset), (p.end_lineno, p.end_col_offset)
