"""The Python blocks of README.md and of every page run, in order, and assert something; commands exist.

Blocks with ``>>>`` are run by doctest.
"""

from __future__ import annotations

import inspect
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cosserat as cs
from cosserat.cli import app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(path: Path, language: str) -> list[tuple[int, str]]:
    """First lines and texts of the blocks of a page in one language."""
    text = path.read_text(encoding="utf-8")
    found = ((text.count("\n", 0, m.start(2)), m[1], m[2]) for m in BLOCK.finditer(text))
    return [(line, body) for line, name, body in found if name == language and not body.lstrip().startswith(">>>")]


PYTHON = [page for page in PAGES if blocks(page, "python")]
SHELL = [page for page in PAGES if blocks(page, "sh")]


@pytest.mark.parametrize("page", PYTHON, ids=lambda p: p.stem)
def test_python_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "__main__"}
    for line, body in blocks(page, "python"):
        exec(compile("\n" * line + body, str(page), "exec"), namespace)


@pytest.mark.parametrize("page", PYTHON, ids=lambda p: p.stem)
def test_python_blocks_assert(page: Path) -> None:
    assert any(re.search(r"^\s*assert ", body, re.MULTILINE) for _, body in blocks(page, "python"))


@pytest.mark.parametrize("page", SHELL, ids=lambda p: p.stem)
def test_commands_exist(page: Path) -> None:
    runner = CliRunner()
    for _, body in blocks(page, "sh"):
        for line in body.splitlines():
            words = shlex.split(line, comments=True)
            if not words or words[0] != "cosserat" or words[1].startswith("-"):
                continue
            help_text = runner.invoke(app, [words[1], "--help"], env={"COLUMNS": "200"})
            assert help_text.exit_code == 0, line
            for option in (word for word in words[2:] if word.startswith("--")):
                assert option in help_text.stdout, line


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_every_page_is_found() -> None:
    """From the README, from the first page and from the menu."""
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"index.md"}
    for where in ("README.md", "docs/index.md", "mkdocs.yml"):
        text = (ROOT / where).read_text(encoding="utf-8")
        assert not [page for page in sorted(pages) if page not in text], where


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_links_lead_to_headings(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target, heading in re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", text):
        if "://" not in target and (not target or target.endswith(".md")):
            there = (page.parent / target if target else page).read_text(encoding="utf-8")
            heads = (re.sub(r"[^\w\- ]", "", head.lower()) for head in re.findall(r"^#+ (.*)$", there, re.MULTILINE))
            assert heading in [head.replace(" ", "-") for head in heads], f"{target}#{heading}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_words_that_puzzle(page: Path) -> None:
    text = " ".join(page.read_text(encoding="utf-8").lower().split())
    for words in ("are not regarded", "as they are told", "work as ever", "to taste", "mend it", "what there is, is"):
        assert words not in text, words


def test_every_argument_is_named_on_a_page() -> None:
    """Those of functions and constructors that users call."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    code = " ".join([*re.findall(r"`[^`\n]+`", text), *(match[2] for match in BLOCK.finditer(text))])
    known = set(re.findall(r"\w+", code))
    made = {"Campbell", "Comparison", "LinearModel", "Outcome", "Path", "Place", "Response"}  # by calls
    made |= {"TimeFunction", "VectorFunction"}
    missing = {}
    for name in set(cs.__all__) - made:
        thing = getattr(cs, name)
        if callable(thing) and not (inspect.isclass(thing) and issubclass(thing, BaseException)):
            unknown = [argument for argument in inspect.signature(thing).parameters if argument not in known]
            missing |= {name: unknown} if unknown else {}
    assert missing == {}
