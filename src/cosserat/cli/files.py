"""Input and output files of the commands."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cosserat.cli.guard import UsageProblem, console

if TYPE_CHECKING:
    from cosserat.io import ModelFile
    from cosserat.model import Model

ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="Model file (YAML).", show_default=False)]
Time = Annotated[float, typer.Option(help="Time at which loads and motions are taken (s).")]
Spin = Annotated[
    tuple[float, float, float] | None,
    typer.Option(metavar="WX WY WZ", help="Angular velocity of a steady rotation (rad/s)."),
]
Center = Annotated[
    tuple[float, float, float], typer.Option(metavar="X Y Z", help="A point on the axis of that rotation (m).")
]
PICTURES = (".png", ".pdf", ".svg", ".jpg", ".jpeg", ".eps", ".webp", ".tif", ".tiff", "")
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


def places_of(model: Model) -> list[str]:
    """Bodies, both ends of beams, and the interfaces of modal bodies."""
    beams = [f"{beam.name}.{end}" for beam in model.beams for end in ("start", "end")]
    modal = [f"{body.name}.{key}" for body in model.modal_bodies for key in body.interfaces]
    return [body.name for body in model.bodies] + beams + (modal or [body.name for body in model.modal_bodies])


def check_outputs(model: Path, **files: tuple[Path | None, tuple[str, ...]]) -> None:
    """Look at output files (option: path and suffixes) before anything long is done: can be written, and differ."""
    from cosserat.io import output

    taken = {os.path.realpath(model): "the model file"}
    for option, (path, suffixes) in files.items():
        if path is None:
            continue
        output_folder(path.parent, option)
        output.target(path, [suffix for suffix in suffixes if suffix] if path.suffix else ())
        real = os.path.realpath(path)
        if real in taken:
            raise UsageProblem(f"--{option} {path} is {taken[real]}; pass another name, for it would be overwritten")
        taken[real] = f"also --{option}"


def output_folder(path: Path, option: str) -> Path:
    """A folder to write to; made, and said so, if only its last part is missing: more is likely a slip."""
    if path.exists() and not path.is_dir():
        raise UsageProblem(f"--{option}: {path} is a file; pass the name of a folder")
    if not path.exists():
        if not path.parent.is_dir():
            raise UsageProblem(f"--{option}: the folder {str(path.parent)!r} does not exist; make it first")
        path.mkdir()
        console.print(f"made the folder {path}", soft_wrap=True)
    return path


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write plain values."""
    from cosserat.io import output

    output.write(path, json.dumps(content, indent=1))


def list_written(*paths: Path | None) -> None:
    """Say what was written."""
    for path in filter(None, paths):
        console.print(f"wrote {path} ({_size(path)})", soft_wrap=True)


def _size(path: Path) -> str:
    size = path.stat().st_size
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(1, round(size / 1e3))} kB"
