"""Kernels write only into their `*_out` arguments and into workspaces: checked in their sources.

A workspace is a group of arrays that stages get as one address (`problem`), or an argument that is named as one below.
Everything else that comes in through an argument is read only.
"""

import ast
import re
from pathlib import Path

import pytest

from cosserat import kernels

FOLDER = Path(kernels.__file__).parent
DECORATORS = {"apart", "helper", "inlined", "stage", "wide", "kernel", "quick"}
GROUPS = {
    "state", "trial", "middle", "solver", "scratch", "history", "memory", "now", "lin", "room", "work", "visit", "laws",
    "owned",
}  # fmt: skip
"""Names of workspaces, wherever they are arguments."""

PASSED = {
    name
    for path in FOLDER.rglob("*.py")
    for names in re.findall(r"@passed_as\((.*)\)", path.read_text(encoding="utf-8"))
    for name in re.findall(r"\w+", names)
}
"""Names of groups that stages get as one address."""

MEMORY = {
    "flexible/articulated.py": {"D", "S", "f", "rest"},
    "flexible/body.py": {"M", "b"},
    "flexible/body_tangents.py": {"first", "second"},
    "flexible/composite.py": {"other"},
    "flexible/force_tangents.py": {"out"},
    "flexible/inverse.py": {"out", "force"},
    "flexible/seat_tangents.py": {"out"},
    "flexible/tangents.py": {"record", "r"},
    "recursion/batch.py": {"a_now", "tau_now", "dq", "dv", "mass"},
    "recursion/dense.py": {"out", "M"},
    "recursion/forces.py": {"r", "frames", "twists", "K", "J", "P", "row"},
    "recursion/spatial.py": {"links", "origin", "freedoms"},
}
"""File -> arguments that are memory to work in, or changed in place, under other names: nothing is added here."""


def decorated(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for mark in node.decorator_list:
                mark = mark.func if isinstance(mark, ast.Call) else mark
                if getattr(mark, "id", "") in DECORATORS:
                    yield node
                    break


def root(node):
    """The variable that an expression such as x.y[i].z starts from; None for calls and others."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def assigned(node):
    """Targets of an assignment, tuples taken apart."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    while targets:
        target = targets.pop()
        if isinstance(target, (ast.Tuple, ast.List)):
            targets += target.elts
        else:
            yield target


def origins(function):
    """Local variable -> argument whose memory it shows, "" where it is a workspace or the function's own."""
    found = {}
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign):
            continue
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        for target in node.targets:
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            if len(names) != len(values):
                continue
            for name, value in zip(names, values, strict=True):
                if isinstance(name, ast.Name) and isinstance(value, (ast.Name, ast.Attribute, ast.Subscript)):
                    found.setdefault(name.id, root(value))
    return found


def faults(path, writers):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    own = GROUPS | PASSED | MEMORY.get(f"{path.parent.name}/{path.name}", set())
    for function in decorated(tree):
        arguments = {a.arg for a in function.args.args}
        views = origins(function)

        def readonly(node, arguments=arguments, views=views):
            name = root(node)
            for _ in range(5):
                if name in arguments or name not in views:
                    break
                name = views[name]
            return name in arguments and not name.endswith("_out") and name not in own

        for node in ast.walk(function):
            if isinstance(node, (ast.Assign, ast.AugAssign)):
                for target in assigned(node):
                    if isinstance(target, (ast.Subscript, ast.Attribute)) and readonly(target):
                        yield f"{path.name}:{node.lineno} {function.name} writes into {ast.unparse(target)}"
            elif isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                name = name if "." in name or f"{path.stem}.{name}" not in writers else f"{path.stem}.{name}"
                for index in writers.get(name, ()):
                    if index < len(node.args) and readonly(node.args[index]):
                        what, callee = ast.unparse(node.args[index]), name.rpartition(".")[2]
                        yield f"{path.name}:{node.lineno} {function.name} lets {callee} write into {what}"


def output_positions(paths):
    """Name of a kernel, alone and with its module -> positions of its `*_out` arguments."""
    found = {}
    for path in paths:
        for function in decorated(ast.parse(path.read_text(encoding="utf-8"))):
            places = [i for i, a in enumerate(function.args.args) if a.arg.endswith("_out")]
            found[function.name] = found[f"{path.stem}.{function.name}"] = places
    return found


FOLDERS = ["", *(p.parent.name for p in sorted(FOLDER.glob("*/__init__.py")))]


@pytest.mark.parametrize("folder", FOLDERS)
def test_kernels_write_only_where_their_arguments_say(folder):
    paths = sorted((FOLDER / folder).glob("*.py"))
    writers = output_positions([*FOLDER.glob("*.py"), *paths])
    assert [fault for path in paths for fault in faults(path, writers)] == []


def test_a_hidden_write_is_found(tmp_path):
    file = tmp_path / "wrong.py"
    file.write_text(
        "@helper\ndef fill(x_out):\n    x_out[0] = 1.0\n\n"
        "@helper\ndef a(x, y_out):\n    row = x[0]\n    row[1] = 2.0\n    y_out[0] = 1.0\n\n"
        "@stage\ndef b(problem, x):\n    trial = problem.trial\n    trial.frame[0] = 1.0\n    fill(x)\n"
    )
    found = list(faults(file, output_positions([file])))
    assert found == ["wrong.py:8 a writes into row[1]", "wrong.py:15 b lets fill write into x"]
