"""`Comparison`: one model, two formulations, side by side, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.calls import answering
from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.results.deflection import Bending
from cosserat.results.labels import aligned, titled
from cosserat.results.quantities import BEAM, JOINT, LINE, PLACE, questions
from cosserat.results.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from xarray import DataArray, Dataset


ENERGIES = ("kinetic", "strain", "potential", "total", "dissipated", "work")


@dataclass(frozen=True)
class Finding:
    """A limit of the modal form that was passed.

    Attributes
    ----------
    kind : str
        "deflection", "rotation rate", "truncated modes", "mass matrix", "stopped" or "unexplained".
    text : str
        What happened and what to do about it.
    value, limit : float
        What was found, and what the modal form bears.
    """

    kind: str
    text: str
    value: float
    limit: float

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class PlaceDifference:
    """How far apart the two formulations have a place.

    Attributes
    ----------
    difference : float
        Largest distance (m) between its two positions.
    deflection : float
        Largest distance (m) by which elasticity moves it, from where the joints alone would put it.
    time : float
        When the difference is largest (s).
    step_error : float or None
        Largest error (m) that the length of the step leaves in the Galilean run, estimated with half the step.
    mode_error : float or None
        How far (m) it moves when the number of modes is doubled.
    left : float or None
        Largest difference (m) of its positions with twice the modes.
    """

    difference: float
    deflection: float
    time: float
    step_error: float | None
    mode_error: float | None
    left: float | None = None

    @property
    def share(self) -> float:
        """Difference relative to the deflection; not a number where there is none."""
        return self.difference / self.deflection if self.deflection > 0.0 else np.nan


@dataclass(frozen=True)
class JointDifference:
    """Largest differences of a joint: coordinates (rad, m), force (N) and moment (N m) of its reaction.

    `force_share` and `moment_share` are root mean squares over time, relative to those of the Galilean reaction;
    `force_step` and `moment_step` the same of what the length of the step leaves wrong, not a number where unknown.
    """

    coordinate: float
    force: float
    moment: float
    force_share: float
    moment_share: float
    force_step: float = np.nan
    moment_step: float = np.nan


@answering
@dataclass(frozen=True, eq=False)
class Comparison:
    """A model in both formulations: the runs, their differences, and whether the modal form is within its range.

    Attributes
    ----------
    galilean, floating : Run
        The two runs.
    places : dict of PlaceDifference
    joints : dict of JointDifference
    energy : dict of float
        Largest difference (J) of each energy; `energy_scale` is the largest exchange of energy in the Galilean run.
    frequencies : Dataset or None
        Frequencies (Hz) of both, of the unloaded mechanism in its reference configuration.
    bending : dict of Bending
        Largest deflection (m) and rotation (rad) of each beam, as seen from the section that carries it.
    modal_energy : dict of (m,) arrays
        Share of every mode in the strain energy of each beam, in the floating run.
    findings : tuple of Finding
        Limits of the modal form that were passed.
    notes : tuple of str
        What could not be compared, and why.
    finer, richer : Run or None
        The Galilean run with half the step, the floating one with twice the modes.
    unknowns : dict of int
        Number of coordinates of each formulation.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("arm", gravity=(0, 0, -9.81))
    >>> section, steel = cs.Rod(0.02), cs.materials.STEEL
    >>> arm = model.add(cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=section, material=steel, elements=2))
    >>> clamp = model.add(cs.Fixed("clamp", cs.GROUND, arm.start))
    >>> found = cs.compare(model, duration=0.01, step=0.005, modes=2)
    >>> type(found).__name__
    'Comparison'
    """

    galilean: Run
    floating: Run
    places: dict[str, PlaceDifference]
    joints: dict[str, JointDifference]
    energy: dict[str, float]
    energy_scale: float
    frequencies: Dataset | None
    bending: dict[str, Bending]
    modal_energy: dict[str, Array]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    finer: Run | None
    richer: Run | None
    unknowns: dict[str, int]

    @property
    def within_range(self) -> bool:
        """Whether no limit of the modal form was passed."""
        return not self.findings

    @property
    def deflection(self) -> float:
        """Largest deflection (m) of the places."""
        return max((place.deflection for place in self.places.values()), default=0.0)

    @property
    def difference(self) -> float:
        """Largest difference (m) of the places."""
        return max((place.difference for place in self.places.values()), default=0.0)

    @property
    def share(self) -> float:
        """Largest difference relative to the largest deflection; not a number where nothing deflects."""
        return self.difference / self.deflection if self.deflection > 0.0 else np.nan

    @property
    def cost(self) -> dict[str, float]:
        """CPU time (s) of each formulation, set-up and solution."""
        return {
            name: run.stats["setup_seconds"] + run.stats["solve_seconds"]
            for name, run in (("galilean", self.galilean), ("floating", self.floating))
        }

    @property
    def time(self) -> Array:
        """Times (nt,) that both runs have stored."""
        return self.galilean.time[: common_times(self.galilean, self.floating)]

    def between(self, quantity: str, target: Any) -> DataArray:
        """A quantity of the floating run minus that of the Galilean one, over time.

        Parameters
        ----------
        quantity : str
            As a `Run` has it: "position", "velocity", ... of a place, "coordinate", "effort", "reaction" of a joint.
        target : place or joint
        """
        demand_quantity(quantity, "between")
        n = len(self.time)
        one, two = (asked(run, quantity, target)[:n] for run in (self.galilean, self.floating))
        out = one.copy(data=two.values - one.values)
        out.attrs["long_name"] = f"difference of the {out.attrs['long_name']}"
        return out

    @property
    def verdict(self) -> str:
        """In one sentence: do they agree, and is the modal form within its range?"""
        apart = f"positions differ by {self.difference:.2g} m"
        if not self.galilean.status.ok:
            return f"the Galilean run {self.galilean.status.message}; up to there {apart}"
        if not self.bending:
            return f"rigid: both formulations solve the same equations, {apart}, {_integrator(self)}"
        if self.deflection > 0.0:
            apart += f", {100 * self.share:.2g} % of the largest deflection"
        else:
            apart += ", and nothing deflects"
        if self.within_range:
            return f"the modal form is within its range: {apart}"
        kinds = dict.fromkeys(finding.kind for finding in self.findings)
        return f"the modal form is out of its range ({', '.join(kinds)}): {apart}"

    def summary(self) -> str:
        """Differences, frequencies, cost and range as text."""
        name = self.galilean.motion.mechanism.name
        title = f"Comparison of {name!r} in floating frames with the Galilean formulation"
        parts = [*_places(self), "", *_joints(self), *_energy(self)]
        parts += [*_frequencies(self), *_cost(self), "", _capital(self.verdict) + "."]
        parts += [f"- {finding.text}." for finding in self.findings]
        parts += [f"({_capital(note)}.)" for note in self.notes]
        return titled(title, parts)

    def plot(
        self, *targets: Any, quantity: str = "position", ax: Any = None, path: str | Path | None = None
    ) -> Figure:  # fmt: skip
        """Draw a quantity of both runs over time, and their difference below; `path` saves the figure.

        Targets are places or joints, as for `Run.plot`; without: the place with the largest difference. With `ax`, only
        the difference is drawn, into it.
        """
        from cosserat.view.plot import plot_comparison

        return plot_comparison(self, targets, quantity, ax, path)

    def __repr__(self) -> str:
        name = self.galilean.motion.mechanism.name
        return f"<Comparison of {name!r}: {self.verdict}>"


def common_times(one: Run, two: Run) -> int:
    """How many stored times two runs share, from the start."""
    n = min(len(one.time), len(two.time))
    apart = np.abs(one.time[:n] - two.time[:n]) > 1e-9 * max(abs(one.time[n - 1]), abs(two.time[n - 1]))
    return int(np.argmax(apart)) if apart.any() else n


def asked(run: Run, quantity: str, target: Any) -> DataArray:
    """A quantity of a run, as it calls it."""
    return getattr(run, quantity)(target) if hasattr(run, quantity) else run.quantity(quantity, target)


def demand_quantity(quantity: str, call: str) -> None:
    """Raise if a run has no such quantity."""
    known = [word for of in (PLACE, JOINT, BEAM, LINE) for word in questions(of)]
    if quantity not in known:
        raise SolveError(f"{call}: unknown quantity {quantity!r}; known: {', '.join(known)}")


def _integrator(comparison: Comparison) -> str:
    if comparison.finer is None:
        return "by what the length of the step leaves wrong in each"
    error = max((place.step_error or 0.0 for place in comparison.places.values()), default=0.0)
    if comparison.difference <= 5.0 * error + 1e-12:
        return f"the accuracy of the integrators (error of the step {error:.2g} m)"
    return f"more than the error of the step ({error:.2g} m): this should not be"


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
        for (key, seconds), run in zip(comparison.cost.items(), (comparison.galilean, comparison.floating), strict=True)
    ]
    return aligned([["cost", "unknowns", "CPU time (s)", "steps", "solves"], *rows], left=(0,))


def _share(value: float) -> str:
    return "" if not np.isfinite(value) else f"{100 * value:.2g} %"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2g}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
