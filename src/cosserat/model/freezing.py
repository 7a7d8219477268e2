"""Who asks for the number behind a parameter: what functions of `math` make of it does not follow later changes.

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
_TELLING = ("isclose", "isfinite", "isinf", "isnan")  # they compare, as < does


def frozen_by() -> str:
    """Name of a function of `math` whose caller is about to freeze a parameter, or "".

    To be called by `__float__`. Functions of time that this package calls see present values whenever they are called:
    nothing is frozen there.
    """
    frame: Any = sys._getframe(2)
    if _is_ours(frame):
        return ""
    called = _called(frame)
    if getattr(called, "__module__", None) not in _MATH or called.__name__ in _TELLING:
        return ""
    while frame is not None:
        if _is_ours(frame):
            return ""
        frame = frame.f_back
    return str(called.__name__)


def _is_ours(frame: Any) -> bool:
    return str(frame.f_globals.get("__name__", "")).split(".")[0] == _OURS


def _called(frame: Any) -> Any:
    """What the frame calls now, where it is a name or an attribute of one; else None."""
    first, *more = _path(frame.f_code, frame.f_lasti) or ("",)
    for names in (frame.f_locals, frame.f_globals, vars(builtins)):
        if first in names:
            found = names[first]
            for name in more:
                found = getattr(found, name, None)
            return found
    return None


@lru_cache(maxsize=4096)
def _path(code: CodeType, at: int) -> tuple[str, ...]:
    """Names, such as ("math", "sin"), of what the instruction at an offset calls: those that begin where it does."""
    instructions = list(dis.get_instructions(code))
    call = next((i for i in instructions if i.offset == at), None)
    if call is None or not call.opname.startswith("CALL") or call.positions is None:
        return ()
    begin = call.positions.lineno, call.positions.col_offset
    out = []
    for i in instructions:
        here = i.positions is not None and (i.positions.lineno, i.positions.col_offset) == begin
        if here and i.offset < at and i.opname.startswith("LOAD") and isinstance(i.argval, str):
            out.append(i.argval)
    return tuple(out)
