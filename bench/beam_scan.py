"""Errors of a dozen beams over the number of elements: tip under a force, moment of the weight, four frequencies.

    python bench/beam_scan.py                    the table, with observed orders
    python bench/beam_scan.py --plot             also docs/images/beam_scan.png
    python bench/beam_scan.py ring helix         some of the beams

The reference of each beam is itself with 256 elements (of the string, whose clamp has a boundary layer, with 1024).
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import cosserat as cs

PLOT = Path(__file__).parents[1] / "docs" / "images" / "beam_scan.png"
SIZES = (1, 2, 4, 8, 16, 32, 64)
QUANTITIES = ("tip", "moment", "frequencies")
ROUNDING = 2e-9  # errors below this are rounding errors of the balance and of eigenvalues


class Kind(NamedTuple):
    """A beam of the scan: how to make it with n elements, its tip force, and the elements of its reference."""

    beam: Callable[[int], cs.Beam]
    force: tuple[float, float, float]
    reference: int = 256


def diagonal(EA: float, GA: float, GJ: float, EIy: float, EIz: float, mass: float = 1.0, r: float = 1e-4) -> cs.Section:
    """A section with these stiffnesses; r is the square of its radius of inertia."""
    return cs.Section(stiffness=[EA, GA, GA, GJ, EIy, EIz], mass=[mass] * 3 + [2 * r * mass, r * mass, r * mass])


def coupled(i: int, j: int, share: float) -> cs.Section:
    """A section whose strains i and j are coupled: share of the geometric mean of their stiffnesses."""
    k = np.array([1e5, 4e4, 4e4, 8.0, 10.0, 20.0])
    K = np.diag(k)
    K[i, j] = K[j, i] = share * np.sqrt(k[i] * k[j])
    return cs.Section(stiffness=K, mass=np.diag([1, 1, 1, 2e-4, 1e-4, 1e-4]).astype(float))


def channel() -> cs.Section:
    """A channel described at its centroid: transverse forces act at the shear centre, 0.05 beside it."""
    K = np.diag([1e5, 4e4, 4e4, 2.0, 10.0, 20.0])
    e = 0.05
    K[3, 3] += e * e * K[2, 2]
    K[2, 3] = K[3, 2] = e * K[2, 2]
    return cs.Section(stiffness=K, mass=np.diag([1, 1, 1, 2e-3, 1e-3, 1e-3]).astype(float))


def pretwisted(s: float) -> cs.Section:
    """A blade section, 1 : 8 in stiffness, that turns by a quarter of a turn along the beam."""
    c, d = np.cos(0.5 * np.pi * s), np.sin(0.5 * np.pi * s)
    R = np.kron(np.eye(2), [[1, 0, 0], [0, c, -d], [0, d, c]])
    K, M = np.diag([1e5, 4e4, 4e4, 8.0, 5.0, 40.0]), np.diag([1, 1, 1, 4e-4, 1e-4, 3e-4])
    return cs.Section(stiffness=R @ K @ R.T, mass=R @ M @ R.T)


def straight(section: Any) -> Callable[[int], cs.Beam]:
    """A beam of unit length along x."""
    return lambda n: cs.Beam("b", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=n)


def curved(curve: tuple[str, str, str], section: Any) -> Callable[[int], cs.Beam]:
    """A beam along a curve."""
    return lambda n: cs.Beam("b", curve=curve, section=section, elements=n)


ROUND = diagonal(1e5, 4e4, 8.0, 10.0, 10.0)
ARC = ("sin(pi/2*s)", "1 - cos(pi/2*s)", "0*s")
RING = ("0.3*sin(1.9*pi*s)", "0.3*(1 - cos(1.9*pi*s))", "0*s")
HELIX = ("0.2*sin(2*pi*s)", "0.2*(1 - cos(2*pi*s))", "0.5*s")
KINDS = {
    "straight": Kind(straight(ROUND), (0, 3, 8)),
    "arc": Kind(curved(ARC, ROUND), (0, 3, 8)),
    "open ring": Kind(curved(RING, ROUND), (0, 3, 8)),
    "helix": Kind(curved(HELIX, ROUND), (0, 3, 8)),
    "taper": Kind(straight((ROUND, diagonal(3e4, 1e4, 0.8, 1.0, 1.0, 0.3))), (0, 0.3, 0.8)),
    "pretwist": Kind(straight(pretwisted), (0, 3, 8)),
    "strip 1:50": Kind(straight(diagonal(1e5, 4e4, 0.03, 20.0, 0.008, 1.0, 2e-4)), (0, 0.002, 0.03)),
    "channel": Kind(straight(channel()), (0, 1, 3)),
    "composite": Kind(straight(coupled(3, 4, 0.5)), (0, 3, 8)),
    "extension-twist": Kind(straight(coupled(0, 3, 0.3)), (50, 3, 8)),
    "thick": Kind(straight(diagonal(120.0, 40.0, 8.0, 10.0, 10.0, 1.0, 0.08)), (0, 1, 3)),
    "string-like": Kind(straight(diagonal(1e5, 4e4, 0.05, 0.05, 0.05, 1.0, 1e-6)), (100, 0, 4), 1024),
}  # fmt: skip


def values(kind: Kind, n: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Tip (3,) under the force, moment (3,) of the weight on the clamp, four frequencies (of the loaded beam)."""

    def made(force: Any, gravity: float) -> cs.Model:
        model = cs.Model("scan", gravity=(0, 0, -gravity))
        beam = model.add(kind.beam(n))
        model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
        if any(force):
            model.add(cs.Force("load", beam.end, force))
        return model

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # coarse meshes are what is looked at
        loaded = cs.equilibrium(made(kind.force, 0.0))
        heavy = cs.equilibrium(made((0, 0, 0), 2.0))
        modes = cs.modes(loaded.trajectory.compiled.model, 4, about=loaded)
    if not (loaded.status.ok and heavy.status.ok):
        return tuple(np.full(k, np.nan) for k in (3, 3, 4))  # type: ignore[return-value]
    frequencies = np.full(4, np.nan)
    frequencies[: len(modes.frequencies)] = modes.frequencies[:4]
    return loaded.position("b.end"), heavy.reaction("clamp")[3:], frequencies


def errors(kind: Kind) -> dict[str, list[float]]:
    """Largest relative errors of each quantity over the sizes."""
    tip, moment, frequencies = values(kind, kind.reference)
    out: dict[str, list[float]] = {name: [] for name in QUANTITIES}
    for n in SIZES:
        found = values(kind, n)
        size = max(1.0, float(np.linalg.norm(tip)))
        out["tip"].append(float(np.linalg.norm(found[0] - tip)) / size)
        out["moment"].append(float(np.linalg.norm(found[1] - moment) / np.linalg.norm(moment)))
        known = np.isfinite(found[2])
        out["frequencies"].append(float(np.max(np.abs(found[2] / frequencies - 1.0)[known], initial=0.0)))
    return out


def order(row: list[float]) -> float:
    """Order between the two finest meshes whose errors are clear of rounding."""
    clear = [k for k in range(1, len(row)) if row[k] > ROUNDING]
    return float(np.log2(row[clear[-1] - 1] / row[clear[-1]])) if clear else np.inf


def rises(row: list[float]) -> list[int]:
    """Sizes at which an error clear of rounding is larger than with half the elements."""
    return [SIZES[k] for k in range(1, len(row)) if row[k] > max(row[k - 1], ROUNDING)]


def plot(found: dict[str, dict[str, list[float]]]) -> None:
    """Write the picture of the page on the beam element."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(12, 4.2), sharey=True)
    titles = ("tip under a force", "clamp moment of the weight", "worst of four frequencies")
    styles = [("-", "o"), ("--", "s")]
    for ax, quantity, title in zip(axes, QUANTITIES, titles, strict=True):
        for k, (name, rows) in enumerate(found.items()):
            line, mark = styles[k // 6 % 2]
            shown = np.maximum(rows[quantity], 1e-12)
            ax.loglog(SIZES, shown, line, marker=mark, markersize=3, color=f"C{k % 6}", linewidth=1.2, label=name)
        ax.loglog(SIZES, 3.0 * np.array(SIZES, float) ** -4, ":", color="0.4", label="order 4")
        ax.set_xticks(SIZES, [str(n) for n in SIZES])
        ax.minorticks_off()
        ax.set_xlabel("elements")
        ax.set_title(title)
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("relative error")
    axes[0].set_ylim(1e-12, 10)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="center right", fontsize=8)
    figure.tight_layout(rect=(0, 0, 0.88, 1))
    figure.savefig(PLOT, dpi=110)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(KINDS)}")
    parser.add_argument("--plot", action="store_true")
    chosen = parser.parse_args()
    found = {}
    print(f"{'beam':16s}{'error of':13s}" + "".join(f"{n:>9d}" for n in SIZES) + "  order  rises at")
    for name in chosen.names or KINDS:
        found[name] = errors(KINDS[name])
        for quantity, row in found[name].items():
            at = ", ".join(map(str, rises(row)))
            listed = "".join(f"{e:9.1e}" for e in row)
            print(f"{name:16s}{quantity:13s}{listed}{order(row):7.2f}  {at}", flush=True)
    if chosen.plot:
        plot(found)


if __name__ == "__main__":
    main()
