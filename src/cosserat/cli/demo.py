"""``cosserat demo``: the two-link manipulator of [Grazioso17] section IV, with plot, table, results and 3D view."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cosserat.cli.files import list_written, output_folder
from cosserat.cli.guard import NOT_FINISHED, Debug, console, errors, guarded, titled_table

if TYPE_CHECKING:
    from rich.table import Table

    from cosserat.results.run import Run

STEPS = (1e-1, 1e-2, 1e-3)
PLOTTED = ("RR", "RF", "FR", "FF")
PLOTTED_STEP = 1e-2

Costs = dict[tuple[str, float], float]


@guarded
def demo(
    out: Annotated[Path, typer.Option(help="Folder to write to.")] = Path("demo"),
    quick: Annotated[bool, typer.Option("--quick", help="Only RR, RF, FR and FF, steps of 0.1 and 0.01 s.")] = False,
    debug: Debug = False,
) -> None:
    """Run a two-link arm with rigid and flexible links: plot, cost table, result files, 3D view."""
    from cosserat.cli.kernels import prepare, warm
    from cosserat.demo import VARIANTS

    output_folder(out, "out")
    prepare()
    warm()
    variants = PLOTTED if quick else tuple(VARIANTS)
    steps = STEPS[:2] if quick else STEPS
    costs, runs = _simulate(variants, steps)

    table = cost_table(costs, variants, steps)
    console.print(table)
    console.print(
        "ours: CPU seconds of one call of simulate on this machine; paper: published in [Grazioso17] Table II\n",
        markup=False, soft_wrap=True,
    )  # fmt: skip
    console.print(_tip_table(runs, variants, steps))
    written = [_write_table(costs, out / "cost.csv")]
    written.append(_plot_tip(runs, out / "tip.png"))
    for variant in PLOTTED:
        written.append(out / f"{variant}.nc")
        runs[variant, PLOTTED_STEP].save(written[-1])
    written.append(out / "FF.html")
    runs["FF", PLOTTED_STEP].show(written[-1], open=False)
    list_written(*written)
    failed = [key for key, run in runs.items() if not run.status.ok]
    for variant, step in failed:
        message = runs[variant, step].status.message
        errors.print(f"[bold red]not finished[/bold red]  {variant}, h = {step:g} s: {message}")
    if failed:
        raise typer.Exit(NOT_FINISHED)


def _simulate(variants: tuple[str, ...], steps: tuple[float, ...]) -> tuple[Costs, dict[tuple[str, float], Run]]:
    """All runs, and the CPU seconds of each, the lower of two."""
    import cosserat as cs
    from cosserat.demo import DURATION, two_link_arm

    costs: Costs = {}
    runs: dict[tuple[str, float], Run] = {}
    with console.status("simulating") as status:
        for variant in variants:
            for step in steps:
                status.update(f"simulating {variant}, h = {step:g} s")
                model = two_link_arm(variant)
                for _ in range(2):
                    before = time.process_time()
                    runs[variant, step] = cs.simulate(model, duration=DURATION, step=step)
                    cost = time.process_time() - before
                    costs[variant, step] = min(cost, costs.get((variant, step), cost))
    return costs, runs


def cost_table(costs: Costs, variants: tuple[str, ...], steps: tuple[float, ...]) -> Table:
    """CPU seconds next to those of [Grazioso17] Table II."""
    from cosserat.demo import PUBLISHED_SECONDS

    table = titled_table("computational time (s)", ("h (s)", "", *variants), left=(1,))
    for step in sorted(steps):
        ours = [f"{costs[variant, step]:.3f}" for variant in variants]
        theirs = [f"{PUBLISHED_SECONDS[step][variant]:.2f}" for variant in variants]
        table.add_row(f"{step:g}", "ours", *ours)
        table.add_row("", "paper", *theirs, end_section=True)
    return table


def _tip_table(runs: dict[tuple[str, float], Run], variants: tuple[str, ...], steps: tuple[float, ...]) -> Table:
    """Where the tip is at t = pi, by the smallest step; FF converged by another method for comparison."""
    import numpy as np

    from cosserat.demo import CONVERGED_TIP, tip

    step = min(steps)
    table = titled_table(f"tip at t = π (m), h = {step:g} s", ("model", "x", "y", "z", "max |z|"))
    for variant in variants:
        run = runs[variant, step]
        position = np.asarray(run.position(tip(variant)))
        at_pi = [np.interp(np.pi, run.time, position[:, k]) for k in range(3)]
        table.add_row(variant, *(f"{round(v, 4) + 0.0:.4f}" for v in at_pi), f"{np.abs(position[:, 2]).max():.4f}")
    table.add_section()
    table.add_row("FF, independent solver", *(f"{v:.4f}" for v in CONVERGED_TIP), "")
    return table


def _write_table(costs: Costs, path: Path) -> Path:
    from cosserat.demo import PUBLISHED_SECONDS
    from cosserat.io import output

    rows = ["model,step_s,cpu_s,published_s"]
    rows += [f"{v},{h:g},{cost:.6f},{PUBLISHED_SECONDS[h][v]}" for (v, h), cost in costs.items()]
    output.write(path, "\n".join(rows) + "\n")
    return path


def _plot_tip(runs: dict[tuple[str, float], Run], path: Path) -> Path:
    """The three components of the tip over time, like [Grazioso17] Figure 3."""
    from matplotlib.figure import Figure

    from cosserat.demo import tip
    from cosserat.view.plot import save

    styles = {"RR": ("#000000", "-"), "RF": ("#d55e00", "--"), "FR": ("#0072b2", "-"), "FF": ("#009e73", "-.")}
    figure = Figure(figsize=(11, 3.4), dpi=110, layout="constrained")
    axes = figure.subplots(1, 3)
    for variant in PLOTTED:
        run = runs[variant, PLOTTED_STEP]
        position = run.position(tip(variant))
        for ax, component in zip(axes, "xyz", strict=True):
            color, line = styles[variant]
            ax.plot(run.time, position.sel(axis=component), line, color=color, linewidth=1.3, label=variant)
    for ax, component in zip(axes, "xyz", strict=True):
        ax.set_xlabel("t (s)")
        ax.set_title(f"{component} of the tip (m)", fontsize=10)
        ax.set_xlim(0.0, run.time[-1])
        ax.grid(alpha=0.3)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", frameon=False, ncols=4)
    save(figure, path)
    return path
