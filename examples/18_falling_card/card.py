"""Falling card: a thin plate in air flutters from side to side, or tumbles.

The plate has the added mass of the air, which turns it broadside on (Munk), drag and lift that change with the angle of
attack, and a damping of its turning. With more of that it swings to and fro as it falls; with less it turns over and
over and drifts away.
"""

import numpy as np

import cosserat as cs

CHORD, SPAN, RHO = 0.08, 0.4, 1.2


def lift(alpha, beta):
    return 2.2 * np.sin(2 * alpha)


def drag(alpha, beta):
    return 0.1 + 2.0 * np.sin(alpha) ** 2


def card(damping, thickness=5e-4, lean=0.3):
    """A plate of 250 kg/m3 that is let go at an angle."""
    model = cs.Model("card", gravity=(0, 0, -9.81), fluid=cs.Fluid(density=RHO))
    mass = 250.0 * thickness * CHORD * SPAN
    inertia = mass / 12 * np.array([SPAN**2, CHORD**2, CHORD**2 + SPAN**2])
    c, s = np.cos(lean), np.sin(lean)
    plate = cs.RigidBody("plate", mass=mass, com=(0, 0, 0), inertia=inertia,
                         rotation=(np.cos(lean / 2), 0, np.sin(lean / 2), 0))  # fmt: skip
    model.add(plate)
    forward, up = (c, 0, -s), (s, 0, c)
    air = RHO * np.pi / 4 * CHORD**2 * SPAN
    added = np.diag([0.0, 0.0, air, 0.0, air * CHORD**2 / 32, 0.0])
    model.add(cs.AddedMass("air", plate, added))
    model.add(
        cs.Aerodynamics(
            "faces", plate, area=CHORD * SPAN, chord=CHORD, lift=lift, drag=drag, forward=forward, up=up,
            pitch=lambda a, b: 0.05 * np.sin(2 * a), rates={"pitch_q": -damping},
        )
    )  # fmt: skip
    return model


turned, swings = {}, {}
for name, damping in (("flutters", 0.6), ("tumbles", 0.1)):
    run = cs.simulate(card(damping), 2.5, 1e-3, every=5)
    assert run.status.ok, run.status
    R, x = np.asarray(run.rotation("plate")), np.asarray(run.position("plate"))
    turned[name] = np.ptp(np.unwrap(np.arctan2(R[:, 0, 2], R[:, 2, 2]))) / (2 * np.pi)
    swings[name] = np.count_nonzero(np.diff(np.sign(np.asarray(run.velocity("plate"))[:, 0])))
    print(f"{name}: falls {-x[-1, 2]:.2f} m, drifts {x[-1, 0]:+.2f} m, {turned[name]:.2f} turns, {swings[name]} swings")

assert turned["flutters"] < 0.5
assert swings["flutters"] > 10
assert turned["tumbles"] > 5.0
