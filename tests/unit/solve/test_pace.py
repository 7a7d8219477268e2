"""Which adaptive steps are given up before they are the smallest allowed."""

import pytest

from cosserat.solve.motion.adaptive import Pace


def given_up(length, end: float = 1.0, most: int = 20_000) -> int | None:
    """After how many steps, of lengths that are a function of their number and time; None: not at all."""
    pace, t = Pace(0.0, end, 1e-7 * end), 0.0
    for taken in range(1, most):
        t += length(taken, t)
        if pace.hopeless(t, taken):
            return taken
    return None


@pytest.mark.parametrize("power", [0.3, 0.5, 1.0])
def test_steps_that_shrink_with_the_time_are_given_up(power: float) -> None:
    """At the end they would be 4e-8 s long, with the last power 3e-11."""
    assert given_up(lambda k, t: 1e-6 * (3e-5 / (t + 3e-5)) ** power) in range(1000, 4001)


@pytest.mark.parametrize(
    "length",
    [
        lambda k, t: 2e-7,  # five million of them, all equal
        lambda k, t: 2e-7 * (1.1 if k % 7 else 0.5),  # equal but for single ones
        lambda k, t: 3e-7 + 2e-7 * ((k // 500) % 2),  # up and down
        lambda k, t: max(3e-7, 4e-7 - 1e-10 * k),  # longer at first
        lambda k, t: 1e-7 * (1.0 + 1e-3 * k),  # a transient that calms down
        lambda k, t: 1e-4 / (1.0 + 1e3 * t),  # a sweep: shrinks a thousandfold, fewer than a million steps
    ],
)
def test_long_runs_are_not(length) -> None:
    assert given_up(length) is None


def test_a_sweep_of_millions_of_steps_that_are_long_enough_at_the_end_is_not() -> None:
    """Ten seconds up to 20 kHz, 20 steps a period."""
    assert given_up(lambda k, t: 1.0 / (20.0 * (100.0 + 2000.0 * t)), end=10.0) is None
