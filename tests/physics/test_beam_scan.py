"""Errors of a dozen kinds of beams fall with every mesh: no switch, no fall-back that depends on it."""

import numpy as np
import pytest
from bench.beam_scan import KINDS, order, rises, values


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_errors_fall_with_every_mesh(name):
    """Tip, clamp moment of the weight and four frequencies with 2 to 16 elements, each against itself with 64."""
    kind = KINDS[name]
    exact, *found = (values(kind, n) for n in (64, 2, 4, 8, 16))
    for k, whole in enumerate(exact):
        size = max(1.0, float(np.linalg.norm(whole))) if k == 0 else float(np.linalg.norm(whole))
        errors = [float(np.linalg.norm(np.nan_to_num(x[k] - whole))) / size for x in found]
        assert not rises(errors), (k, errors)
        assert order(errors) > 1.8 or name == "string-like", (k, errors)
