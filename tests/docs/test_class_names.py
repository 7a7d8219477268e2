"""A class has a name of its own: what is called alike is one thing."""

import ast
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "cosserat"

# Public in two namespaces, each by the word of its field: groups with numbers and with symbols, a load and a tensor.
TWICE = {"Group": {"lie/protocol.py", "symbolic/groups.py"}, "Wrench": {"lie/twist.py", "model/loads.py"}}


def test_no_two_modules_have_classes_of_one_name() -> None:
    found = defaultdict(set)
    for path in SOURCE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found[node.name.lstrip("_")].add(path.relative_to(SOURCE).as_posix())
    assert len(found) > 500
    assert {name: files for name, files in found.items() if len(files) > 1} == TWICE
