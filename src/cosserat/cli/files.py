"""Input and output files of the commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cosserat.cli.guard import UsageProblem, console

if TYPE_CHECKING:
    from cosserat.io import ModelFile

ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="Model file (YAML).", show_default=False)]
Time = Annotated[float, typer.Option(help="Time at which loads and motions are taken (s).")]
Spin = Annotated[
    tuple[float, float, float] | None,
    typer.Option(metavar="WX WY WZ", help="Angular velocity of a steady rotation (rad/s)."),
]
Center = Annotated[
    tuple[float, float, float], typer.Option(metavar="X Y Z", help="A point on the axis of that rotation (m).")
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Give a parameter of the model another value; may be repeated."),
]


def load(path: Path, settings: list[str] | None) -> ModelFile:
    """Read a model file and set its parameters."""
    from cosserat.io import yaml_model

    if path.is_dir():
        raise UsageProblem(f"{path} is a folder; pass a model file such as {path}/model.yaml")
    loaded = yaml_model.load(path)
    for setting in settings or []:
        name, sign, value = setting.partition("=")
        try:
            number = float(value)
        except ValueError:
            sign = ""
        if not sign:
            raise UsageProblem(f"--set {setting!r} cannot be read; write NAME=NUMBER, such as --set load=20")
        loaded.model.set(**{name.strip(): number})
    return loaded


def writable(path: Path) -> Path:
    """Make the folder of an output file, before anything long is done."""
    if path.is_dir():
        raise UsageProblem(f"{path} is a folder; pass the name of a file to write")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def list_written(paths: list[Path]) -> None:
    """Say what was written."""
    for path in paths:
        console.print(f"wrote {path} ({_size(path)})", soft_wrap=True)


def _size(path: Path) -> str:
    size = path.stat().st_size
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(1, round(size / 1e3))} kB"
