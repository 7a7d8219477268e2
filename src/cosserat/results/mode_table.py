"""The table of modes as text, and the words in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cosserat.results.tables import aligned, titled

if TYPE_CHECKING:
    from cosserat.results.modes import Modes

_SHOWN = 0.1  # share of the energy from which a component is named
_MOST = 3  # components named per mode

HEADS = ("mode", "frequency (Hz)", "damping", "eigenvalue (1/s)", "where it moves", "")


def mode_rows(modes: Modes) -> list[tuple[str, str, str, str, str, str]]:
    """One row of texts per mode, in the order of `HEADS`."""
    frequencies, damping = modes.frequencies, modes.damping
    return [
        (
            str(i), f"{frequencies[i]:.6g}", f"{_clean(damping[i]):.4g}", _complex(complex(s)), where(modes, i),
            remark(modes, i),
        )
        for i, s in enumerate(modes.eigenvalues)
    ]  # fmt: skip


def where(modes: Modes, i: int) -> str:
    """Components with most of the kinetic energy, with their shares."""
    kinetic = modes.components["kinetic"][i]
    names, shares = kinetic["component"].values, kinetic.values
    order = np.argsort(-shares, kind="stable")
    named = [k for k in order[:_MOST] if shares[k] >= _SHOWN] or list(order[:1])
    return ", ".join(f"{names[k]} {100 * shares[k]:.0f} %" for k in named)


def remark(modes: Modes, i: int) -> str:
    """What is special about a mode."""
    s = modes.eigenvalues[i]
    if i < modes.rigid:
        return "free motion"
    if modes.unstable[i]:
        return "UNSTABLE: flutter" if s.imag > 0.0 else "UNSTABLE: divergence"
    return "overdamped" if s.imag == 0.0 else ""


def mode_table(modes: Modes) -> str:
    """The table as text."""
    lines = aligned([HEADS, *mode_rows(modes)], left=(4, 5))
    if not modes.stable:
        lines.append(f"{int(modes.unstable.sum())} of these motions grow: the state is unstable")
    return titled(f"Modes of {modes.motion.mechanism.name!r} about its {modes.kind}", lines)


def _complex(s: complex) -> str:
    scale = abs(s)
    real = 0.0 if abs(s.real) < 1e-10 * scale else s.real
    if s.imag == 0.0:
        return f"{real:.5g}"
    return f"{real:.5g} ± {s.imag:.5g}i" if real else f"± {s.imag:.5g}i"


def _clean(ratio: float) -> float:
    return 0.0 if abs(ratio) < 1e-10 else ratio
