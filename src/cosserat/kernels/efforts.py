"""The laws of a freedom: effort = drive - k q - c q_dot - level tanh(q_dot / speed), a servo, and their slopes.

The one text of stiffness, damping, smoothed dry friction and servos, for joints of nodes and of trees, for results and
linear models: the functions take numbers in kernels and arrays in Python.
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


@helper
def servo(kp, kd, limit, target, q, rate):
    """Effort kp (target - q) - kd rate, cut off at the limit, and its derivatives by q and by the rate."""
    wanted = kp * (target - q) - kd * rate
    inside = 1.0 * (np.abs(wanted) < limit)
    return np.minimum(np.maximum(wanted, -limit), limit), -kp * inside, -kd * inside
