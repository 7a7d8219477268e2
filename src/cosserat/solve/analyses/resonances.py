"""`resonances`: which harmonics of a periodic excitation meet which modes [Lerbet17] (66)-(68)."""

from __future__ import annotations

from typing import Any

import numpy as np

from cosserat.calls import answered
from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.modes import Modes
from cosserat.results.response import Meeting, Resonances
from cosserat.solve.analyses.modes import modes
from cosserat.solve.arguments import check_count, check_number

_SAMPLES = 64  # of the signal, per period of its highest harmonic


@answered()
def resonances(
    source: Model | Modes,
    period: float,
    harmonics: int = 10,
    tolerance: float = 0.05,
    *,
    signal: Any = None,
    n: int = 10,
    **options: Any,
) -> Resonances:
    """Harmonics of a periodic excitation that meet modes.

    An excitation phi(t) of period T drives mode k, x" + omega_k^2 x = a_k phi(t), with every harmonic p of its Fourier
    series; the answer b / (omega_k^2 - p^2 omega^2) grows beyond all bounds as p omega comes near omega_k
    [Lerbet17] (66)-(68). With damping it grows to 1 / (2 zeta) times the static one.

    Parameters
    ----------
    source : Modes or Model
        Of a model, its n lowest modes are found first, with the further options of `modes`.
    period : float
        Of the excitation (s).
    harmonics : int
        Harmonics 1 to this number are looked at.
    tolerance : float
        A harmonic meets a mode if its frequency is within this part of the mode's.
    signal : callable of t, optional
        The excitation phi(t) over one period; harmonics that it does not contain are left out, and the others
        carry their amplitude.

    Returns
    -------
    Resonances

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("oscillator", gravity=(0, 0, 0))
    >>> body = model.add(cs.RigidBody("body", mass=1.0, com=(1, 0, 0), inertia=[1, 1, 1]))
    >>> rail = cs.Prismatic("rail", cs.GROUND, "body", axis=(1, 0, 0), at=(1, 0, 0), stiffness=(6 * np.pi) ** 2)
    >>> _ = model.add(rail)
    >>> [(m.harmonic, m.mode) for m in cs.resonances(model, period=1.01)]  # 3 Hz and the third harmonic of 0.99 Hz
    [(3, 0)]
    """
    period = check_number(period, "resonances", "period", "the period of the excitation in s", positive=True)
    tolerance = check_number(tolerance, "resonances", "tolerance", "how near counts, such as 0.05", positive=True)
    count = check_count(harmonics, "resonances", "harmonics")
    if isinstance(source, Modes):
        if options:
            raise SolveError(f"resonances: {', '.join(options)} go with a Model; these modes are already found")
        found = source
    else:
        found = modes(source, n, **options)
    amplitudes = np.ones(count) if signal is None else fourier_amplitudes(signal, period, count)
    present = amplitudes > 1e-9 * np.max(amplitudes, initial=0.0)
    meetings = []
    natural, ratios = np.abs(found.eigenvalues) / (2.0 * np.pi), found.damping
    for k in range(found.rigid, len(found)):
        if found.frequencies[k] == 0.0:
            continue  # it does not oscillate
        for p in np.nonzero(present)[0] + 1:
            excitation = p / float(period)
            detuning = excitation / found.frequencies[k] - 1.0
            if abs(detuning) <= tolerance:
                r = excitation / natural[k]
                dynamic = abs(1.0 - r**2 + 2j * ratios[k] * r)
                growth = 1.0 / dynamic if dynamic > 1e-12 else np.inf
                meetings.append(
                    Meeting(
                        int(p), k, excitation, float(found.frequencies[k]), detuning, growth, float(amplitudes[p - 1])
                    )
                )
    meetings.sort(key=lambda m: (-m.amplification * m.amplitude, m.harmonic, m.mode))
    return Resonances(found, float(period), amplitudes, float(tolerance), tuple(meetings))


def fourier_amplitudes(signal: Any, period: float, harmonics: int) -> Array:
    """Amplitudes (harmonics,) of the harmonics 1, 2, ... of a periodic function."""
    if not callable(signal):
        raise SolveError(f"resonances: signal is {signal!r}; pass a function of t over one period")
    count = _SAMPLES * harmonics
    t = (np.arange(count) + 0.5) * period / count  # between jumps at multiples of the period
    try:
        values = np.array([float(signal(float(x))) for x in t])
    except Exception as error:
        raise SolveError(f"resonances: the signal failed with {type(error).__name__}: {error}") from None
    if not np.all(np.isfinite(values)):
        raise SolveError("resonances: the signal gives infinite or undefined numbers within the period")
    return np.asarray(2.0 / count * np.abs(np.fft.rfft(values))[1 : harmonics + 1])
