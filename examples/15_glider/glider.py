"""Glider of flexible wings: trim, bent wings, and modes of flight beside those of the wings.

A fuselage with two wings that are beams in strip theory, a tailplane and a fin. The glide is trimmed with the wings as
they bend, the modes of flight are named, and a run shows that it stays on its path.
"""

import numpy as np

import cosserat as cs

RHO, SPEED, CHORD, HALF = 1.225, 22.0, 0.6, 5.0


def glider(stiff=1.0):
    model = cs.Model("glider", gravity=(0, 0, -9.81), fluid=cs.Fluid(density=RHO))
    body = model.add(cs.RigidBody("fuselage", mass=120.0, com=(0.12, 0, 0), inertia=(15.0, 150.0, 160.0)))
    section = cs.Section(
        stiffness=np.diag([1e7, 1e7, 1e7, 2e4 * stiff, 2e4 * stiff, 5e6 * stiff]),
        mass=np.diag([2.5, 2.5, 2.5, 0.06, 0.02, 0.04]),
    )
    for name, side in (("left", 1), ("right", -1)):
        points = [(0, 0, 0), (0, side * HALF, 0.15)]
        wing = model.add(cs.Beam(name, points=points, section=section, elements=5, up=(0, 0, 1)))
        model.add(cs.Fixed(f"{name} root", body.at((0, 0, 0)), wing.start))
        model.add(cs.Strip(f"{name} air", wing, cs.Airfoil(lift=5.7, drag=0.012), chord=CHORD, axis=0.3, twist=0.06,
                           unsteady=False))  # fmt: skip
    elevator = cs.Parameter("elevator", 0.0)
    tail = body.at((-3.5, 0, 0))
    model.add(cs.Aerodynamics("tail", tail, area=0.8, lift=lambda a, b: 4.0 * a, drag=0.01))
    model.add(cs.Aerodynamics("elevator", tail, area=0.8, lift=2.5 * elevator))
    model.add(cs.Aerodynamics("fin", body.at((-3.5, 0, 0.3)), area=0.6, side=lambda a, b: -3.0 * b))
    return model


found = cs.trim(glider(), ["elevator"], flight=cs.Flight(SPEED, climb=None, body="fuselage"))
tip = np.asarray(found.equilibrium.position("left.end")) - np.asarray(found.equilibrium.position("fuselage"))
sink = -SPEED * np.sin(found.parameters["climb"])
print(f"glide: sinks {sink:.2f} m/s, nose {np.degrees(found.attitude['pitch']):+.2f} degrees, "
      f"elevator {np.degrees(found.parameters['elevator']):+.2f} degrees, tips {tip[2]:.3f} m up")  # fmt: skip
for mode in found.modes:
    if mode.name:
        print(f"{mode.name:>13}: {mode.frequency:.3f} rad/s, damping {mode.damping:+.3f}")

rigid = cs.trim(glider(stiff=1e3), ["elevator"], flight=cs.Flight(SPEED, climb=None, body="fuselage"))
stiff_tip = np.asarray(rigid.equilibrium.position("left.end")) - np.asarray(rigid.equilibrium.position("fuselage"))
print(f"the wings bend by {1000 * (tip[2] - stiff_tip[2]):.0f} mm at their tips")

run = cs.simulate(found.model, 1.0, 0.01, start=found.equilibrium)
run.show("glider.html", open=False)
gone = np.abs(np.asarray(run.position("fuselage")) - np.asarray(found.equilibrium.position("fuselage"))).max()
assert run.status.ok
assert gone < 1e-3
assert 0.02 < tip[2] - stiff_tip[2] < 1.5
assert -0.2 < found.parameters["climb"] < 0.0
assert found.mode("phugoid").frequency < 2.0 * np.sqrt(2) * 9.81 / SPEED
