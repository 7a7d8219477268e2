"""Airship: trim at several speeds, and the fins that keep its nose ahead.

An ellipsoid that floats, with the inertia of the air around it. Its bare hull turns broadside on (Munk); fins and the
weight below its middle hold it. Level flight is trimmed and its stability read off the modes.
"""

import numpy as np

import cosserat as cs

LENGTH, WIDTH, RHO = 12.0, 3.0, 1.225
VOLUME = np.pi / 6 * LENGTH * WIDTH**2


def airship(fin=16.0):
    model = cs.Model("airship", gravity=(0, 0, -9.81), fluid=cs.Fluid(density=RHO))
    mass = RHO * VOLUME
    own = mass / 5 * np.diag([WIDTH**2 / 2, (LENGTH**2 + WIDTH**2) / 4, (LENGTH**2 + WIDTH**2) / 4])
    hull = model.add(cs.RigidBody("hull", mass=mass, com=(0, 0, -0.5), inertia=own))
    model.add(cs.Buoyancy("gas", hull, volume=VOLUME, centre=(0, 0, 0)))
    model.add(cs.AddedMass.ellipsoid("air", hull, (LENGTH, WIDTH, WIDTH), centre=(0, 0, 0)))
    model.add(cs.Aerodynamics("skin", hull.at((0, 0, 0)), area=VOLUME ** (2 / 3), drag=0.03))
    elevator = cs.Parameter("elevator", 0.0)
    model.add(cs.Aerodynamics("fins", hull.at((-5.0, 0, 0)), area=fin, span=1.0, chord=1.0,
                              lift=lambda a, b: 3.0 * a, side=lambda a, b: -3.0 * b))  # fmt: skip
    model.add(cs.Aerodynamics("elevator", hull.at((-5.0, 0, 0)), area=fin, lift=2.0 * elevator))
    model.add(cs.Thruster("engine", hull.at((0, 0, -1.8)), 400.0, throttle=0.1))
    return model


controls = ["engine.throttle", "elevator"]
for speed in (4.0, 8.0, 12.0):
    found = cs.trim(airship(), controls, flight=cs.Flight(speed))
    push, nose = 400 * found.parameters["engine_throttle"], np.degrees(found.attitude["pitch"])
    print(f"{speed:4.0f} m/s: thrust {push:6.1f} N, nose {nose:+.2f} degrees, "
          f"elevator {np.degrees(found.parameters['elevator']):+.2f} degrees, {found.verdict}")  # fmt: skip
    drag = 0.5 * RHO * speed**2 * VOLUME ** (2 / 3) * 0.03
    assert abs(push - drag) < 0.05 * drag
    assert found.stable

bare = cs.trim(airship(fin=4.0), controls, flight=cs.Flight(8.0))
print(f"with fins of a quarter of their size: {bare.verdict}")
assert not bare.stable
