"""Frozen turbulence: velocities along a line with the spectra of Dryden or of von Karman.

One-sided spectra of the wave number W (rad/m), whose integrals are the squares of sigma; x = L W along the wind, and
across it; MIL-F-8785C (1980):

    Dryden      sigma^2 2L/pi /(1 + x^2),              sigma^2 L/pi (1 + 3 x^2)/(1 + x^2)^2
    von Karman  sigma^2 2L/pi /(1 + y^2)^(5/6),        sigma^2 L/pi (1 + 8/3 y^2)/(1 + y^2)^(11/6),   y = 1.339 x

A field is periodic over `POINTS` values that are `SPACING` L apart, with Gaussian amplitudes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cosserat.lie.protocol import Array

Spectrum = Callable[[Array], Array]

POINTS, SPACING = 4096, 0.05  # 205 L until it comes again


def dryden_along(x: Array) -> Array:
    """Of sigma^2 L, along the wind."""
    return np.asarray(2.0 / np.pi / (1.0 + x**2))


def dryden_across(x: Array) -> Array:
    """Of sigma^2 L, across the wind."""
    return np.asarray((1.0 + 3.0 * x**2) / (1.0 + x**2) ** 2 / np.pi)


def von_karman_along(x: Array) -> Array:
    """Of sigma^2 L, along the wind."""
    return np.asarray(2.0 / np.pi / (1.0 + (1.339 * x) ** 2) ** (5 / 6))


def von_karman_across(x: Array) -> Array:
    """Of sigma^2 L, across the wind."""
    y = 1.339 * x
    return np.asarray((1.0 + 8.0 / 3.0 * y**2) / (1.0 + y**2) ** (11 / 6) / np.pi)

DRYDEN = (dryden_along, dryden_across, dryden_across)
VON_KARMAN = (von_karman_along, von_karman_across, von_karman_across)


def frozen_field(spectra: tuple[Spectrum, ...], sigma: Array, length: Array, seed: int) -> Array:
    """Velocities (3, POINTS) along the line, each at steps of SPACING times its length."""
    rng = np.random.default_rng(seed)
    step = 2.0 * np.pi / (POINTS * SPACING)  # of x = L W
    x = step * np.arange(1.0, POINTS // 2, dtype=np.float64)
    rows = []
    for spectrum, rms in zip(spectra, sigma, strict=True):
        real, imaginary = rng.normal(size=(2, len(x)))
        power = spectrum(x) * step  # of sigma^2, in each line
        lines = np.zeros(POINTS // 2 + 1, dtype=complex)
        lines[1:-1] = rms * np.sqrt(0.5 * power) * (real + 1j * imaginary) * POINTS / np.sqrt(2.0)
        rows.append(np.fft.irfft(lines, POINTS))
    return np.ascontiguousarray(rows)
