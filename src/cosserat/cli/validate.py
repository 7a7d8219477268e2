"""``cosserat validate``: read a model file, build its equations, print what is in it."""

from __future__ import annotations

from cosserat.cli.files import ModelPath, Settings, load
from cosserat.cli.guard import Debug, console, guarded


@guarded
def validate(model: ModelPath, set_: Settings = None, debug: Debug = False) -> None:
    """Check a model file and print what is in it; nothing is solved."""
    from cosserat.compile.build import compile_model

    loaded = load(model, set_)
    compiled = compile_model(loaded.model, floating=bool(loaded.model.modal_bodies))
    console.print(loaded.model.summary(), soft_wrap=True, markup=False)
    rows = sum(len(joint.rows.rows) for joint in compiled.joints)
    if not loaded.model.modal_bodies:  # which have coordinates of their own
        console.print(f"  {6 * compiled.n_nodes} equations of motion, {rows} constraints of {compiled.n_joints} joints")
    if compiled.rolling:
        rows = sum(len(item.held) for item in compiled.rolling)
        console.print(f"  {rows} constraints of {len(compiled.rolling)} knife edges and rolling discs")
    if loaded.simulate:
        settings = ", ".join(f"{key} {value}" for key, value in loaded.simulate.items())
        console.print(f"  simulate: {settings}", soft_wrap=True)
    console.print("[green]valid[/green]")
