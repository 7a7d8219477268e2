"""``cosserat doctor``: is the installation sound, are the kernels compiled, are the numbers right?"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
import time
from collections.abc import Callable

import typer
from rich.table import Table
from rich.text import Text

from cosserat.cli.guard import NOT_FINISHED, Debug, console, guarded
from cosserat.cli.tables import titled_table

_PACKAGES = ("cosserat", "numpy", "scipy", "numba", "xarray", "h5netcdf", "matplotlib", "typer", "rich", "PyYAML")
_OPTIONAL = ("sympy", "sectionproperties", "scikit-fem", "control")


@guarded
def doctor(debug: Debug = False) -> None:
    """Show versions and machine, compile the kernels, check a few numbers; exit code 0 if all is well."""
    from cosserat.cli import kernels
    from cosserat.cli.selftest import CHECKS

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column(overflow="fold")
    grid.add_row("python", f"{platform.python_version()}, {sys.executable}")
    grid.add_row("packages", ", ".join(f"{name} {version}" for name in _PACKAGES if (version := _version(name))))
    optional = ", ".join(f"{name} {_version(name) or 'not installed'}" for name in _OPTIONAL)
    grid.add_row("optional", optional)
    processor = f"{os.cpu_count()} processors, {platform.machine()}"
    grid.add_row("machine", f"{platform.system()} {platform.release()}, {processor}")
    grid.add_row("cache", str(kernels.cache_folder()))
    console.print(grid)

    if kernels.compiler_is_off():
        console.print("NUMBA_DISABLE_JIT is set: kernels run as plain Python, some hundred times slower")
    else:
        _prepare("kernels", "", lambda: kernels.warm() + kernels.warm("energy-momentum"))
        _prepare("kernels of floating runs", "flexible", kernels.warm_floating)

    table = titled_table("\nself-test", ("what", "expected", "got", "error", "allowed", ""), left=(0, 5))
    started = time.perf_counter()
    sound = True
    for check in CHECKS:
        result = check()
        sound = sound and result.passed
        mark = Text("ok", style="green") if result.passed else Text("WRONG", style="bold red")
        values = (f"{result.expected:.8g}", f"{result.got:.8g}", f"{result.error:.1e}", f"{result.allowed:.0e}")
        table.add_row(result.what, *values, mark)
    console.print(table)
    console.print(f"{time.perf_counter() - started:.1f} s")
    if not sound:
        console.print("[bold red]the numbers are wrong[/bold red]: please report the above")
        raise typer.Exit(NOT_FINISHED)
    console.print("[green]all is well[/green]")


def _prepare(what: str, folder: str, warm: Callable[[], float]) -> None:
    """Compile what is missing of a folder of kernels, and show what there was and what is new."""
    from cosserat.cli import kernels

    before = kernels.compiled_names(folder)
    console.print(f"\n{len(before)} {what} are compiled")
    for line in _by_module(before):
        console.print(f"  {line}")
    with console.status(f"compiling {what} that are missing"):
        seconds = warm()
    new = [name for name in kernels.compiled_names(folder) if name not in before]
    if new:
        console.print(f"{len(new)} were missing, compiled now in {seconds:.1f} s")
        for line in _by_module(new):
            console.print(f"  {line}")
    else:
        console.print(f"nothing was missing; all read from the cache in {seconds:.1f} s")


def _by_module(kernels: list[str]) -> list[str]:
    """``integrate: accept, advance`` for ``["integrate.accept", "integrate.advance"]``."""
    modules: dict[str, list[str]] = {}
    for kernel in kernels:
        module, _, name = kernel.partition(".")
        modules.setdefault(module, []).append(name)
    return [f"{module}: {', '.join(names)}" for module, names in modules.items()]


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
