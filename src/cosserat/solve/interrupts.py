"""Ctrl-C while steps are taken: noted, and acted upon between two steps, so that no finished step is lost."""

from __future__ import annotations

import signal
import time as clock
from types import FrameType, TracebackType
from typing import Any

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
_PATIENCE = 3.0  # s


class Interrupts:
    """Within it, signals that would raise `KeyboardInterrupt` set `asked` instead; seconds later they raise it at once.

    Signals with another handler are left alone, and so is everything outside the main thread, where Python hands out
    no signals.
    """

    def __init__(self) -> None:
        self.asked = False
        self._since = 0.0
        self._before: dict[int, Any] = {}

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked and clock.monotonic() - self._since > _PATIENCE:
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
        for number, handler in self._before.items():
            signal.signal(number, handler)
