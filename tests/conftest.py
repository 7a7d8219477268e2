"""What all tests share: a seeded generator, and drawing without a display."""

from __future__ import annotations

import os

import numpy as np
import pytest

os.environ.setdefault("MPLBACKEND", "Agg")

SEED = 20_170_529


def pytest_report_header() -> str:
    """Print what a failure needs to be repeated."""
    jit = "off" if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0") else "on"
    return f"seed of rng: {SEED}, numpy {np.__version__}, jit {jit}"


@pytest.fixture
def rng() -> np.random.Generator:
    """A random generator that gives the same numbers in every run, for every test."""
    return np.random.default_rng(SEED)
