"""Files of compiled code: private to the user, and checked before anything in them is linked or unpickled.

Compiled code runs with the rights of whoever loads it. So a file is used only if it and the two folders above it belong
to this user and nobody else can write to them, and if its checksum is right, which also covers the names of file and
folder. What is refused is compiled again and kept in memory only.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path

from cosserat.errors import warn

_MAGIC = b"cosserat kernel 3 "
_OWNED = hasattr(os, "geteuid")  # not on Windows, where folders of a user are private by their access lists
_PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_warned: set[str] = set()


def trusted(directory: Path) -> bool:
    """Whether a folder of the cache may be used; says once why not. One that does not exist yet may."""
    for folder in (directory.parent, directory):
        try:
            problem = _problem(folder.stat(), stat.S_ISDIR, "folder")
        except FileNotFoundError:
            return True
        except OSError as error:
            problem = error.strerror or str(error)
        if problem:
            _warn(directory.parent, folder, problem)
            return False
    return True


def read(path: Path) -> bytes | None:
    """What `write` put there; None if there is nothing, or nothing that can be trusted."""
    if not trusted(path.parent):
        return None
    try:
        handle = os.open(path, os.O_RDONLY | _PLAIN | getattr(os, "O_NONBLOCK", 0))  # a pipe would wait for a writer
    except OSError:
        return None
    with os.fdopen(handle, "rb") as stream:
        try:
            problem = _problem(os.fstat(stream.fileno()), stat.S_ISREG, "file")
            content = b"" if problem else stream.read()
        except OSError:
            return None
    if problem:
        _warn(path.parent.parent, path, problem)
        return None
    head, _, payload = content.partition(b"\n")
    return payload if head == _head(path, payload) else None


def write(path: Path, payload: bytes) -> None:
    """Keep something for the next process, whole or not at all; where that is impossible, say so once."""
    directory = path.parent
    try:
        directory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        directory.mkdir(mode=0o700, exist_ok=True)
        if not trusted(directory):
            return
        unfinished = directory / f".{path.name}.{os.getpid()}.{os.urandom(6).hex()}"  # threads, hosts with one home
        try:
            with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _PLAIN, 0o600), "wb") as stream:
                stream.write(_head(path, payload) + b"\n" + payload)
            unfinished.replace(path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
    except OSError as error:
        _warn(directory.parent, directory, error.strerror or str(error))


def _head(path: Path, payload: bytes) -> bytes:
    """First line of a file: a checksum over what it is for and what is in it."""
    digest = hashlib.sha256()
    for part in (path.parent.name.encode(), path.name.encode(), payload):
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return _MAGIC + digest.hexdigest().encode("ascii")


def _problem(found: os.stat_result, kind: Callable[[int], bool], word: str) -> str:
    if not kind(found.st_mode):
        return f"it is not a {word}"
    if not _OWNED:
        return ""
    if found.st_uid != os.geteuid():
        return "it belongs to another user"
    if found.st_mode & _WRITABLE_BY_OTHERS:
        return f"others can write to it, mode {stat.S_IMODE(found.st_mode):04o}"
    return ""


def _warn(root: Path, path: Path, problem: str) -> None:
    if str(root) not in _warned:
        _warned.add(str(root))
        warn(
            f"compiled kernels are neither read from nor kept in {path} ({problem}), so every process compiles them "
            "again; make the folder your own (chmod -R go-w), or set COSSERAT_CACHE_DIR to another one",
        )
