"""Inverse and forward dynamics of a state that lies in `arrays.Vectors`: one call from Python each."""

from cosserat.jit import stage
from cosserat.kernels.flexible.articulated import factor, solve_once
from cosserat.kernels.flexible.forces import joint_efforts, wrenches
from cosserat.kernels.flexible.inverse import efforts
from cosserat.kernels.flexible.kinematics import move


@stage
def act(tree, acting, state):
    """What acts on links and in joints at q, v: wrench, effort."""
    vectors, inputs = state.vectors, acting.inputs
    wrenches(tree, acting, state, vectors.q, inputs.load, vectors.wrench)
    return joint_efforts(tree, acting, vectors.q, vectors.v, inputs.drive, inputs.target, vectors.effort)


@stage
def balance(tree, state):
    """tau for the accelerations a under wrench and effort, with the motion of the links at hand."""
    vectors = state.vectors
    efforts(tree, state, vectors.a, vectors.ground, vectors.wrench, vectors.force, vectors.tau)
    for k in range(len(vectors.tau)):
        vectors.tau[k] -= vectors.effort[k]
    return 0


@stage
def inverse_dynamics(tree, acting, state):
    """tau for q, v, a."""
    move(tree, state)
    act(tree, acting, state)
    return balance(tree, state)


@stage
def accelerate_under(tree, state, factored):
    """a under the efforts tau, wrench and effort, with the motion of the links at hand."""
    vectors, bias = state.vectors, state.motion.bias
    for k in range(len(vectors.tau)):
        vectors.effort[k] += vectors.tau[k]
    for k in range(len(bias)):
        vectors.force[k] = bias[k] - vectors.wrench[k]
    wrong = factor(tree, state, factored, vectors.extra, vectors.held)
    one = 1
    solve_once(tree, state, factored, vectors.effort, vectors.force, one, vectors.ground, vectors.a)
    return wrong


@stage
def forward_dynamics(tree, acting, state, factored):
    """a for q, v, tau; `held` coordinates keep theirs. Returns how many pivots are not positive."""
    move(tree, state)
    act(tree, acting, state)
    return accelerate_under(tree, state, factored)
