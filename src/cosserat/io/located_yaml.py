"""YAML as plain values that remember where in the file they stand.

Only mappings, lists and plain scalars are read: no tags, no objects, no code. Keys must be text and unique, and an
anchor may not contain itself nor blow up to more values than a model can sensibly have. What YAML reads in a way that
few expect (dates, numbers in base 60, leading zeros) is refused instead of guessed.
"""

from __future__ import annotations

import os
import re
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import yaml

from cosserat.errors import FileFormatError, shown

Route: TypeAlias = tuple[str | int, ...]
_QUICK: Any = getattr(yaml, "CSafeLoader", None)  # of libyaml, where PyYAML was built with it
MOST_VALUES = 200_000
DEEPEST = 60
_NO_TEXT = "pass a model file, which is YAML: plain text in UTF-8"
_LOOK = "look there and in the line before for a missing colon, bracket or quote, or blanks that do not line up"
LARGEST = 20_000_000 if _QUICK is not None else 1_000_000  # characters
LONGEST_NUMBER = 400  # digits

_TAG = "tag:yaml.org,2002:"
_SCALAR: Any = yaml.ScalarNode
_RESOLVER: Any = yaml.resolver.Resolver()
_TRUE, _FALSE = ("yes", "true", "on"), ("no", "false", "off")
_ZEROS = re.compile(r"[-+]?0[0-9_]+")


class Document(NamedTuple):
    """The content of a file, and the line of each value by its route, such as ``("joints", 2, "axis")``."""

    file: str
    content: Any
    lines: dict[Route, int]

    def error(self, route: Route, problem: str) -> FileFormatError:
        """An error that names file, line and route."""
        near = route
        while near and near not in self.lines:
            near = near[:-1]
        place = f"{self.file}, line {self.lines[near]}" if near in self.lines else self.file
        return FileFormatError(f"{place}, {show(route)}: {problem}" if route else f"{place}: {problem}")


def show(route: Route) -> str:
    """``joints[2].axis`` for ``("joints", 2, "axis")``."""
    text = ""
    for step in route:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def read(path: str | Path) -> Document:
    """Read a file; every problem is a `FileFormatError` with file and line."""
    if not isinstance(path, (str, os.PathLike)) or not isinstance(os.fspath(path), str):
        raise FileFormatError(f"{shown(path)} is not the name of a file; pass text or a path")
    file = Path(path).name
    try:
        size = Path(path).stat().st_size
        if not Path(path).is_file():  # a pipe or a device may have no end
            raise FileFormatError(f"{path}: is not a regular file; pass a model file such as 'model.yaml'")
        if size > 4 * LARGEST:
            raise FileFormatError(f"{path}: has {size / 1e6:.0f} MB, too much for a model file; put arrays beside it")
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileFormatError(f"{path}: no such file; {_instead(Path(path))}") from None
    except (OSError, ValueError) as error:
        if isinstance(error, FileFormatError):
            raise
        why = getattr(error, "strerror", None) or error
        raise FileFormatError(f"{shown(str(path))}: cannot be read as text: {why}; {_NO_TEXT}") from None
    return parse(text, file)


def _instead(path: Path) -> str:
    """What to pass instead of a file that does not exist."""
    try:
        there = sorted(p.name for p in path.parent.iterdir() if p.suffix.lower() in (".yaml", ".yml"))
    except OSError:
        return f"there is no folder {str(path.parent)!r} that could be read"
    near = get_close_matches(path.name, there, n=1, cutoff=0.4)
    if near:
        return f"did you mean {str(path.with_name(near[0]))!r}?"
    return f"model files there: {', '.join(there[:6])}" if there else "there are no model files (.yaml) in that folder"


def parse(text: str, file: str) -> Document:
    """Read a text; `file` is how errors call it."""
    if len(text) > LARGEST:
        raise FileFormatError(f"{file}: has {len(text)} characters, more than {LARGEST}; put arrays beside the file")
    document = Document(file, None, {})
    try:
        node = _composed(text, file)
        if node is None:
            raise FileFormatError(f"{file}: the file is empty; see the documentation of model files")
        content = _value(node, (), document, [])
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1 if isinstance(error.position, int) else 1
        raise FileFormatError(f"{file}, line {line}: not valid YAML: {error.reason}; {_NO_TEXT}") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = "" if mark is None else f", line {mark.line + 1}, column {mark.column + 1}"
        problem = getattr(error, "problem", None) or (str(error).splitlines() or ["it cannot be read"])[0]
        if mark is not None and "".join(text.split("\n")[mark.line : mark.line + 1])[mark.column :].startswith("\t"):
            problem = "a tab, where YAML takes blanks only"
        raise FileFormatError(f"{file}{where}: not valid YAML: {problem}; {_LOOK}") from None
    return document._replace(content=content)


def _demand_few(text: str, file: str) -> None:
    """Refuse more values than a model can have, before they are kept: keeping takes five times as long as counting."""
    if len(text) <= MOST_VALUES:
        return
    loader, count, depth = (_QUICK or yaml.SafeLoader)(text), 0, 0
    try:
        event = loader.get_event()
        while event is not None and type(event) is not yaml.StreamEndEvent and depth <= DEEPEST:
            count += isinstance(event, yaml.NodeEvent)
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if count > MOST_VALUES:
                where = f"{file}, line {_line(event)}"
                raise FileFormatError(f"{where}: more than {MOST_VALUES} values; put arrays beside it")
            event = loader.get_event()
    finally:
        loader.dispose()


def _composed(text: str, file: str) -> Any:
    """The nodes of a text, built without recursion: neither depth nor number can exhaust anything."""
    _demand_few(text, file)
    loader = (_QUICK or yaml.SafeLoader)(text)
    anchors: dict[str, Any] = {}
    roots: list[Any] = []
    stack: list[Any] = []
    try:
        while True:
            event = loader.get_event()
            kind = type(event)
            if event is None or kind is yaml.StreamEndEvent:
                break
            if kind is yaml.SequenceEndEvent or kind is yaml.MappingEndEvent:
                stack.pop()
                continue
            if kind is yaml.AliasEvent:
                if event.anchor not in anchors:
                    raise FileFormatError(f"{file}, line {_line(event)}: undefined alias {event.anchor!r}")
                node = anchors[event.anchor]
            elif isinstance(event, yaml.NodeEvent):
                node = _node(event)
                if event.anchor is not None:
                    anchors[event.anchor] = node
            else:
                continue
            (stack[-1].value if stack else roots).append(node)
            if kind is yaml.SequenceStartEvent or kind is yaml.MappingStartEvent:
                stack.append(node)
                if len(stack) > DEEPEST:
                    where = f"{file}, line {_line(event)}"
                    raise FileFormatError(f"{where}: nested too deeply, more than {DEEPEST} levels")
    finally:
        loader.dispose()
    if len(roots) > 1:
        raise FileFormatError(f"{file}, line {_line(roots[1])}: a second document; write one in a file")
    return roots[0] if roots else None


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _node(event: Any) -> Any:
    """A node; the tag of a scalar that has none is found when it is read, since that takes longest."""
    kind: Any
    if type(event) is yaml.ScalarEvent:
        node = _SCALAR(event.tag, event.value, event.start_mark, event.end_mark)
        node.implicit = event.implicit
        return node
    kind, word = (yaml.SequenceNode, "seq") if type(event) is yaml.SequenceStartEvent else (yaml.MappingNode, "map")
    return kind(event.tag if event.tag not in (None, "!") else _TAG + word, [], event.start_mark, event.end_mark)


def _tag(node: Any) -> str:
    """The tag of a scalar."""
    if node.tag is None or node.tag == "!":
        node.tag = _RESOLVER.resolve(yaml.ScalarNode, node.value, node.implicit)
    return str(node.tag)


def _value(node: Any, route: Route, document: Document, open_nodes: list[int]) -> Any:
    document.lines[route] = node.start_mark.line + 1
    if len(document.lines) > 2 * MOST_VALUES:
        raise FileFormatError(f"{document.file}: more than {MOST_VALUES} values")
    if id(node) in open_nodes:
        raise document.error(route, "an anchor that contains itself")
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node, route, document)
    if node.tag not in (_TAG + "map", _TAG + "seq"):
        raise document.error(route, f"the tag {_short(node.tag)} is not allowed; files hold plain values only")
    open_nodes.append(id(node))
    value: Any
    if isinstance(node, yaml.MappingNode):
        value = {}
        for key_node, item in zip(node.value[::2], node.value[1::2], strict=True):
            key = _key(key_node, route, document)
            document.lines[(*route, key)] = key_node.start_mark.line + 1
            if key in value:
                raise document.error((*route, key), f"the key {key!r} occurs twice")
            value[key] = _value(item, (*route, key), document, open_nodes)
    else:
        value = [_value(item, (*route, i), document, open_nodes) for i, item in enumerate(node.value)]
    open_nodes.pop()
    return value


def _key(node: Any, route: Route, document: Document) -> str:
    if not isinstance(node, yaml.ScalarNode) or _tag(node) not in (_TAG + "str", _TAG + "merge", _TAG + "value"):
        document.lines[(*route, "?")] = node.start_mark.line + 1
        given = _short(node.value) if isinstance(node, yaml.ScalarNode) else "a list or mapping"
        remedy = "put it in quotes, and so text with commas in it, such as 'hub.at(0, 0, 1)'"
        raise document.error((*route, "?"), f"a key must be text, got {given}; {remedy}")
    return str(node.value)


def _scalar(node: Any, route: Route, document: Document) -> Any:
    """Text, a number, true or false, or nothing."""
    kind, text = _tag(node).removeprefix(_TAG), node.value
    plain = text.replace("_", "").lower()
    if kind in ("str", "value", "merge"):
        return text
    if kind == "null" and plain in ("", "~", "null"):
        return None
    if kind == "bool" and plain in (*_TRUE, *_FALSE):
        return plain in _TRUE
    if kind in ("int", "float"):
        if ":" in text:
            raise document.error(route, f"{_short(text)} would be a number in base 60; write it in base 10 or quote it")
        if kind == "int" and _ZEROS.fullmatch(text):
            raise document.error(route, f"{_short(text)} would be a number in base 8; write it without leading zeros")
        if len(plain) > LONGEST_NUMBER:
            raise document.error(route, f"a number of {len(plain)} characters; no number needs more than 20 digits")
        try:
            return _integer(plain) if kind == "int" else _float(plain)
        except ValueError:
            raise document.error(route, f"{_short(text)} is not a number") from None
    if kind == "timestamp":
        raise document.error(route, f"{_short(text)} is a date; put it in quotes if text is meant")
    if kind in ("null", "bool"):
        raise document.error(route, f"{_short(text)} is not {'empty' if kind == 'null' else 'true or false'}")
    raise document.error(route, f"the tag {_short(node.tag)} is not allowed; files hold plain values only")


def _integer(text: str) -> int:
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text.removeprefix("+"))
    base = {"0x": 16, "0b": 2}.get(digits[:2], 10)
    return sign * int(digits if base == 10 else digits[2:], base)


def _float(text: str) -> float:
    sign, digits = (-1.0, text[1:]) if text.startswith("-") else (1.0, text.removeprefix("+"))
    return sign * float({".inf": "inf", ".nan": "nan"}.get(digits, digits))


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
