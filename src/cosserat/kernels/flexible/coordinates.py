"""Coordinates of a flexible tree on its group: moving along velocities, rates of coordinates."""

from cosserat.jit import stage
from cosserat.kernels import tree_joints
from cosserat.kernels.flexible.arrays import FIRST, KIND
from cosserat.kernels.frames import apply_a, apply_b, cotc, d_cotc
from cosserat.kernels.recursion.table import FREE, SPHERICAL
from cosserat.kernels.vectors import add, dot, load, store


@stage
def moved(tree, q, delta, q_out):
    """Coordinates after moving along constant velocities for a unit of time: H exp(delta), or q + delta."""
    links = tree.links
    for k in range(len(q)):
        q_out[k] = q[k] + delta[k]
    for i in range(len(links.table)):
        tree_joints.move(links.table[i, KIND], links.joint[i, 1], links.table[i, FIRST], q, delta, q_out)
    return 0


@stage
def exponential_rates(tree, theta, v, rate_out):
    """T^-1(theta) v: rates of exponential coordinates about a fixed state, H = H_0 exp(theta)."""
    links = tree.links
    for k in range(len(v)):
        rate_out[k] = v[k]
    for i in range(len(links.table)):
        kind, k = links.table[i, KIND], links.table[i, FIRST]
        if kind == SPHERICAL:
            w = load(theta, k)
            store(apply_a(w, cotc(dot(w, w)), load(v, k)), rate_out, k)
        elif kind == FREE:
            u, w = load(theta, k), load(theta, k + 3)
            c, c1 = cotc(dot(w, w)), d_cotc(dot(w, w))
            turns = load(v, k + 3)
            store(add(apply_a(w, c, load(v, k)), apply_b(u, w, c, c1, turns)), rate_out, k)
            store(apply_a(w, c, turns), rate_out, k + 3)
    return 0
