"""The files that the page on architecture names exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_files_named_on_the_page_exist() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`([a-z_]+(?:/[a-z_]+)*(?:\.py|/))`", text)
    assert len(named) > 40
    missing = [name for name in named if "/" in name and not (ROOT / "src" / "cosserat" / name).exists()]
    assert not missing
