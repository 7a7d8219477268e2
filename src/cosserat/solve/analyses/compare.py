"""`compare`: both formulations of one model, side by side."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.calls import answered
from cosserat.compile.tree import compile_tree
from cosserat.errors import CosseratError, CosseratWarning, SolveError
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.model.places import Place
from cosserat.results.comparison import ENERGIES, Comparison, Finding, JointDifference, PlaceDifference, common_times
from cosserat.results.deflection import Deflections
from cosserat.results.modes import Modes
from cosserat.results.run import Run
from cosserat.results.status import Outcome
from cosserat.solve.analyses import modal_range
from cosserat.solve.analyses.modes import modes as modes_about
from cosserat.solve.analyses.simulate import simulate
from cosserat.solve.arguments import check_flag, check_model
from cosserat.solve.formulation import Floating
from cosserat.solve.linear.altered import unloaded
from cosserat.solve.motion.driver import Progress
from cosserat.solve.relative.flexible_tree import FlexibleTree

if TYPE_CHECKING:
    from xarray import Dataset

_ENDED = {Outcome.INTERRUPTED, Outcome.CALL_FAILED}  # by the user

_FREQUENCIES = 10  # compared at most
_GOOD_PART = 0.25  # of the strain energy of a mode, from which it is one of a beam
_FREE = 1e-6  # Hz: what is slower in both counts as a free motion that rounding has moved
_INSIDE = (0.25, 0.5, 0.75)  # where beams are compared besides their ends


@answered()
def compare(
    model: Model,
    duration: float,
    step: float | None = None,
    *,
    modes: Any = None,
    boundary: Any = None,
    stiffening: bool = True,
    places: Any = None,
    checks: bool = True,
    rho: float = 0.9,
    start: Any = "reference",
    start_time: float = 0.0,
    every: int = 1,
    newton_tolerance: float | None = None,
    controller: Any = None,
    progress: Progress | None = None,
) -> Comparison:
    """Simulate a model in both formulations and say how far they differ, and whether the modal form is in its range.

    Parameters
    ----------
    model : Model
        Without modal bodies: the Galilean formulation has no finite elements for them.
    duration, step : float
        Simulated time and length of the steps (s), the same for both.
    modes, boundary, stiffening
        Of the floating formulation: as for `FlexibleTree`.
    places : list of places, optional
        Whose positions are compared; default: ends, middle and quarters of all beams, all rigid bodies, and where loads
        and springs act.
    checks : bool
        Run twice more: the Galilean formulation with half the step, which tells what the step leaves wrong, and the
        floating one with twice the modes, which tells what was truncated.
    rho, start, start_time, every, newton_tolerance, controller, progress
        As for `simulate`; `progress` is called for every run.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("cantilever", gravity=(0, 0, -9.81))
    >>> section, steel = cs.Rod(0.02), cs.materials.STEEL
    >>> arm = model.add(cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=section, material=steel, elements=8))
    >>> clamp = model.add(cs.Fixed("clamp", cs.GROUND, arm.start))
    >>> both = cs.compare(model, 0.1, step=1e-3, modes=6)
    >>> both.within_range, bool(both.share < 1e-3)
    (True, True)
    """
    check_model(model, "compare")
    if step is None:
        raise SolveError("compare: both runs take steps of one length, to be stored at the same times; pass step=")
    check_flag(checks, "compare", "checks")
    if model.modal_bodies:
        raise SolveError(
            f"compare: {model.modal_bodies[0].title}: the Galilean formulation has no finite elements for it; describe "
            "it as a beam, which gets modes in floating frames"
        )
    chosen = _chosen(model, places)
    data = compile_tree(model, modes, boundary, stiffening, call="compare", cut=True)
    tree = FlexibleTree.of_data(model, data)
    both: dict[str, Any] = {
        "rho": rho, "start": start, "start_time": start_time, "newton_tolerance": newton_tolerance,
        "controller": controller, "progress": progress,
    }  # fmt: skip
    modal = {"formulation": "floating", "boundary": boundary, "stiffening": stiffening}
    floating = simulate(model, duration, step, every=every, modes=modes, **modal, **both)
    if floating.status.outcome in _ENDED:  # what is finished is compared
        duration = max(step, float(floating.time[-1] - floating.time[0]))
    galilean = simulate(model, duration, step, every=every, **both)
    checks = checks and not {floating.status.outcome, galilean.status.outcome} & _ENDED
    notes: list[str] = []
    finer = richer = None
    if checks:
        finer = _quietly(notes, "the error of the step", simulate, model, duration, step / 2, every=2 * every, **both)
        if tree.modal_bodies:
            richer = _quietly(
                notes, "the effect of more modes", simulate, model, duration, step, every=every,
                modes=_doubled(modes), **modal, **both,
            )  # fmt: skip
    n = common_times(galilean, floating)
    deflections = Deflections(galilean)
    apart = {
        name: _of_place(place, galilean, floating, finer, richer, deflections, n) for name, place in chosen.items()
    }
    joints = {joint.name: _of_joint(joint.name, galilean, floating, finer, n) for joint in model.joints}
    frames = Floating(modes, boundary, stiffening)
    known = _quietly(notes, "frequencies", _frequencies, tree, model, start_time, frames)
    table, found = (None, None) if known is None else known
    energy, scale = _energies(galilean, floating, n)
    bending, shares = deflections.bending(), _modal_energy(tree, floating)
    findings: list[Finding] = []
    if not floating.status.ok:
        text = f"the floating run {floating.status.message}"
        findings.append(Finding("stopped", text, float(floating.time[-1]), float(galilean.time[-1])))
    if bending:
        rates = deflections.rates()
        bodies = {
            name: modal_range.ElasticBody(bent, rates[name], _first(found, tree, name))
            for name, bent in bending.items()
        }
        largest = max((place.deflection for place in apart.values()), default=0.0)
        findings += modal_range.of_bodies(bodies, stiffening)
        if richer is not None:
            findings += modal_range.of_modes(apart, largest)
        elif largest > 0.0:
            worst = max(place.difference for place in apart.values())
            findings += modal_range.of_energy(shares, worst / largest)
        findings += [] if findings else modal_range.unexplained(apart, largest)
        findings += [] if findings else modal_range.of_reactions(joints)
        findings += [] if findings else modal_range.of_strain_energy(energy, scale, _strain_error(galilean, finer))
    return Comparison(
        galilean=galilean,
        floating=floating,
        places=apart,
        joints=joints,
        energy=energy,
        energy_scale=scale,
        frequencies=table,
        bending=bending,
        modal_energy=shares,
        findings=tuple(findings),
        notes=tuple(notes),
        finer=finer,
        richer=richer,
        unknowns={"galilean": 6 * galilean.stats["nodes"], "floating": len(tree.coordinates)},
    )


def _chosen(model: Model, places: Any) -> dict[str, Place]:
    """Places by label: those asked for, or all that have a name."""
    if places is None:
        places = [place for beam in model.beams for place in (beam.start, *map(beam.at, _INSIDE), beam.end)]
        places += [body.name for body in model.bodies]
        acting = [load.place for load in model.loads] + [place for s in model.springs for place in s.places]
        places += [place for place in acting if not model.place(place).on_ground]
    elif isinstance(places, (str, Place)) or not isinstance(places, Iterable):
        places = [places]
    found = [model.place(place, "compare: places") for place in places]
    return {place.label: place for place in found}


def _doubled(modes: Any) -> Any:
    if isinstance(modes, dict):
        return {name: _doubled(count) for name, count in modes.items()}
    return max(2 * modes, modes + 2)


def _quietly(notes: list[str], what: str, call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """What a call gives, or None and a note why not; the warnings of the first run are not repeated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CosseratWarning)
        try:
            return call(*arguments, **options)
        except CosseratError as error:
            notes.append(f"{what} could not be found: {error}")
            return None


def _of_place(
    place: Place, galilean: Run, floating: Run, finer: Run | None, richer: Run | None, deflections: Deflections, n: int
) -> PlaceDifference:
    one, two = galilean.position(place).values, floating.position(place).values
    apart = np.linalg.norm(two[:n] - one[:n], axis=1)
    return PlaceDifference(
        difference=float(apart.max()),
        deflection=deflections.largest(place),
        time=float(galilean.time[int(np.argmax(apart))]),
        # the error of a second-order method is 4/3 of what halving its step changes
        step_error=None if finer is None else 4.0 / 3.0 * _largest(galilean, finer, place),
        mode_error=None if richer is None else _largest(floating, richer, place),
        left=None if richer is None else _largest(galilean, richer, place),
    )


def _largest(one: Run, two: Run, place: Place) -> float:
    n = common_times(one, two)
    return float(np.linalg.norm((one.position(place)[:n].values - two.position(place)[:n].values), axis=1).max())


def _of_joint(name: str, galilean: Run, floating: Run, finer: Run | None, n: int) -> JointDifference:
    parts = _reaction_parts(name, galilean, floating)
    steps = [(0.0, np.nan)] * 2 if finer is None else _reaction_parts(name, galilean, finer)
    angle = 0.0
    if galilean.motion.mechanism.joints[name].names:
        angle = float(np.abs((galilean.coordinate(name)[:n] - floating.coordinate(name)[:n]).values).max())
    return JointDifference(
        angle, parts[0][0], parts[1][0], parts[0][1], parts[1][1], 4.0 / 3.0 * steps[0][1], 4.0 / 3.0 * steps[1][1]
    )


def _reaction_parts(name: str, one: Run, two: Run) -> list[tuple[float, float]]:
    """Of force and moment of a reaction the largest difference, and the mean one relative to the first run's."""
    n = common_times(one, two)
    a, b = (run.reaction(name)[:n].values for run in (one, two))
    parts = []
    for which in (slice(0, 3), slice(3, 6)):
        size = float(np.sqrt(np.mean(a[:, which] ** 2)))
        change = b[:, which] - a[:, which]
        share = float(np.sqrt(np.mean(change**2))) / size if size > 0.0 else np.nan
        parts.append((float(np.linalg.norm(change, axis=1).max()), share))
    return parts


def _strain_error(galilean: Run, finer: Run | None) -> float | None:
    """What the length of the step leaves wrong in the strain energy (J), if known."""
    if finer is None:
        return None
    n = common_times(galilean, finer)
    return 4.0 / 3.0 * float(np.abs(galilean.energy["strain"].values[:n] - finer.energy["strain"].values[:n]).max())


def _energies(galilean: Run, floating: Run, n: int) -> tuple[dict[str, float], float]:
    one, two = (run.energy.isel(time=slice(n)) for run in (galilean, floating))
    apart = {key: float(np.abs(one[key].values - two[key].values).max()) for key in ENERGIES}
    return apart, max(float(np.ptp(one[key].values)) for key in ("kinetic", "strain", "potential", "work"))


def _modal_energy(tree: FlexibleTree, floating: Run) -> dict[str, Array]:
    """Share (m,) of every mode in the strain energy of each elastic body, over the whole run."""
    record, out = floating.floating, {}
    assert record is not None
    for name, body in tree.modal_bodies.items():
        q = body.strains(record.q[:, record.modal(name)[0]])
        energy = np.sum(q * (q @ body.stiffness), axis=0)
        out[name] = energy / total if (total := float(energy.sum())) > 0.0 else energy
    return out


def _frequencies(tree: FlexibleTree, model: Model, time: float, floating: Floating) -> tuple[Dataset, Modes]:
    """Lowest frequencies of both formulations about the reference configuration, without what acts; and the modes of
    finite elements.
    """
    from xarray import Dataset

    bare, driven = unloaded(model), [m for joint in model.joints for m in joint.motion if m is not None]
    if tree.data.loops and any(np.any(motion.sample(np.array([time]))) for motion in driven):
        raise SolveError("compare: a motion starts away from zero, which is not offered where loops are closed")
    found, modal = (
        modes_about(bare, _FREQUENCIES, about="reference", time=time, damped=False, formulation=formulation)
        for formulation in ("galilean", floating)
    )
    one, two = (some.frequencies[found.rigid :] for some in (found, modal))
    k = min(len(one), len(two))
    vibrates = np.maximum(one[:k], two[:k]) > _FREE
    one, two, hertz = one[:k][vibrates], two[:k][vibrates], {"units": "Hz"}
    if not len(one):
        raise SolveError("compare: nothing can vibrate, all motions are prescribed")
    table = Dataset(
        {
            "galilean": ("mode", one, hertz),
            "floating": ("mode", two, hertz),
            "error": ("mode", two / one - 1.0, {"long_name": "relative difference"}),
        },
        coords={"mode": np.arange(1, len(one) + 1)},
    )
    return table, found


def _first(found: Modes | None, tree: FlexibleTree, name: str) -> float:
    """First frequency (Hz) at which a beam bends: of the mechanism, or of the beam by itself."""
    if found is not None:
        shares = found.components["strain"].sel(component=name).values
        bends = found.frequencies[(shares > _GOOD_PART) & (found.frequencies > _FREE)]
        if len(bends):
            return float(bends[0])
    return float(tree.modal_bodies[name].frequencies[0])
