"""Which sources end up in compiled code, found by following imports, and a digest of them.

The kernels directly in `kernels/` share one digest, those of each subfolder have their own: an edit of a recursion
does not make anybody compile the engine again. Followed are the imports of the package's own modules, wherever they
stand in a file. A module imported by name (``from cosserat.lie import coefficients``) counts alone, not with the
``__init__`` of its package, which compiled code does not see.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).parents[1]
_IMPORT = re.compile(r"^\s*(?:from|import)\s+(cosserat[\w.]*)(?:\s+import\s+(\([^)]*\)|[^\n]*))?", re.MULTILINE)
_NAME = re.compile(r"(\w+)(?:\s+as\s+\w+)?\s*(?:,|\)|#[^\n]*(?:\n|$)|$)")
_SETTINGS = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_OPT")


def folder_of(file: str) -> str:
    """The subfolder of `kernels` under which the kernels of a source file are cached; "" for `kernels` itself."""
    parts = Path(file).parts
    at = len(parts) - 1 - parts[::-1].index("kernels") if "kernels" in parts else len(parts)
    return parts[at + 1] if at + 2 < len(parts) else ""


def kernel_name(function: Callable[..., Any]) -> str:
    """Name under which a kernel is kept: subfolder of `kernels` if it is in one, module, function."""
    folder = folder_of(function.__code__.co_filename)
    names = [folder, function.__module__.rsplit(".", 1)[-1], function.__qualname__]
    return ".".join(name for name in names if name)


@functools.cache
def source_digest(folder: str = "") -> str:
    """Digest of all that compiled code of `kernels/<folder>` depends on: sources, compiler, processor."""
    digest = hashlib.sha256()
    for path in sources_of(sorted((_PACKAGE / "kernels" / folder).glob("*.py"))):
        digest.update(f"{path.relative_to(_PACKAGE).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    digest.update(compiler_digest().encode())
    return digest.hexdigest()[:16]


@functools.cache
def compiler_digest() -> str:
    """Digest of the versions of the compiler, its settings, the processor and this folder."""
    digest = hashlib.sha256()
    for path in sorted((_PACKAGE / "jit").glob("*.py")):
        digest.update(path.read_bytes())
    for package in ("numba", "llvmlite"):  # the version without importing the package
        spec = importlib.util.find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        digest.update(Path(spec.origin).with_name("_version.py").read_bytes())
    digest.update(repr([os.environ.get(name) for name in _SETTINGS]).encode())
    digest.update(_processor().encode())
    return digest.hexdigest()[:16]


def sources_of(paths: Iterable[Path]) -> list[Path]:
    """These files and all files of the package that they import, directly or not, in a fixed order."""
    todo = list(paths)
    seen = set(todo)
    while todo:
        for path in imported(todo.pop()):
            if path not in seen:
                seen.add(path)
                todo.append(path)
    return sorted(seen)


@functools.cache
def imported(path: Path) -> tuple[Path, ...]:
    """Files of the package that a file imports; found in its text, for a parser would take a tenth of a second."""
    found = []
    for module, names in _IMPORT.findall(path.read_text(encoding="utf-8")):
        file = _file(module)
        within = _NAME.findall(names) if file is None or file.name == "__init__.py" else []  # a file has no modules
        found += [_file(f"{module}.{name}") or file for name in within] or [file]
    return tuple(dict.fromkeys(p for p in found if p is not None and p != path))


def _file(module: str) -> Path | None:
    """The file of a module of the package; None for anything else."""
    head, _, rest = module.partition(".")
    if head != _PACKAGE.name or not rest:
        return None
    path = _PACKAGE.joinpath(*rest.split("."))
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if file.is_file():
            return file
    return None


def _processor() -> str:
    import llvmlite.binding

    try:
        features = llvmlite.binding.get_host_cpu_features().flatten()
    except RuntimeError:  # unknown on some platforms
        features = ""
    return f"{llvmlite.binding.get_process_triple()} {llvmlite.binding.get_host_cpu_name()} {features}"
