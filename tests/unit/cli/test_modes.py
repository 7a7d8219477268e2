"""``cosserat modes``: tables, files, pictures, exit codes."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from cosserat.cli import app

PENDULUM = """
model: pendulum
gravity: [0, 0, -9.81]
parameters: {length: 1, friction: 0}
bodies:
  - {kind: sphere, name: bob, diameter: 0.1, mass: 1, com: [0, 0, -length]}
joints:
  - {kind: Revolute, name: pivot, parent: ground, child: "bob.at(0, 0, 0)", axis: [0, 1, 0], damping: friction}
"""


@pytest.fixture
def pendulum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "pendulum.yaml"
    path.write_text(PENDULUM)
    return path


def call(*words: object) -> Result:
    return CliRunner().invoke(app, ["modes", *(str(w) for w in words)], env={"COLUMNS": "160"})


def frequency(length: float = 1.0) -> float:
    return float(np.sqrt(9.81 * length / (length**2 + 0.4 * 0.05**2)) / (2 * np.pi))


def test_table_and_files(pendulum: Path) -> None:
    result = call(pendulum, "-n", 3, "--csv", "out/m.csv", "--json", "out/m.json", "--plot", "pictures")
    assert result.exit_code == 0, result.output
    assert f"{frequency():.6g}" in result.output
    assert "bob 100 %" in result.output
    with Path("out/m.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 1
    assert float(rows[0]["frequency_hz"]) == pytest.approx(frequency(), rel=1e-9)
    numbers = json.loads(Path("out/m.json").read_text(encoding="utf-8"))
    assert numbers["stable"]
    assert numbers["modes"][0]["kinetic_energy"] == {"bob": pytest.approx(1.0)}
    assert abs(numbers["modes"][0]["shape"]["bob"][0]) == pytest.approx(1.0, rel=1e-2)
    assert Path("pictures/mode_00.png").read_bytes()[:4] == b"\x89PNG"


def test_damping_and_parameters(pendulum: Path) -> None:
    result = call(pendulum, "--set", "length=2", "--set", "friction=0.4", "--json", "m.json")
    assert result.exit_code == 0, result.output
    mode = json.loads(Path("m.json").read_text(encoding="utf-8"))["modes"][0]
    inertia = 4 + 0.4 * 0.05**2
    assert mode["eigenvalue"][0] == pytest.approx(-0.4 / (2 * inertia), rel=1e-9)
    assert set(mode["shape"]["bob"]) == {"real", "imag"}
    undamped = call(pendulum, "--set", "friction=0.4", "--undamped")
    assert f"{frequency():.6g}" in undamped.output


def test_spin_about_the_vertical(pendulum: Path) -> None:
    """omega^2 = (g l - l^2 Omega^2 + ...) / (l^2 + J / m): a pendulum on a turntable."""
    result = call(pendulum, "--spin", 0, 0, 1, "--json", "m.json")
    assert result.exit_code == 0, result.output
    got = json.loads(Path("m.json").read_text(encoding="utf-8"))
    assert got["about"] == "steady rotation"
    expected = np.sqrt((9.81 - 1.0) / (1 + 0.4 * 0.05**2)) / (2 * np.pi)
    assert got["modes"][0]["frequency"] == pytest.approx(expected, rel=1e-7)


def test_unstable_spin_is_said(pendulum: Path) -> None:
    result = call(pendulum, "--spin", 0, 0, 5)
    assert result.exit_code == 0, result.output
    assert "UNSTABLE:" in result.output
    assert "divergence" in result.output  # on the next line where the screen is narrow
    assert "1 of these motions grow" in result.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-n", 0), "n is 0"),
        (("--spin", 1, 0, 0), "gravity"),
        (("--plot", "pendulum.yaml"), "is a file"),
        (("--csv", "."), "is a folder"),
        (("--set", "mass=3"), "mass"),
    ],
)
def test_bad_options(pendulum: Path, words: tuple[object, ...], message: str) -> None:
    result = call(pendulum, *words)
    assert result.exit_code == 2
    assert message in result.output


def test_missing_file() -> None:
    assert call("nowhere.yaml").exit_code == 2
