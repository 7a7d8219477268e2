"""YAML as plain values that remember where in the file they stand.

Only mappings, lists and plain scalars are read: no tags, no objects, no code. Keys must be text and unique, and an
anchor may not contain itself nor blow up to more values than a model can sensibly have.
"""

from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import yaml

from cosserat.errors import FileFormatError

Route: TypeAlias = tuple[str | int, ...]
MOST_VALUES = 1_000_000
_PLAIN_TAGS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")


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
    file = Path(path).name
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileFormatError(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileFormatError(f"{path}: cannot be read as text: {error}") from None
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        document = Document(file, None, {})
        if node is None:
            raise FileFormatError(f"{file}: the file is empty; see the documentation of model files")
        content = _value(loader, node, (), document, [])
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f", line {mark.line + 1}, column {mark.column + 1}"
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise FileFormatError(f"{file}{line}: not valid YAML: {problem}") from None
    except RecursionError:
        raise FileFormatError(f"{file}: nested too deeply") from None
    finally:
        loader.dispose()
    return document._replace(content=content)


def _value(loader: yaml.SafeLoader, node: yaml.Node, route: Route, document: Document, open_nodes: list[int]) -> Any:
    document.lines[route] = node.start_mark.line + 1
    if len(document.lines) > MOST_VALUES:
        raise FileFormatError(f"{document.file}: more than {MOST_VALUES} values")
    if id(node) in open_nodes:
        raise document.error(route, "an anchor that contains itself")
    if not isinstance(node, yaml.ScalarNode) and node.tag not in _PLAIN_TAGS:
        raise document.error(route, f"the tag {node.tag} is not allowed; files hold plain values only")
    open_nodes.append(id(node))
    value: Any
    if isinstance(node, yaml.MappingNode):
        value = {}
        for key_node, item in node.value:
            key = loader.construct_object(key_node, deep=True) if isinstance(key_node, yaml.ScalarNode) else None
            if not isinstance(key, str):
                raise document.error((*route, str(key)), "a key must be text; put it in quotes")
            document.lines[(*route, key)] = key_node.start_mark.line + 1
            if key in value:
                raise document.error((*route, key), f"the key {key!r} occurs twice")
            value[key] = _value(loader, item, (*route, key), document, open_nodes)
    elif isinstance(node, yaml.SequenceNode):
        value = [_value(loader, item, (*route, i), document, open_nodes) for i, item in enumerate(node.value)]
    else:
        value = loader.construct_object(node)
    open_nodes.pop()
    return value
