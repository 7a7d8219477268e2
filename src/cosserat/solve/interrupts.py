"""Ctrl-C while steps are taken: noted, and acted upon between two steps, so that no finished step is lost."""

from __future__ import annotations

import functools
import signal
import time as clock
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from types import FrameType, TracebackType
from typing import Any, ParamSpec, TypeVar

from cosserat.errors import is_ours, warn

_P = ParamSpec("_P")
_R = TypeVar("_R")
_I = TypeVar("_I")
_held: ContextVar[dict[int, Any] | None] = ContextVar("held", default=None)

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
_PATIENCE = 3.0  # s


class Interrupts:
    """Within it, signals that would raise `KeyboardInterrupt` set `asked` instead; seconds later they raise it at once.

    Where steps are taken (`stepping`) they do so in functions of the user's only, which may never return: code of ours
    looks at `asked` soon, and steps that compiled code has finished are then counted.
    Signals with another handler are left alone, and so is everything outside the main thread, where Python hands out
    no signals. Once it is `closing`, no signal raises anything, and in a call with `kept_results` up to its end: what
    is finished must not be lost on its way to the user.
    """

    def __init__(self, stepping: bool = False) -> None:
        self._stepping = stepping
        self.asked = False
        self.closing = False
        self._since = 0.0
        self._before: dict[int, Any] = {}

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked and not self.closing and clock.monotonic() - self._since > _PATIENCE:
            if not self._stepping or frame is None or not is_ours(frame):
                raise KeyboardInterrupt
        if not self.asked:
            self.asked, self._since = True, clock.monotonic()

    def __enter__(self) -> Interrupts:
        for name in _SIGNALS:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.default_int_handler:
                try:
                    self._before[number] = signal.signal(number, self._note)
                except ValueError:  # not the main thread
                    break
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:  # fmt: skip
        held = _held.get()
        self.closing = True
        if held is not None and kind is None:
            held.update({number: handler for number, handler in self._before.items() if number not in held})
            return
        for number, handler in self._before.items():
            signal.signal(number, handler)


def kept_results(call: Callable[_P, _R]) -> Callable[_P, _R]:
    """Decorate a call that takes steps: signals that come after the last one do not keep its result from the user."""

    @functools.wraps(call)
    def wrapper(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        held: dict[int, Any] = {}
        token = _held.set(held)
        try:
            return call(*args, **kwargs)
        finally:
            _held.reset(token)
            for number, handler in held.items():
                signal.signal(number, handler)

    return wrapper


def finished(
    caller: str, what: str, items: Sequence[_I], evaluate: Callable[[_I], _R], least: int = 1, without: str = ""
) -> list[_R]:
    """Evaluate one item after another; where the user interrupts, what is finished is kept, and a warning says so.

    With less than `least` of them there is nothing to keep, and the interrupt is passed on. `without` says what the
    caller leaves out of an interrupted result.
    """
    out: list[_R] = []
    with Interrupts() as interrupts:
        try:
            for item in items:
                out.append(evaluate(item))
                if interrupts.asked:
                    break
        except KeyboardInterrupt:  # the user has waited for one item too long
            interrupts.asked = True
    if interrupts.asked and len(out) < least:
        raise KeyboardInterrupt
    if len(out) < len(items):
        warn(
            f"{caller}: interrupted; the result has the first {len(out)} of {len(items)} {what}"
            + (f", {without}" if without else ""),
        )
    return out
