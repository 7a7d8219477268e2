"""A readable summary of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cosserat.results.rolling import slips
from cosserat.results.tables import aligned, titled

if TYPE_CHECKING:
    from cosserat.results.run import Run

_COUNTS = {
    "steps": "steps",
    "solves": "residuals and back-substitutions",
    "factorizations": "factorizations",
    "careful_steps": "steps that needed care",
    "searched_steps": "steps solved by a line search",
    "stalled_steps": "steps accepted though stalled",
    "steps_split": "steps split",
    "steps_rejected": "steps rejected",
    "nodes": "nodes",
    "joints": "joints",
}
_TIMES = {"setup_seconds": "set-up, CPU time", "solve_seconds": "solution, CPU time", "wall_seconds": "wall time"}


def report(run: Run) -> str:
    """The table as text."""
    energy = run.monitors.energies()
    scale = max(float(np.ptp(energy[k])) for k in ("kinetic", "strain", "potential", "dissipated", "work"))
    worst = float(np.max(np.abs(energy["balance"])))
    rows = [("status", run.status.message), ("stored times", f"{len(run.time)}, to t = {run.time[-1]:g} s")]
    asked = {k: v for k, v in run.settings.items() if v is not None}
    if asked:
        rows.append(("settings", ", ".join(f"{k} = {_short(v)}" for k, v in asked.items())))
    rows += [(text, str(run.stats[key])) for key, text in _COUNTS.items() if key in run.stats]
    rows += [(text, f"{run.stats[key]:.3g} s") for key, text in _TIMES.items() if key in run.stats]
    share = f" ({worst / scale:.2g} of the largest exchange)" if scale > 0.0 else ""
    rows += [
        ("largest energy imbalance", f"{worst:.3g} J{share}"),
        ("work, dissipated", f"{energy['work'][-1]:.4g} J, {energy['dissipated'][-1]:.4g} J"),
        ("largest constraint violation", f"{float(run.monitors.violation().max()):.2g}"),
    ]
    if run.motion.mechanism.rolling:
        slip = max(float(slips(run.motion, k).max()) for k in run.motion.mechanism.rolling.values())
        rows.append(("largest slip", f"{slip:.2g} m/s"))
    rows.append(("momentum transport residual", f"{float(run.monitors.transport().max()):.2g}"))
    return titled(f"Run of {run.motion.mechanism.name!r}", aligned(rows, left=(0, 1)))


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
