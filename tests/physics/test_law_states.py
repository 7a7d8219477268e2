"""Laws that own states: in steps of all schemes, in equilibria and in linear models, against closed forms."""

import pickle

import numpy as np
import pytest
from scipy.linalg import expm
from tests.physics.test_methods import Heun

import cosserat as cs
from cosserat.errors import ModelError, SolveError


def lagging(t, frame, twist, parameters):
    out = np.zeros(7)
    out[0] = -parameters["k"] * parameters["lag"]
    out[6] = (frame[0, 3] - parameters["lag"]) / parameters["tau"]
    return out


def cart(k=4.0, law=lagging, **joint):
    """A mass that is pulled back by k y, y' = (x - y) / tau."""
    model = cs.Model("cart")
    body = model.add(cs.RigidBody("cart", mass=1.0, com=(0.3, 0, 0), inertia=np.eye(3)))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), at=(0.3, 0, 0), **joint))
    model.add(cs.StateLoad("pull", body, law, {"k": k, "tau": 0.2}, states={"lag": 0.1}))
    return model


FORMULATIONS = ("galilean", "floating")
BOTH = pytest.mark.parametrize("formulation", FORMULATIONS)


@pytest.mark.parametrize(
    ("formulation", "integrator", "order"),
    [
        ("galilean", "generalized-alpha", 2),
        ("galilean", "energy-momentum", 2),
        ("floating", "generalized-alpha", 2),
        ("floating", "runge-kutta", 4),
    ],
)
def test_order(formulation, integrator, order):
    A = np.array([[0, 1, 0], [0, 0, -4.0], [5.0, 0, -5.0]])
    exact = expm(A) @ [0.3, 0.0, 0.1]
    errors = []
    for step in (0.02, 0.01):
        run = cs.simulate(cart(), 1.0, step, integrator=integrator, formulation=formulation)
        end = (
            run.position("cart").values[-1, 0],
            run.velocity("cart").values[-1, 0],
            run.trajectory.history.inner[-1, 0],
        )
        errors.append(np.abs(np.array(end) - exact))
    assert np.all(errors[1] < 3e-5)
    assert np.all(np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.05 if order == 2 else 0.2))


@BOTH
def test_adaptive_steps_and_continued_runs(formulation):
    exact = expm(np.array([[0, 1, 0], [0, 0, -4.0], [5.0, 0, -5.0]])) @ [0.3, 0.0, 0.1]
    run = cs.simulate(cart(), 1.0, tolerance=1e-7, formulation=formulation)
    assert run.position("cart").values[-1, 0] == pytest.approx(exact[0], abs=1e-4)
    half = cs.simulate(cart(), 0.5, 0.005, formulation=formulation)
    whole = cs.simulate(half.model, 0.5, 0.005, start=half, formulation=formulation)
    assert whole.position("cart").values[-1, 0] == pytest.approx(exact[0], abs=2e-5)
    assert whole.trajectory.history.inner[-1, 0] == pytest.approx(exact[2], abs=2e-5)
    assert float(whole.law_states[-1, 0]) == pytest.approx(exact[2], abs=2e-5)
    assert np.max(np.abs(whole.energy["balance"])) < 1e-5


@BOTH
def test_equilibrium_and_linear_models(formulation):
    model = cart(stiffness=9.0, damping=0.1)
    model.add(cs.Force("push", "cart", (1.5, 0, 0)))
    rest = cs.equilibrium(model, formulation=formulation)
    x = (9.0 * 0.3 + 1.5) / 13.0
    assert rest.position("cart")[0] == pytest.approx(x, rel=1e-12)
    assert rest.trajectory.history.inner[0, 0] == pytest.approx(x, rel=1e-12)
    A = np.array([[0, 1, 0], [-9, -0.1, -4], [5, 0, -5]])
    linear = cs.linearize(model, "rail", ["rail", "rail.reaction"], about=rest, formulation=formulation)
    assert linear.states == ("rail", "rail.rate", "pull.lag")
    np.testing.assert_allclose(linear.A, A, atol=1e-8)
    np.testing.assert_allclose(linear.transfer(2j), linear.response(2j), atol=1e-12)
    values = np.sort_complex(np.linalg.eigvals(A))
    found = cs.modes(model, 3, about=rest, formulation=formulation)  # lags come last
    assert found.eigenvalues == pytest.approx(values[[2, 0]], rel=1e-8)
    assert cs.modes(
        model, 1, about=rest, damped=False, formulation=formulation
    ).frequencies[0] == pytest.approx(np.sqrt(13) / (2 * np.pi))
    gain = cs.frequency_response(model, "rail", "cart.x", [0.4], about=rest, formulation=formulation).gain()
    wanted = np.linalg.solve(0.8j * np.pi * np.eye(3) - A, [0, 1, 0])[0]
    assert gain[0] == pytest.approx(abs(wanted), rel=1e-8)
    stays = cs.simulate(model, 0.5, 0.05, start=rest, formulation=formulation)
    assert np.ptp(stays.position("cart").values[:, 0]) < 1e-12


@BOTH
def test_flutter_of_a_lag(formulation):
    """s^3 + (c + 1/tau) s^2 + (k + c/tau) s + (k + K)/tau: Routh's limit of K, and the frequency there."""
    formulas = {"fx": "-k*lag", "lag": "(x - lag)/tau"}
    model = cart(k=cs.Parameter("K", 0.0), stiffness=9.0, damping=0.1, law=formulas)
    found = cs.stability(model, "K", [0.0, 0.5, 1.0], formulation=formulation).critical
    assert [c.kind for c in found] == ["flutter"]
    assert found[0].value == pytest.approx(5.1 * 9.5 / 5.0 - 9.0, rel=1e-8)
    assert found[0].frequency == pytest.approx(np.sqrt(9.5) / (2 * np.pi), rel=1e-8)


@BOTH
def test_only_a_lag_pulls_back(formulation):
    """No stiffness but that of the lag: s^3 + (c + 1/tau) s^2 + c/tau s + k/tau; the place moves with the stiffness."""
    model = cart(k=cs.Parameter("K", 4.0), damping=1.5)
    model.add(cs.Force("push", "cart", (1.0, 0, 0)))
    roots = np.sort_complex(np.roots([1.0, 6.5, 7.5, 20.0]))
    assert cs.modes(model, 3, formulation=formulation).eigenvalues == pytest.approx(roots[[2, 0]], rel=1e-8)
    found = cs.stability(model, "K", [4.0, 8.0, 12.0], formulation=formulation).critical
    assert [c.kind for c in found] == ["flutter"]
    assert found[0].value == pytest.approx(6.5 * 7.5 / 5.0, rel=1e-8)


@BOTH
def test_states_settle_along_a_sweep(formulation):
    """A lag that pulls with its cube: the stiffness 3 k x^2 belongs to the equilibrium at each value."""
    formulas = {"fx": "-k*lag**3", "lag": "(x - lag)/tau"}
    model = cart(k=cs.Parameter("K", 1.0), stiffness=9.0, damping=0.1, law=formulas)
    found = cs.stability(model, "K", [1.0, 40.0, 80.0], n=3, formulation=formulation)
    for k, values in zip((1.0, 40.0, 80.0), found.eigenvalues, strict=True):
        x = np.real(next(r for r in np.roots([k, 0.0, 9.0, -9.0 * 0.3]) if abs(r.imag) < 1e-9))
        A = np.array([[0, 1, 0], [-9, -0.1, -3 * k * x**2], [5, 0, -5]])
        assert np.sort_complex(values) == pytest.approx(np.sort_complex(np.linalg.eigvals(A)), rel=1e-6)


def maxwell(t, frame, twist, other_frame, other_twist, parameters):
    """A spring and a damper in series between two places: the force is the state."""
    out = np.zeros(7)
    out[0] = parameters["force"]
    gap = 0.0
    for i in range(3):
        gap += frame[i, 0] * other_frame[i, 0] * other_twist[0]
    out[6] = parameters["k"] * (gap - twist[0] - parameters["force"] / parameters["c"])
    return out


@BOTH
def test_between_two_bodies(formulation):
    model = cs.Model("pair")
    for name, x, v in (("a", 0.0, 1.0), ("b", 1.0, 0.0)):
        model.add(cs.RigidBody(name, mass=2.0, com=(x, 0, 0), inertia=np.eye(3), velocity=(v, 0, 0)))
    model.add(cs.StateLoad("maxwell", "a", maxwell, {"k": 50.0, "c": 3.0}, other="b", states={"force": 0.0}))
    run = cs.simulate(model, 1.0, 0.002, formulation=formulation)
    v = run.velocity("a").values[:, 0], run.velocity("b").values[:, 0]
    assert np.max(np.abs(v[0] + v[1] - 1.0)) < 1e-12
    A = np.array([[0, 0, 0.5], [0, 0, -0.5], [-50.0, 50.0, -50.0 / 3.0]])
    exact = expm(A) @ [1.0, 0.0, 0.0]
    assert (v[0][-1], v[1][-1]) == pytest.approx(exact[:2], abs=1e-5)
    linear = cs.linearize(model, (), "a.vx", about="reference", formulation=formulation)
    values = np.linalg.eigvals(linear.A)
    for s in np.linalg.eigvals(A):
        assert np.min(np.abs(values - s)) < 1e-6


@BOTH
def test_files_and_pickles(formulation, tmp_path):
    run = cs.simulate(cart(law={"fx": "-k*lag", "lag": "(x - lag)/tau"}), 0.2, 0.01, formulation=formulation)
    run.save(tmp_path / "run.nc")
    again = cs.load_run(tmp_path / "run.nc")
    np.testing.assert_array_equal(again.trajectory.history.inner, run.trajectory.history.inner)
    np.testing.assert_array_equal(again.energy["work"], run.energy["work"])
    cs.save_model(run.model, tmp_path / "cart.yaml")
    copy = cs.load_model(tmp_path / "cart.yaml")
    assert copy["pull"].states == ("lag",)
    assert copy["pull"] == run.model["pull"]


def test_refusals():
    bent = cart()
    rod = bent.add(cs.Beam("rod", points=[(0.3, 0, 0), (0.3, 1, 0)], section=cs.Rod(0.02), material=cs.materials.STEEL))
    bent.add(cs.Fixed("clamp", "cart", rod.start, at=(0.3, 0, 0)))
    with pytest.raises(SolveError, match=r"constrained_motion: 'pull.lag' is a state of a law; take cs.simulate"):
        cs.constrained_motion(bent, [0.0, 0.0], [0.0, 0.0], 0.1, 0.01, modes=1)
    with pytest.raises(ModelError, match=r"'pull'.*\(7,\).*rates of its states lag"):
        cs.simulate(cart(law=lambda t, frame, twist, parameters: np.zeros(6)), 0.1, 0.01)
    with pytest.raises(ModelError, match="no formula for the rate of the state 'lag'"):
        cart(law={"fx": "-k*lag"})
    with pytest.raises(ModelError, match="'k', which is a parameter"):
        cs.StateLoad("load", "body", lagging, {"k": 1.0}, states={"k": 0})


def test_trees_take_states_that_are_given():
    """m x'' = -k lag, lag' = (x - lag)/tau, at any state; derivatives are those at states held still."""
    model = cart()
    tree = cs.Tree(model)
    assert tree.law_states == ("pull.lag",)
    q, v = np.array([0.3]), np.array([0.7])
    for lag in (0.0, 0.4, -1.1):
        tree.set_law_states({"pull.lag": lag} if lag else [0.0])
        a = tree.forward_dynamics(q, v, np.zeros(1))
        assert a[0] == pytest.approx(-4.0 * lag, abs=1e-14)
        assert tree.law_state_rates(q, v)[0] == pytest.approx((0.6 - lag) / 0.2)
        assert tree.inverse_dynamics(q, v, a)[0] == pytest.approx(0.0, abs=1e-14)
        assert tree.forward_dynamics_derivatives(q, v, np.zeros(1)).dq[0, 0] == pytest.approx(0.0, abs=1e-9)
        assert pickle.loads(pickle.dumps(tree)).forward_dynamics(q, v, np.zeros(1))[0] == a[0]
    with pytest.raises(SolveError, match=r"'lag' is no state of a law; there are: 'pull.lag'"):
        tree.set_law_states({"lag": 1.0})
    with pytest.raises(cs.CosseratError, match="set_law_states"):
        tree.set_law_states([1.0, 2.0])


@BOTH
def test_steps_of_ones_own_follow_states(formulation):
    """Second order, as the method has it, against fine steps of the library."""
    model = cart()
    exact = cs.simulate(model, 0.5, 5e-4, formulation="floating", integrator="runge-kutta")
    lags, places = [], []
    for step in (0.01, 0.005):
        run = cs.simulate(model, 0.5, step, formulation=formulation, integrator=Heun())
        assert run.status.ok
        lags.append(abs(float(run.law_states[-1, 0] - exact.law_states[-1, 0])))
        places.append(float(np.abs(run.position("cart")[-1] - exact.position("cart")[-1]).max()))
    assert lags[0] / lags[1] == pytest.approx(4.0, rel=0.1)
    assert places[0] / places[1] == pytest.approx(4.0, rel=0.1)
    assert places[1] < 1e-4


@BOTH
def test_a_lag_about_a_moment_of_a_motion(formulation):
    """A lag of the speed of a pendulum that swings: the coefficients of that moment, derived by hand."""
    model = cs.Model("pendulum", gravity=(0, 0, -9.81))
    bob = model.add(cs.RigidBody("bob", mass=2.0, com=(0, 0, -1), inertia=[0.1, 0.1, 0.1]))
    model.add(cs.Revolute("pivot", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    law = {"fx": "-k*lag", "lag": "(vx*abs(vx) - lag)/tau"}
    model.add(cs.StateLoad("drag", "bob", law, {"k": 3.0, "tau": 0.2}, states={"lag": 0.0}))
    model.add(cs.Torque("push", "bob", ["0", "4*cos(t)", "0"]))
    run = cs.simulate(model, 0.7, 0.001, formulation=formulation)
    linear = cs.linearize(model, (), "pivot", about=run, formulation=formulation)
    q, w = float(run.coordinate("pivot")[-1]), float(run.angular_velocity("bob")[-1, 1])
    assert abs(w) > 0.1
    v = -w  # of the bob along its own x axis
    J = 0.1 + 2.0
    by_w = 2.0 * abs(v) * -1.0 / 0.2
    wanted = [[0, 1, 0], [-2.0 * 9.81 * np.cos(q) / J, 0, 3.0 / J], [0, by_w, -1 / 0.2]]
    np.testing.assert_allclose(linear.A, wanted, atol=1e-6)


def test_a_controller_and_a_lag_in_floating_frames():
    """The same commands and states in both formulations."""

    class Push:
        period = 0.05

        def __call__(self, t, state):
            return {"rail": 1.0 if t < 0.4 else -0.5}

    runs = [cs.simulate(cart(effort=0.0), 1.0, 0.005, controller=Push(), formulation=f) for f in FORMULATIONS]
    a, b = (run.law_states.values[:, 0] for run in runs)
    np.testing.assert_allclose(a, b, atol=2e-5)


@BOTH
def test_wakes_go_on_from_a_checkpoint(formulation, tmp_path):
    """Bit by bit, with what the steps remember of laws with several states."""
    model = cs.Model("vane", fluid=cs.Fluid(density=1.2, velocity=(-20, 0, 0)))
    wing = model.add(cs.RigidBody("wing", mass=1, com=(0, 0, 0), inertia=(0.1, 0.2, 0.3)))
    model.add(cs.Revolute("hinge", cs.GROUND, wing, axis=(0, 1, 0), at=(0.1, 0, 0), stiffness=50.0))
    model.add(cs.Strip("air", wing.at((0, 0, 0)), cs.Airfoil(), chord=0.5, width=1.0, twist=0.1))
    calls = []

    def interrupt(*args):
        calls.append(args)
        if len(calls) > 1:
            raise KeyboardInterrupt

    how = {"formulation": formulation, "checkpoint": tmp_path / "run", "checkpoint_interval": 0.0}
    first = cs.simulate(model, 4.0, 0.002, progress=interrupt, **how)
    assert 0.0 < first.time[-1] < 4.0
    again = cs.simulate(model, 4.0, 0.002, **how)
    whole = cs.simulate(model, 4.0, 0.002, formulation=formulation)
    np.testing.assert_array_equal(again.law_states, whole.law_states)
    np.testing.assert_array_equal(again.rotation("wing"), whole.rotation("wing"))
