"""Where the formula of each law is written: once in the engine, and once in the symbolic half that checks it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

HOMES = {
    "friction": "kernels/efforts.py",
    "stiffness, damping and drive of a freedom": "kernels/efforts.py",
    "wrench of a load, dead or following": "kernels/loads.py",
    "share of a line load": "kernels/loads.py",
    "weight of a node": "kernels/loads.py",
    "potential energy of what is fixed": "compile/spanning.py",
    "velocity of the point that touches": "kernels/touching.py",
    "servo": "kernels/efforts.py",
    "pull of a straight spring": "kernels/springs.py",
    "rotation row of a joint": "kernels/joint_rows.py",
    "lowest point of a disc": "kernels/touching.py",
    "opposite of a wrench": "kernels/state_loads.py",
}
"""Law -> the file that has it."""


@pytest.fixture(scope="module")
def written() -> dict[str, list[str]]:
    """Law -> files of the engine with its formula, as ``python bench/walk.py --laws`` lists them."""
    call = [sys.executable, str(ROOT / "bench" / "walk.py"), "--laws"]
    text = subprocess.run(call, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    found: dict[str, list[str]] = {}
    law = ""
    for line in text.splitlines()[1:]:
        if line.startswith(" "):
            found[law].append(line.strip().split(":")[0])
        else:
            law = line.rsplit(" (", 1)[0]
            found[law] = []
    return found


@pytest.mark.parametrize("law", HOMES)
def test_a_law_is_written_once(law: str, written: dict[str, list[str]]) -> None:
    assert {path for path in written[law] if not path.startswith("symbolic/")} == {HOMES[law]}
