"""Where compiled code is kept between processes, under a digest of everything it was made from."""

from __future__ import annotations

import functools
import os
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from cosserat.jit import store
from cosserat.jit.sources import source_digest

_SUFFIXES = (".kernel", ".overload")


@functools.cache
def _root() -> Path:
    """The folder of the cache, made absolute once: what a later process finds does not depend on where it starts."""
    given = os.environ.get("COSSERAT_CACHE_DIR", "").strip()
    if given:
        return Path(os.path.abspath(os.path.expanduser(given)))
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # to be ignored, says its specification
        base = os.path.join(os.path.expanduser("~"), ".cache")
    if not os.path.isabs(base):  # a user without a home
        return Path(tempfile.gettempdir()) / f"cosserat-{os.geteuid() if hasattr(os, 'geteuid') else 'kernels'}"
    return Path(base) / "cosserat"


@functools.cache
def cache_directory(folder: str = "") -> Path:
    """Where compiled kernels are kept: `COSSERAT_CACHE_DIR`, else the user's cache folder."""
    return _root() / source_digest(folder)


def compiled_names(folder: str = "") -> list[str]:
    """Kernels in the cache, such as ``integrate.advance``."""
    directory = cache_directory(folder)
    if not store.trusted(directory):
        return []
    names = [path.name for path in directory.glob("*") if path.suffix in _SUFFIXES and path.name[0] != "."]
    return sorted({name.split("-", 1)[0].removesuffix(".kernel") for name in names})


class CachedCode(NamedTuple):
    """A compiled kernel."""

    entry: str  # symbol under which its code can be called
    signature: str  # of its arguments, see `native`
    code: bytes
    calls: dict[str, str]  # symbols of the stages that it calls, and the signatures of their arguments


def read(name: str, folder: str) -> CachedCode | None:
    """A kernel, None if it is not there, damaged or not to be trusted."""
    kept = store.read(cache_directory(folder) / f"{name}.kernel")
    head, _, code = (kept or b"").partition(b"\n")
    try:
        entry, signature, *calls = head.decode("ascii").split(" ")
        return CachedCode(entry, signature, code, dict(call.split(":") for call in calls))
    except ValueError:
        return None


def write(name: str, folder: str, kernel: CachedCode) -> None:
    """Keep a kernel; where nothing can be written it will be compiled again in the next process."""
    calls = [f"{symbol}:{called}" for symbol, called in kernel.calls.items()]
    head = " ".join((kernel.entry, kernel.signature, *calls))
    store.write(cache_directory(folder) / f"{name}.kernel", f"{head}\n".encode("ascii") + kernel.code)


_announced = False


def mute() -> None:
    """Do not announce a cold start: the caller does it in its own way."""
    global _announced
    _announced = True


def announce_cold_start() -> None:
    """Say on the standard error stream that nothing is compiled yet, once."""
    if not _announced and not compiled_names():
        print(
            "cosserat: compiling kernels, once per installation, under a minute (`cosserat doctor` does it beforehand)",
            file=sys.stderr,
        )
    mute()


def announce(folder: str, what: str) -> None:
    """Say on the standard error stream that nothing of a subfolder is compiled yet."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0") and not compiled_names(folder):
        print(f"cosserat: compiling {what}, once per installation, some seconds each", file=sys.stderr)
