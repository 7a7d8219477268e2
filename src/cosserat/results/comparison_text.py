"""A comparison of formulations in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cosserat.results.tables import aligned, titled

if TYPE_CHECKING:
    from cosserat.results.comparison import Comparison


def verdict(comparison: Comparison) -> str:
    """One sentence."""
    apart = f"positions differ by {comparison.difference:.2g} m"
    if not comparison.galilean.status.ok:
        return f"the Galilean run {comparison.galilean.status.message}; up to there {apart}"
    if not comparison.bending:
        return f"rigid: both formulations solve the same equations, {apart}, {_integrator(comparison)}"
    if comparison.deflection > 0.0:
        apart += f", {100 * comparison.share:.2g} % of the largest deflection"
    else:
        apart += ", and nothing deflects"
    if comparison.within_range:
        return f"the modal form is within its range: {apart}"
    kinds = dict.fromkeys(finding.kind for finding in comparison.findings)
    return f"the modal form is out of its range ({', '.join(kinds)}): {apart}"


def _integrator(comparison: Comparison) -> str:
    if comparison.finer is None:
        return "by what the length of the step leaves wrong in each"
    error = max((place.step_error or 0.0 for place in comparison.places.values()), default=0.0)
    if comparison.difference <= 5.0 * error + 1e-12:
        return f"the accuracy of the integrators (error of the step {error:.2g} m)"
    return f"more than the error of the step ({error:.2g} m): this should not be"


def summary(comparison: Comparison) -> str:
    """Tables of differences, then range and cost."""
    name = comparison.galilean.motion.mechanism.name
    title = f"Comparison of {name!r} in floating frames with the Galilean formulation"
    parts = [*_places(comparison), "", *_joints(comparison), *_energy(comparison)]
    parts += [*_frequencies(comparison), *_cost(comparison), "", _capital(comparison.verdict) + "."]
    parts += [f"- {finding.text}." for finding in comparison.findings]
    parts += [f"({_capital(note)}.)" for note in comparison.notes]
    return titled(title, parts)


def _places(comparison: Comparison) -> list[str]:
    found = list(comparison.places.items())
    heads = ["place", "difference (m)", "deflection (m)", "share"]
    rows = [[name, f"{p.difference:.3g}", f"{p.deflection:.3g}", _share(p.share)] for name, p in found]
    for head, run, errors in (
        ("error of step (m)", comparison.finer, [p.step_error for _, p in found]),
        ("of modes (m)", comparison.richer, [p.mode_error for _, p in found]),
    ):
        if run is not None:
            heads.append(head)
            rows = [[*row, _number(error)] for row, error in zip(rows, errors, strict=True)]
    return aligned([heads, *rows], left=(0,))


def _joints(comparison: Comparison) -> list[str]:
    if not comparison.joints:
        return []
    heads = ["joint", "coordinate (rad, m)", "force (N)", "share", "moment (N m)", "share"]
    rows = [
        [
            name, f"{j.coordinate:.3g}", f"{j.force:.3g}", _share(j.force_share), f"{j.moment:.3g}",
            _share(j.moment_share),
        ]
        for name, j in comparison.joints.items()
    ]  # fmt: skip
    return [*aligned([heads, *rows], left=(0,)), ""]


def _energy(comparison: Comparison) -> list[str]:
    scale = comparison.energy_scale
    shown = {key: value for key, value in comparison.energy.items() if value > 0.0}
    rows = [[key, f"{value:.3g}", _share(value / scale if scale > 0.0 else np.nan)] for key, value in shown.items()]
    return [*aligned([["energy", "difference (J)", "share of the largest exchange"], *rows], left=(0,)), ""]


def _frequencies(comparison: Comparison) -> list[str]:
    found = comparison.frequencies
    if found is None or not found.sizes["mode"]:
        return []
    rows = [
        [str(k), f"{one:.6g}", f"{two:.6g}", _share(float(error))]
        for k, one, two, error in zip(
            found["mode"].values, found["galilean"].values, found["floating"].values, found["error"].values, strict=True
        )
    ]
    return [*aligned([["mode", "elements (Hz)", "modal (Hz)", "difference"], *rows], left=(0,)), ""]


def _cost(comparison: Comparison) -> list[str]:
    rows = [
        [key, str(comparison.unknowns[key]), f"{seconds:.3g}", str(run.stats["steps"]), str(run.stats["solves"])]
        for (key, seconds), run in zip(
            comparison.cost.items(), (comparison.galilean, comparison.floating), strict=True
        )
    ]  # fmt: skip
    return aligned([["cost", "unknowns", "CPU time (s)", "steps", "solves"], *rows], left=(0,))


def _share(value: float) -> str:
    return "" if not np.isfinite(value) else f"{100 * value:.2g} %"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2g}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
