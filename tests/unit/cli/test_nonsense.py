"""Bad input ends in exit code 2 and one readable block: what, where, remedy; no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from cosserat.cli import app

GOOD = """
model: arm
gravity: [0, 0, -9.81]
beams:
  - name: arm
    points: [[0, 0, 0], [1, 0, 0]]
    section: {kind: Rod, diameter: 0.01}
    material: STEEL
joints:
  - {kind: Fixed, name: clamp, parent: ground, child: arm.start}
simulate: {duration: 0.01, step: 0.001}
"""

CASES = {
    "broken YAML": (GOOD.replace("[1, 0, 0]]", "[1, 0, 0]"), "not valid YAML", "line"),
    "unknown place": (GOOD.replace("arm.start", "arm.strat"), "arm.strat", "joints[0].child"),
    "not a number": (GOOD.replace("[0, 0, -9.81]", "[0, 0, .nan]"), "nan", "gravity"),
    "unknown key": (GOOD.replace("material: STEEL", "materiel: STEEL"), "unknown key 'materiel'", "beams[0].materiel"),
    "negative duration": (GOOD.replace("duration: 0.01", "duration: -1"), "duration", "simulate"),
    "empty": ("", "empty", "model.yaml"),
    "a list": ("- 1\n- 2\n", "must be a mapping", "model.yaml"),
}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.yaml").write_text(GOOD)
    Path("result.nc").write_bytes(b"\x89HDF\r\n\x1a\n")
    Path("cut.yaml").write_text(GOOD[: GOOD.index("diameter")])


def refused(*words: str) -> str:
    """Call a command that must be refused; returns what it said, with runs of blanks as one."""
    result = CliRunner().invoke(app, words, env={"COLUMNS": "160"})
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    return " ".join(result.output.split())


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("command", ["run", "validate", "equilibrium"])
def test_bad_files(name: str, command: str) -> None:
    text, what, where = CASES[name]
    Path("model.yaml").write_text(text)
    message = refused(command, "model.yaml")
    assert message.startswith("error")
    assert what in message
    assert where in message


@pytest.mark.parametrize(
    "words, what",
    [
        (("missing.yaml",), "no such file where missing.yaml"),
        ((".",), "is a folder"),
        (("model.yaml", "--step", "nan"), "step is nan"),
        (("model.yaml", "--step", "5"), "longer than the duration"),
        (("model.yaml", "--duration", "-1"), "duration is -1.0"),
        (("model.yaml", "--integrator", "euler"), "unknown integrator 'euler'"),
        (("model.yaml", "--rho", "2"), "rho is 2.0"),
        (("model.yaml", "--every", "0"), "every is 0"),
        (("model.yaml", "--start", "nowhere"), "start is 'nowhere'"),
        (("model.yaml", "--plot", "arm.tip"), "arm.tip"),
        (("model.yaml", "--set", "load"), "write NAME=NUMBER"),
        (("model.yaml", "--set", "load=3"), "load"),
        (("model.yaml", "--out", "model.yaml/x.nc"), "model.yaml"),
        (("model.yaml", "--out", "."), "is a folder"),
        (("model.yaml", "--frobnicate"), "error No such option: --frobnicate remedy cosserat run --help lists"),
        (("model.yaml", "--duraton", "3"), "Possible options: --duration"),
        (("model.yaml", "--duration", "abc"), "error Invalid value for '--duration': must be a number"),
        (("model.yaml", "--every", "1.5"), "error Invalid value for '--every': must be a whole number"),
        (("modell.yaml",), "where modell.yaml remedy did you mean 'model.yaml'?"),
        (("there/model.yaml",), "there is no folder 'there'"),
        (("result.nc",), "remedy pass a model file, which is YAML: plain text"),
        (("cut.yaml",), "remedy look there and in the line before"),
        (("model.yaml", "--step", "5"), "remedy pass a shorter step"),
        ((), "error Missing argument 'MODEL' remedy cosserat run --help"),
    ],
)
def test_bad_options(words: tuple[str, ...], what: str) -> None:
    assert what in refused("run", *words)


def test_no_duration() -> None:
    Path("model.yaml").write_text(GOOD.replace("simulate: {duration: 0.01, step: 0.001}", ""))
    assert "remedy pass --duration SECONDS" in refused("run", "model.yaml")


def test_debug_shows_the_traceback() -> None:
    result = CliRunner().invoke(app, ["validate", "missing.yaml", "--debug"])
    assert result.exception is not None
    assert "no such file" in str(result.exception)


def test_demo_wants_a_folder() -> None:
    assert "is a file" in refused("demo", "--out", "model.yaml")


def test_unknown_commands() -> None:
    message = refused("rnu")
    assert message.startswith("error No such command 'rnu'")
    assert message.endswith("remedy cosserat --help lists what it takes")
    assert CliRunner().invoke(app, ["--vrsion"]).exit_code == 2


def test_ends_of_a_range_must_be_finite() -> None:
    message = refused("stability", "model.yaml", "--parameter", "P", "--from", "0", "--to", "inf")
    assert message == "error --to is inf remedy both ends of the range must be finite"


def test_the_list_of_suffixes_ends_with_one() -> None:
    message = refused("equilibrium", "model.yaml", "--plot", "x.foo")
    assert message.endswith("it decides the format: .png, .pdf, .svg, .jpg, .jpeg, .eps, .webp, .tif, .tiff")


def test_results_to_look_at() -> None:
    assert "remedy pass the name of a result file" in refused("view", "missing.nc")
    assert refused("view", "model.yaml").startswith("error")


def test_a_remedy_does_not_begin_in_parentheses() -> None:
    Path("model.yaml").write_text(GOOD.replace("joints:", "").replace("  - {kind: Fixed", "#"))
    message = refused("modes", "model.yaml")
    assert "moves freely in space; the loads push along" in message
    assert "remedy hold what can fall, or pass about=" in message
