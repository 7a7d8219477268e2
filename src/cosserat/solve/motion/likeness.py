"""Whether what a file holds can be what a run kept: compiled code takes arrays by address and looks at no shape."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


def demand_like(found: Any, like: Any, rows: bool = False) -> None:
    """Raise a ValueError unless arrays have the shapes (with `rows`, besides the first number) and types of others."""
    if isinstance(like, np.ndarray):
        same = isinstance(found, np.ndarray) and found.ndim == like.ndim and found.dtype == like.dtype
        if not same or found.shape[rows:] != like.shape[rows:]:
            raise ValueError(f"an array of the shape {np.shape(found)} instead of {like.shape}")
    elif isinstance(like, (tuple, list)):
        if not isinstance(found, (tuple, list)) or len(found) != len(like):
            raise ValueError(f"not {len(like)} values")
        for item, model in zip(found, like, strict=True):
            demand_like(item, model, rows)
    elif isinstance(found, bool) or not isinstance(found, (int, float)):
        raise ValueError("not a number")


def demand_efforts(kept: Any, columns: Iterable[int]) -> None:
    """Raise one unless what a controller holds is numbers by columns that there are."""
    known = set(columns)
    if not all(column in known and isinstance(value, float) for column, value in kept.items()):
        raise ValueError("efforts of joints that do not exist")
