"""Results at ordinary steps and meshes are where the stored, converged ones are."""

from __future__ import annotations

import json

import numpy as np
import pytest

from .cases import computed
from .make import PATH

CASES = computed()
REFERENCE = json.loads(PATH.read_text())


def test_every_case_is_stored() -> None:
    assert set(CASES) == set(REFERENCE)


@pytest.mark.parametrize("case", CASES)
def test_results_are_where_they_were(case: str) -> None:
    found, wrong = CASES[case](), []
    for key, (margin, values) in REFERENCE[case].items():
        away = float(np.abs(np.array(found[key]) - values).max())
        if not away <= margin:
            wrong.append(f"{key}: off by {away:.2e}, allowed {margin:.2e}")
    assert not wrong, "\n".join([case, *wrong])
