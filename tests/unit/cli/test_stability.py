"""``cosserat stability``: table, files, exit codes."""

from __future__ import annotations

import json
import signal
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from cosserat.cli import app

BECK = Path(__file__).parents[3] / "examples" / "models" / "beck.yaml"


def call(*words: object) -> Result:
    return CliRunner().invoke(app, ["stability", *(str(w) for w in words)], env={"COLUMNS": "160"})


def test_table_and_files(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("beck.png", "beck.csv", "beck.json")]
    result = call(BECK, "--parameter", "P", "--from", 0, "--to", 30, "--steps", 12, "--modes", 4,
                  "--plot", files[0], "--csv", files[1], "--json", files[2])  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "flutter" in result.stdout
    assert "20.0499" in result.stdout  # 20.05095 with many elements
    assert files[0].stat().st_size > 10_000
    numbers = json.loads(files[2].read_text())
    assert numbers["critical"][0]["value"] == pytest.approx(20.05, rel=1e-3)
    table = np.genfromtxt(files[1], delimiter=",", names=True)
    assert np.allclose(table["P"], np.linspace(0, 30, 13))
    assert np.array_equal(table["stable"].astype(bool), table["P"] < 20.05)
    assert np.allclose(table["imaginary_1"], np.array(numbers["imaginary"])[:, 0])


def test_nothing_critical() -> None:
    result = call(BECK, "--parameter", "P", "--from", 0, "--to", 5, "--steps", 2, "--modes", 2)
    assert result.exit_code == 0
    assert "stable throughout" in result.stdout


def test_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is said about values that were not reached, and scripts see that it did not finish."""
    from cosserat.solve.linear.spectra import Spectra

    whole, calls = Spectra.at, count(1)

    def at(*args: object, **options: object) -> object:
        if next(calls) == 3:
            signal.raise_signal(signal.SIGINT)
        return whole(*args, **options)

    monkeypatch.setattr(Spectra, "at", at)
    result = call(BECK, "--parameter", "P", "--from", 0, "--to", 30, "--steps", 3, "--modes", 2)
    assert "3 values of P from 0 to 20" in result.stdout
    assert result.exit_code == 130


ROTOR = """
model: rotor
parameters: {stiffness: 9}
bodies:
  - {kind: sphere, name: disk, diameter: 0.1, mass: 1, com: [1, 0, 0]}
joints:
  - {kind: Prismatic, name: guide, parent: ground, child: disk, axis: [1, 0, 0], stiffness: stiffness}
"""


def test_spin_about_a_center(tmp_path: Path) -> None:
    """A unit mass on a spring that turns about its place of rest leaves it where k = W^2."""
    path = tmp_path / "rotor.yaml"
    path.write_text(ROTOR)
    words = ("--parameter", "stiffness", "--from", 9, "--to", 0.5, "--steps", 17, "--json", tmp_path / "rotor.json")
    result = call(path, *words, "--spin", 0, 0, 2, "--center", 1, 0, 0)
    assert result.exit_code == 0, result.output
    (critical,) = json.loads((tmp_path / "rotor.json").read_text())["critical"]
    assert (critical["kind"], critical["loss"]) == ("divergence", True)
    assert critical["value"] == pytest.approx(4.0, rel=1e-9)
    assert "stable throughout" in call(path, *words).output


def test_equilibrium_about_a_center(tmp_path: Path) -> None:
    """k q = W^2 (x + q - center)."""
    path, out = tmp_path / "rotor.yaml", tmp_path / "rotor.json"
    path.write_text(ROTOR)
    words = ["equilibrium", path, "--spin", 0, 0, 1, "--center", 0.5, 0, 0, "--out", out]
    result = CliRunner().invoke(app, [str(w) for w in words], env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    assert json.loads(out.read_text())["positions"]["disk"][0] == pytest.approx(1 + 0.5 / 8, rel=1e-9)
    result = CliRunner().invoke(app, [str(w) for w in (*words, "--path", "stiffness", 9, 2)], env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    assert json.loads(out.read_text())["positions"]["disk"][-1][0] == pytest.approx(1.5, rel=1e-9)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--parameter", "Q", "--from", 0, "--to", 1), "parameters: 'P'"),
        (("--parameter", "P", "--from", 1, "--to", 1), "two different values"),
        (("--parameter", "P", "--from", 0, "--to", 1, "--steps", 0), "positive number"),
        (("--parameter", "P", "--from", 0, "--to", 1, "--modes", 0), "how many modes"),
        (("--parameter", "P", "--from", 0, "--to", "nan"), "must be finite"),
    ],
)
def test_bad_input(words: tuple[object, ...], message: str) -> None:
    result = call(BECK, *words)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
