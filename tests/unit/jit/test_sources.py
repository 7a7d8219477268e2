"""What compiled code is made of: found by following imports, so that no edit leaves a stale kernel behind."""

import ast
from pathlib import Path

import pytest

from cosserat import jit
from cosserat.jit import sources
from cosserat.kernels.flexible import articulated as elastic
from cosserat.kernels.recursion import articulated as rigid

PACKAGE = Path(jit.__file__).parents[1]
FOLDERS = ["", *(p.parent.name for p in sorted(PACKAGE.glob("kernels/*/__init__.py")))]


def parsed_imports(path):
    """Files of the package that a file imports, by Python's own parser."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("cosserat"):
            names = [(f"{node.module}.{alias.name}", node.module) for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [(alias.name, alias.name) for alias in node.names]
        for inner, outer in names:
            for name in (inner, outer):
                at = PACKAGE.joinpath(*name.split(".")[1:])
                files = [f for f in (at.with_suffix(".py"), at / "__init__.py") if f.is_file()]
                if name.startswith("cosserat.") and files:
                    yield files[0]
                    break


@pytest.mark.parametrize("folder", FOLDERS)
def test_imports_are_those_that_python_finds(folder):
    for path in (PACKAGE / "kernels" / folder).glob("*.py"):
        assert set(sources.imported(path)) == set(parsed_imports(path)) - {path}, path


def test_imports_of_imports_count():
    found = {p.relative_to(PACKAGE).as_posix() for p in sources.sources_of(PACKAGE.glob("kernels/flexible/*.py"))}
    assert {"kernels/flexible/forces.py", "kernels/joints.py", "kernels/frames.py", "kernels/vectors.py"} <= found
    assert {"lie/coefficients.py", "kernels/recursion/table.py", "jit/__init__.py", "jit/cache.py"} <= found
    assert not {p for p in found if p.startswith(("model/", "compile/", "solve/"))}
    assert "kernels/newton.py" not in found


def test_an_edit_far_down_changes_the_digest(tmp_path, monkeypatch):
    package = tmp_path / "cosserat"
    for name, text in {
        "jit/__init__.py": "",
        "lie/low.py": "x = 1\n",
        "kernels/middle.py": "from cosserat.lie import (\n    low as deep,  # why\n)\n",
        "kernels/laws/top.py": "def f():\n    from cosserat.kernels.middle import g\n    return g\n",
    }.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    monkeypatch.setattr(sources, "_PACKAGE", package)

    def digest():
        sources.source_digest.cache_clear()
        sources.imported.cache_clear()
        return sources.source_digest("laws")

    try:
        before = digest()
        (package / "lie/low.py").write_text("x = 2\n")
        after = digest()
        assert after != before
        (package / "kernels/other.py").write_text("y = 3\n")
        assert digest() == after
    finally:
        sources.source_digest.cache_clear()
        sources.imported.cache_clear()


def test_folders_have_their_own_digest_and_names():
    assert sources.folder_of("/x/kernels/recursion/link.py") == "recursion"
    assert sources.folder_of("/x/kernels/beams.py") == ""
    assert sources.folder_of("/x/elsewhere.py") == ""
    assert len({sources.source_digest(folder) for folder in FOLDERS}) == len(FOLDERS)
    if jit.COMPILED:
        assert elastic.factor.name == "flexible.articulated.factor"


def test_names_of_kernels_are_unique():
    names = []
    for folder in FOLDERS:
        for path in (PACKAGE / "kernels" / folder).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef) and any(
                    getattr(d, "id", "") in ("stage", "kernel") for d in node.decorator_list
                ):
                    names.append("_".join(n for n in (folder, path.stem, node.name) if n))
    assert len(names) == len(set(names))
    assert rigid.__name__ != elastic.__name__
