"""A progress bar for `simulate`: steps, simulated time, iterations, time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from cosserat.cli.guard import errors


@contextmanager
def progress_bar(duration: float, start: float = 0.0) -> Iterator[Callable[[float, Any], None]]:
    """Show a bar on the terminal while the body runs; gives the function that `simulate` takes as `progress`."""
    columns = (
        TextColumn("t = {task.completed:.4g} of {task.total:.4g} s"),
        BarColumn(bar_width=None),
        TextColumn("{task.fields[steps]} steps, {task.fields[iterations]:.1f} iterations per step"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task("", total=duration, steps=0, iterations=0.0)

        def update(t: float, counters: Any) -> None:
            steps = max(1, counters.steps)
            bar.update(task, completed=t - start, steps=counters.steps, iterations=counters.solves / steps)

        yield update
