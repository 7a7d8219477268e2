"""Where compiled code is kept between processes, under a digest of everything it was made from."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import sys
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
COMPILED_SOURCES = {
    "": ("jit/*.py", "lie/coefficients.py", "kernels/*.py"),
    "recursion": (
        "jit/*.py", "lie/coefficients.py", "kernels/vectors.py", "kernels/frames.py", "kernels/springs.py",
        "kernels/loads.py", "kernels/recursion/*.py",
    ),
    "flexible": (
        "jit/*.py", "lie/coefficients.py", "kernels/vectors.py", "kernels/frames.py", "kernels/joints.py",
        "kernels/recursion/table.py", "kernels/flexible/*.py",
    ),
}  # fmt: skip
"""What the kernels of a subfolder are compiled from, by its name: each subfolder is cached on its own."""

_SETTINGS = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_OPT")
_SUFFIXES = (".kernel", ".nbi")


def folder_of(file: str) -> str:
    """The subfolder under which the kernels of a source file are cached."""
    folder = Path(file).parent.name
    return folder if folder in COMPILED_SOURCES else ""


@functools.cache
def source_digest(folder: str = "") -> str:
    """Digest of all that compiled code of `kernels/<folder>` depends on: sources, compiler, processor."""
    digest = hashlib.sha256()
    for pattern in COMPILED_SOURCES[folder]:
        for path in sorted(_PACKAGE.glob(pattern)):
            digest.update(path.read_bytes())
    for package in ("numba", "llvmlite"):  # the version without importing the package
        spec = importlib.util.find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        digest.update(Path(spec.origin).with_name("_version.py").read_bytes())
    digest.update(repr([os.environ.get(name) for name in _SETTINGS]).encode())
    digest.update(_processor().encode())
    return digest.hexdigest()[:16]


def _processor() -> str:
    import llvmlite.binding

    try:
        features = llvmlite.binding.get_host_cpu_features().flatten()
    except RuntimeError:  # unknown on some platforms
        features = ""
    return f"{llvmlite.binding.get_process_triple()} {llvmlite.binding.get_host_cpu_name()} {features}"


@functools.cache
def cache_directory(folder: str = "") -> Path:
    """Where compiled kernels are kept: `COSSERAT_CACHE_DIR`, else the user's cache folder."""
    root = os.environ.get("COSSERAT_CACHE_DIR")
    if root is None:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        root = os.path.join(base, "cosserat")
    return Path(root) / source_digest(folder)


def compiled_names(folder: str = "") -> list[str]:
    """Kernels in the cache, such as ``integrate.advance``."""
    paths = cache_directory(folder).glob("*")
    return sorted({path.name.split("-", 1)[0].removesuffix(".kernel") for path in paths if path.suffix in _SUFFIXES})


def read(name: str, folder: str) -> tuple[str, str, bytes] | None:
    """(entry symbol, signature, object code) of a kernel, None if it is not there or damaged."""
    try:
        head, _, code = (cache_directory(folder) / f"{name}.kernel").read_bytes().partition(b"\n")
        entry, signature, check = head.decode("ascii").split(" ")
    except (OSError, ValueError):
        return None
    return (entry, signature, code) if check == _check(code) else None


def write(name: str, folder: str, entry: str, signature: str, code: bytes) -> None:
    """Keep a kernel; where nothing can be written it will be compiled again in the next process."""
    directory = cache_directory(folder)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        unfinished = directory / f"{name}.{os.getpid()}"
        unfinished.write_bytes(f"{entry} {signature} {_check(code)}\n".encode("ascii") + code)
        unfinished.replace(directory / f"{name}.kernel")
    except OSError:
        return


def _check(code: bytes) -> str:
    return hashlib.sha256(code).hexdigest()[:16]


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
