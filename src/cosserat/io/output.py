"""Writing files whole or not at all.

Content is made in memory, goes to a temporary file beside the target, is forced to the disk, and takes the place of the
target in one step. A full disk, a signal or a crash leaves what was there before as it was.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from cosserat.errors import FileFormatError, shown

_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # of Linux
_PATIENCE = 50  # attempts to remove a temporary folder


def target(path: Any, suffixes: Iterable[str] = (), meaning: str = "") -> Path:
    """The path of a file that can be written, or a located error; `suffixes` in small letters, if only some are known.

    Checked before anything long is done: the folder exists, the suffix is known, nothing but a file stands there.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise FileFormatError(f"{shown(path)} is not the name of a file; pass text or a path")
    known = tuple(suffixes)
    text = os.fspath(path)
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        raise FileFormatError(f"{shown(text)} is not the name of a file; pass one such as 'result{(*known, '.nc')[0]}'")
    file = Path(text)
    try:
        if file.is_dir() and file.suffix.lower() != ".zarr":
            raise FileFormatError(f"{file}: is a folder; pass the name of a file to write")
        if known and file.suffix.lower() not in known:
            given = f"the suffix {file.suffix!r} is not known here" if file.suffix else "the name has no suffix"
            raise FileFormatError(f"{file}: {given}; it decides the format: {meaning or ', '.join(known)}")
        if not file.parent.is_dir():
            raise FileFormatError(f"{file}: the folder {str(file.parent)!r} does not exist; make it first")
        if file.exists() and not (file.is_file() or file.is_dir()):
            raise FileFormatError(f"{file}: is not a regular file; pass the name of a file to write")
        if file.exists() and not os.access(file, os.W_OK):
            raise FileFormatError(f"{file}: the file is write-protected; pass another name")
        folder = Path(os.path.realpath(file)).parent
        if not os.access(folder, os.W_OK | os.X_OK):
            raise FileFormatError(f"{file}: nothing can be written to the folder {str(folder)!r}; pass another one")
    except (OSError, ValueError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise _cannot(file, error) from None
    return file


def write(path: Path, content: bytes | str) -> None:
    """Write a file; either all of it is there afterwards, or an error is raised and nothing has changed."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        whole = Path(os.path.realpath(path))  # what a link points at is replaced, not the link
        handle, name = tempfile.mkstemp(prefix=f".{whole.name[:100]}.", suffix=".part", dir=whole.parent)
        unfinished = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            unfinished.chmod(_mode(whole))
            unfinished.replace(whole)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
        _sync(whole.parent)
    except (OSError, ValueError) as error:
        raise _cannot(path, error) from None


def write_folder(path: Path, fill: Callable[[Path], Any], recognised: Callable[[Path], bool]) -> None:
    """Write a folder of files the same way; one that stands there is replaced only if it is `recognised`."""
    if path.exists() and not recognised(path):
        raise FileFormatError(f"{path}: a folder with other content stands there; pass another name")
    try:
        room = Path(tempfile.mkdtemp(prefix=f".{path.name[:100]}.", suffix=".part", dir=path.parent))
        try:
            fill(room / "new")
            for folder, _, names in os.walk(room / "new"):
                for name in names:
                    _sync(Path(folder, name))
                _sync(Path(folder))
            _take_place(room / "new", path, room / "old")
        finally:
            for _ in range(_PATIENCE):  # threads that fill it may still be at work where one of them failed
                shutil.rmtree(room, ignore_errors=True)
                if not room.exists():
                    break
                time.sleep(0.02)
        _sync(path.parent)
    except OSError as error:
        raise _cannot(path, error) from None


def _take_place(new: Path, path: Path, old: Path) -> None:
    """Let a folder take the place of another in one step, where the system can; else nothing may come between two."""
    if not path.exists():
        new.rename(path)
    elif not _exchanged(new, path):
        try:
            path.rename(old)
            new.rename(path)
        except BaseException:
            if not path.exists():
                old.rename(path)
            raise


def _exchanged(one: Path, two: Path) -> bool:
    """Exchange two names, if the system and its disk offer that."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError, TypeError):  # not Linux
        return False
    return bool(rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(two), _RENAME_EXCHANGE) == 0)


def _mode(path: Path) -> int:
    """Rights of the file that is replaced, or those a new one gets."""
    with contextlib.suppress(OSError):
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


def _sync(path: Path) -> None:
    """Force a file, or the names in a folder, to the disk, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _cannot(path: Path, error: Exception) -> FileFormatError:
    reason = getattr(error, "strerror", None) or str(error)
    remedy = "make room" if getattr(error, "errno", None) in _FULL else "pass another path"
    return FileFormatError(f"{path}: cannot be written ({reason}), and nothing was changed there; {remedy}")
