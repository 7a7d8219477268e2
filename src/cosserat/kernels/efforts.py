"""The law of a freedom: effort = drive - k q - c q_dot - level tanh(q_dot / speed), and its slope.

The one text of stiffness, damping and smoothed dry friction, for joints of nodes and of trees, for results and linear
models: the functions take numbers in kernels and arrays in Python.
"""

import numpy as np

from cosserat.jit import helper


@helper
def friction(level, speed, rate):
    """Dry friction, smoothed, and its derivative with respect to the rate."""
    share = np.tanh(rate / speed)
    return level * share, level * (1.0 - share * share) / speed


@helper
def effort(stiffness, damping, level, speed, drive, q, rate):
    """Effort along a freedom and its derivative with respect to the rate."""
    rubbing, slope = friction(level, speed, rate)
    return drive - stiffness * q - damping * rate - rubbing, -damping - slope
