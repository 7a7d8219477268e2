"""Every example runs, is short, has a title and asserts a number."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(ROOT.glob("examples/*/*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.parent.name)
def test_example_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.parent.name)
def test_example_is_short_and_asserts(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    title = (ast.get_docstring(tree) or "").splitlines()[0]
    assert title.endswith(".") or ":" in title, "the first line of the docstring is the title"
    assert len(text.splitlines()) <= 80
    assert any(isinstance(node, ast.Assert) for node in ast.walk(tree))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 6


def test_the_list_has_every_example() -> None:
    text = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    for path in EXAMPLES:
        assert f"({path.parent.name}/{path.name})" in text, path
