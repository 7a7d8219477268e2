"""A mooring line and a towed cable beside MoorDyn: statics in closed form, a forced motion; tensions and CPU times.

Run: python bench/mooring.py        (MoorDyn: pip install moordyn, the extra "bench")
"""

import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.optimize import brentq

import cosserat as cs

RHO, G, DIAMETER, MASS, EA, EI = 1025.0, 9.80665, 0.05, 5.0, 1e7, 200.0
DRAG, ALONG = 1.2, 0.02
LENGTH, HALF = 100.0, 40.0  # between ends at one level, 10 m below the surface
SWAY, OMEGA, DURATION, STEP = 2.0, 1.0, 20.0, 0.02
SPEED = 1.5  # of towing
ELEMENTS = 80
SMALLER = 40  # calls of MoorDyn in a step of ours

INPUT = """MoorDyn input file
---------------------- LINE TYPES -----------------------------------------------------
TypeName   Diam    Mass/m     EA         BA/-zeta    EI        Cd     Ca     CdAx   CaAx
(name)     (m)     (kg/m)     (N)        (N-s/-)     (N-m^2)   (-)    (-)    (-)    (-)
rope       {d}     {m}        {ea}       -0.3        {ei}      {cd}   1.0    {ct}   0.0
---------------------- POINTS ---------------------------------------------------------
Node   Type       X      Y    Z     M   V   CdA   CA
(-)    (-)        (m)    (m)  (m)   (kg) (m^3) (m^2) (-)
{points}
---------------------- LINES ----------------------------------------------------------
Line   LineType  NodeA  NodeB  UnstrLen  NumSegs  Flags/Outputs
(-)    (-)       (-)    (-)    (m)       (-)      (-)
1      rope      1      2      {length}  {n}      -
---------------------- OPTIONS --------------------------------------------------------
2       writeLog
{dt}    dtM
{g}     g
{rho}   rhoW
300     WtrDpth
1.0e4   kb
1.0e4   cb
0.5     dtIC
200     TmaxIC
1.0     CdScaleIC
1e-6    threshIC
---------------------- need this line -------------------------------------------------
"""


def weight() -> float:
    """Per length, in water (N/m)."""
    return float((MASS - RHO * np.pi * DIAMETER**2 / 4) * G)


def catenary() -> tuple[float, float, float]:
    """Horizontal and vertical force at an end (N), and sag (m), of a line that stretches."""
    w = weight()

    def spans(H: float) -> float:
        V = 0.5 * w * LENGTH
        return float(2.0 * H / w * np.arcsinh(V / H) + H * LENGTH / EA - 2.0 * HALF)

    H, V = brentq(spans, 1.0, 1e6), 0.5 * w * LENGTH
    return H, V, float((np.hypot(H, V) - H) / w + V**2 / (2 * w * EA))


def line(sway: float) -> cs.Model:
    """The line, an arc of the right length between its ends; the right one is moved."""
    model = cs.Model("mooring", gravity=(0, 0, -G), fluid=cs.Fluid(density=RHO))
    turn = brentq(lambda b: np.sin(b) / b - 2 * HALF / LENGTH, 1e-3, 3.0)
    r = LENGTH / (2 * turn)
    arc = [f"{r}*sin({turn}*(2*s - 1))", "0", f"-10 + {r}*(cos({turn}) - cos({turn}*(2*s - 1)))"]
    section = cs.Section(stiffness=[EA, EA, EA, EI, EI, EI], mass=[MASS] * 3 + [1e-3] * 3)
    beam = model.add(cs.Beam("line", curve=arc, section=section, elements=ELEMENTS))
    model.add(cs.Revolute("anchor", cs.GROUND, beam.start, axis=(0, 1, 0)))
    ship = model.add(cs.RigidBody("ship", mass=1.0, com=(HALF, 0, -10), inertia=np.eye(3)))
    motion = f"{sway}*(1 - cos({OMEGA}*t))/2"
    model.add(cs.Prismatic("sway", cs.GROUND, ship, axis=(1, 0, 0), at=(HALF, 0, -10), motion=motion))
    model.add(cs.Spherical("fairlead", ship.at((HALF, 0, -10)), beam.end))
    model.add(cs.Morison("water", beam, diameter=DIAMETER, drag=DRAG, tangential_drag=ALONG))
    return model


def ours() -> tuple[np.ndarray, np.ndarray, float]:
    """Forces (N) of the line on the ship at rest; tension over time, and CPU time (s)."""
    rest = cs.equilibrium(line(SWAY))
    cs.simulate(line(SWAY), 2 * STEP, STEP)  # kernels are compiled
    began = time.process_time()
    run = cs.simulate(line(SWAY), DURATION, STEP, start="equilibrium")
    spent = time.process_time() - began
    pulls = run.reaction("fairlead").values[:, :3]
    return np.abs(rest.reaction("fairlead")[:3]), np.linalg.norm(pulls, axis=1), spent


def theirs() -> tuple[np.ndarray, np.ndarray, float]:
    """The same of MoorDyn. It moves an end at constant speed in a step: many small ones, or it would be knocked."""
    import moordyn

    with tempfile.TemporaryDirectory() as folder, silent(folder):
        Path("line.txt").write_text(text((-HALF, -10, "Fixed"), (HALF, -10, "Coupled"), LENGTH))
        system = moordyn.Create("line.txt")
        moordyn.Init(system, [HALF, 0, -10], [0, 0, 0])
        point = moordyn.GetPoint(system, 2)
        pulls = [np.array(moordyn.GetPointForce(point))]
        began = time.process_time()
        for k in range(round(DURATION / STEP) * SMALLER):
            t = k * STEP / SMALLER
            x = HALF + SWAY * (1 - np.cos(OMEGA * t)) / 2
            v = SWAY * OMEGA * np.sin(OMEGA * t) / 2
            moordyn.Step(system, [x, 0, -10], [v, 0, 0], t, STEP / SMALLER)
            if (k + 1) % SMALLER == 0:
                pulls.append(np.array(moordyn.GetPointForce(point)))
        spent = time.process_time() - began
        moordyn.Close(system)
    return np.abs(pulls[0]), np.linalg.norm(pulls, axis=1), spent


def text(left: tuple[float, float, str], right: tuple[float, float, str], length: float) -> str:
    """A line between two points as an input file of MoorDyn."""
    rows = [f"{k}  {kind}  {x}  0  {z}  0  0  0  0" for k, (x, z, kind) in enumerate((left, right), 1)]
    numbers = dict(d=DIAMETER, m=MASS, ea=EA, ei=0.0, cd=DRAG, ct=ALONG, length=length, n=ELEMENTS)
    return INPUT.format(**numbers, dt=2e-4, g=G, rho=RHO, points="\n".join(rows))


def towed() -> None:
    """Print the angle of a towed cable in closed form, ours, and that of MoorDyn after a minute and a half."""
    w, k = weight(), 0.5 * RHO * DIAMETER * DRAG * SPEED**2
    closed = np.degrees(np.arccos((-w + np.sqrt(w**2 + 4 * k**2)) / (2 * k)))
    model = cs.Model("tow", gravity=(0, 0, -G), fluid=cs.Fluid(density=RHO, velocity=(-SPEED, 0, 0)))
    section = cs.Section(stiffness=[EA, EA, EA, EI, EI, EI], mass=[MASS] * 3 + [1e-3] * 3)
    beam = model.add(cs.Beam("cable", points=[(0, 0, -10), (0, 0, -60)], section=section, elements=20))
    model.add(cs.Revolute("ship", cs.GROUND, beam.start, axis=(0, 1, 0)))
    model.add(cs.Morison("water", beam, diameter=DIAMETER, drag=DRAG, tangential_drag=ALONG))
    began = time.process_time()
    end = cs.equilibrium(model).position("cable.end")
    spent = time.process_time() - began
    print(f"towed at {SPEED:g} m/s, angle below the horizontal (deg); closed form {closed:.4f}")
    print(f"cosserat         {np.degrees(np.arctan2(-10 - end[2], -end[0])):14.4f}  equilibrium, {spent:.2f} s")
    try:
        import moordyn
    except ImportError:
        return
    with tempfile.TemporaryDirectory() as folder, silent(folder):
        Path("line.txt").write_text(text((0, -10, "Coupled"), (0, -60, "Free"), 50.0))
        system = moordyn.Create("line.txt")
        moordyn.Init(system, [0, 0, -10], [0, 0, 0])
        began, h, x = time.process_time(), 0.01, 0.0
        for i in range(9000):
            v = SPEED * (1 - np.exp(-i * h / 5))
            moordyn.Step(system, [x, 0, -10], [v, 0, 0], i * h, h)
            x += h * v
        spent = time.process_time() - began
        end = np.array(moordyn.GetPointPos(moordyn.GetPoint(system, 2)))
        moordyn.Close(system)
    print(f"MoorDyn          {np.degrees(np.arctan2(-10 - end[2], x - end[0])):14.4f}  90 s of towing, {spent:.2f} s")


@contextlib.contextmanager
def silent(folder: str) -> Iterator[None]:
    """Work in a folder, without what compiled code prints."""
    here, kept, nowhere = os.getcwd(), os.dup(1), os.open(os.devnull, os.O_WRONLY)
    sys.stdout.flush()
    os.dup2(nowhere, 1)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def main() -> None:
    """Print both, and the catenary."""
    H, V, _ = catenary()
    print(f"at rest          horizontal (N)  vertical (N)   catenary {H:.2f} {V:.2f}")
    rest, tension, spent = ours()
    print(f"cosserat         {rest[0]:14.2f}  {rest[2]:12.2f}")
    rows = [("cosserat", tension, spent)]
    try:
        rest, tension, spent = theirs()
    except ImportError:
        print("moordyn is not installed: pip install moordyn")
    else:
        print(f"MoorDyn          {rest[0]:14.2f}  {rest[2]:12.2f}")
        rows.append(("MoorDyn", tension, spent))
    print(f"moved by {SWAY:g} m, {OMEGA:g} rad/s, {DURATION:g} s: tension (N) least, largest; CPU time (s)")
    late = slice(len(rows[0][1]) // 2, None)
    for name, tension, spent in rows:
        print(f"{name:16s} {tension[late].min():14.2f}  {tension[late].max():12.2f}  {spent:8.2f}")
    if len(rows) == 2:
        apart = np.sqrt(np.mean((rows[0][1][late] - rows[1][1][late]) ** 2)) / np.ptp(rows[1][1][late])
        print(f"root mean square difference over the range of tensions: {100 * apart:.2f} %")
    towed()


if __name__ == "__main__":
    main()
