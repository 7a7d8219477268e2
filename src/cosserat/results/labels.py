"""Names of components and quantities, as results label them, and tables as text."""

from __future__ import annotations

from collections.abc import Collection, Sequence

AXES = ("x", "y", "z")
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
SECTION_FORCE = ("N", "Qy", "Qz", "T", "My", "Mz")
STRAIN = ("stretch", "shear_y", "shear_z", "twist", "curvature_y", "curvature_z")
SOLID = ("xx", "yy", "zz", "yz", "xz", "xy")
ENERGIES = {
    "kinetic": "kinetic energy",
    "strain": "strain energy of beams, springs and joint springs",
    "potential": "potential energy of gravity, zero at the world's origin",
    "dissipated": "energy taken by viscous beams, dampers, joint damping and friction",
    "work": "work of loads, efforts and prescribed motions",
    "total": "kinetic + strain + potential",
    "balance": "total - total at the start + dissipated - work",
}
FLUID_ENERGIES = {
    "fluid": "work of the loads of fluids, a part of the work",
    "wake": "energy in the lags of wakes",
}


def titled(title: str, lines: Sequence[str]) -> str:
    """Lines below an underlined title."""
    return "\n".join([title, "-" * len(title), *lines])


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] = ()) -> list[str]:
    """Rows of cells, the first one of heads, as lines; columns are flush right, those in `left` flush left."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]

    def line(row: Sequence[str]) -> str:
        cells = zip(row, widths, strict=True)
        return "  ".join(f"{c:<{w}}" if k in left else f"{c:>{w}}" for k, (c, w) in enumerate(cells)).rstrip()

    return [line(row) for row in rows]
