"""What surrounds every command: errors in one block, warnings in one line, exit codes, signals, looks of tables."""

from __future__ import annotations

import functools
import re
import signal
import threading
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console, OverflowMethod
from rich.table import Table
from rich.text import Text

from cosserat.errors import CosseratError

OK, NOT_FINISHED, BAD_INPUT = 0, 1, 2

console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)

Debug = Annotated[bool, typer.Option("--debug", help="Show the Python traceback of an error.")]

_LOCATED = re.compile(r"(?P<where>[^:\n]*\.ya?ml(?:, [^:]*)?|[^:\n]*\.(?:nc|h5)): (?P<what>.*)", re.DOTALL)


class UsageProblem(CosseratError, ValueError):
    """Options of a command that do not go together; the message says what to pass."""


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Run a command so that bad input ends in exit code 2 and one block of text, an interruption in 130."""

    @functools.wraps(command)
    def wrapper(*args: Any, **kwargs: Any) -> None:
        debug = kwargs.get("debug", False)
        try:
            with interruptible(), warnings.catch_warnings():
                warnings.simplefilter("default")
                warnings.showwarning = _show_warning
                command(*args, **kwargs)
        except KeyboardInterrupt:
            errors.print("interrupted")
            raise typer.Exit(INTERRUPTED) from None
        except CosseratError as error:
            if debug:
                raise
            show_error(str(error))
            raise typer.Exit(BAD_INPUT) from None
        except OSError as error:
            if debug:
                raise
            show_error(f"{error.filename or 'file'}: {error.strerror or error}; pass another path")
            raise typer.Exit(BAD_INPUT) from None

    return wrapper


def show_error(message: str) -> None:
    """Print what is wrong, where, and the remedy: the part of a message after its first semicolon."""
    where, what = "", message.strip()
    if located := _LOCATED.fullmatch(what):
        where, what = located["where"], located["what"]
    what, remedy = _parted(what)
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(Text("error", style="bold red"), Text(what))
    if where:
        grid.add_row("where", Text(where))
    if remedy:
        grid.add_row("remedy", Text(remedy))
    errors.print(grid)


def _parted(message: str) -> tuple[str, str]:
    """What is before and behind the first semicolon, but one in parentheses."""
    depth = 0
    for k, letter in enumerate(message):
        depth += (letter in "([") - (letter in ")]")
        if depth <= 0 and message.startswith("; ", k):
            return message[:k], message[k + 2 :]
    return message, ""


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    errors.print(Text("warning  ", style="bold yellow") + Text(str(message)))


INTERRUPTED = 130  # exit code

_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def interruptible() -> Iterator[None]:
    """Treat SIGTERM (kill, batch systems) and SIGHUP (a closed terminal) like Ctrl-C, which solvers understand."""
    with _handlers(signal.default_int_handler):
        yield


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let nothing but kill -9 end the process while a result is written."""
    with _handlers(signal.SIG_IGN):
        yield


@contextmanager
def _handlers(handler: Any) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _ENDING}
    for number in _ENDING:
        if before[number] is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, handler)
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old if old is not None else signal.SIG_DFL)


def titled_table(title: str, heads: Iterable[str], left: Collection[int] = (0,), fold: bool = False) -> Table:
    """An empty table without frames, its title on the left; numbers of columns that stand left, too.

    With `fold` its last column takes as many lines as it needs, so that no number is broken.
    """
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    names = list(heads)
    for k, head in enumerate(names):
        whole = fold and k + 1 < len(names)
        overflow: OverflowMethod = "fold" if fold and not whole else "ellipsis"
        text = head.replace(" (", "\n(") if whole else head  # units below, so that the last column has room
        side, least = "left" if k in left else "right", 12 if fold and not whole else None
        table.add_column(text, justify=side, overflow=overflow, no_wrap=whole, min_width=least)  # type: ignore[arg-type]
    return table


def number_table(title: str, heads: Sequence[str], rows: Mapping[str, Iterable[float]], digits: int = 6) -> Table:
    """A table with a name and numbers in each row; what is round-off beside the largest of them is shown as 0."""
    table = titled_table(title, heads)
    known = {name: [float(x) for x in row] for name, row in rows.items()}
    scale = max((abs(x) for row in known.values() for x in row), default=0.0)
    for name, row in known.items():
        table.add_row(Text(name), *numbers(row, scale, digits))
    return table


def numbers(values: Iterable[float], scale: float, digits: int = 6) -> list[str]:
    """Numbers for a table; what is round-off beside `scale` is shown as 0."""
    return [f"{0.0 if abs(v) <= 1e-11 * scale else v:.{digits}g}" for v in values]
