"""A mechanism as plain data, and the model of it that an observer with other axes and units writes down."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import cosserat as cs
from cosserat.lie import so3

BODIES = ("RigidBody", "Beam")
LINKS = ("Spring", "Damper")
TOUCHING = ("RollingDisc", "KnifeEdge")
LOADS = ("Force", "Torque", "DistributedLoad")
FREEDOMS = {
    "Fixed": (), "Revolute": ("rz",), "Prismatic": ("z",), "Screw": ("rz",), "Cylindrical": ("z", "rz"),
    "Planar": ("x", "y", "rz"), "PlanarTranslation": ("x", "y"), "Spherical": ("rx", "ry", "rz"),
    "Universal": ("rx", "ry"), "Free": ("x", "y", "z", "rx", "ry", "rz"),
}  # fmt: skip
MIXED = ("Planar", "PlanarTranslation", "Spherical", "Free")  # their axes are not the mechanism's own


@dataclass(frozen=True)
class Spot:
    """A place: a point of the ground or of a rigid body, or a parameter s of a beam."""

    owner: str
    at: Any

    @property
    def grounded(self) -> bool:
        return self.owner == "ground"


@dataclass(frozen=True)
class Part:
    """A component: its kind, its name and what the builder of its kind needs, in SI units and the first axes."""

    kind: str
    name: str
    given: dict[str, Any]

    def but(self, **changes: Any) -> Part:
        return replace(self, given={**self.given, **changes})

    def uses(self) -> set[str]:
        """Names of the bodies that it needs."""
        spots = [v for v in self.given.values() if isinstance(v, Spot)]
        named = {self.given[k] for k in ("beam", "joint") if k in self.given}
        return {s.owner for s in spots if not s.grounded} | named


@dataclass(frozen=True)
class Mechanism:
    """Parts under gravity."""

    name: str
    gravity: tuple[float, float, float]
    parts: tuple[Part, ...]

    def of(self, *kinds: str) -> list[Part]:
        return [p for p in self.parts if p.kind in kinds]

    @property
    def bodies(self) -> list[Part]:
        return self.of(*BODIES)

    @property
    def joints(self) -> list[Part]:
        return self.of(*FREEDOMS)

    @property
    def extent(self) -> float:
        """Size of the box around all bodies and joints (m)."""
        points = [p.given["at"] for p in self.joints]
        for body in self.bodies:
            points += [body.given[k] for k in ("com", "from", "to") if k in body.given]
        return float(max(np.ptp(np.array(points), axis=0).max(), 0.3))

    def jumps(self) -> list[float]:
        """When loads begin or end at a moment (s)."""
        formulas = " ".join(str(f) for p in self.of("Force", "Torque") for f in p.given["vector"])
        return sorted({float(moment) for moment in re.findall(r"\bstep\(\{t\}, ([^)]*)\)", formulas)})

    def without(self, part: Part) -> Mechanism:
        """The mechanism without a part and whatever needs it."""
        gone = {part.name}
        for p in self.parts:  # what needs a part comes after it
            if gone & p.uses():
                gone.add(p.name)
        return replace(self, parts=tuple(p for p in self.parts if p.name not in gone))

    def mapped(self, change: Any, *kinds: str) -> Mechanism:
        """The mechanism with all parts of some kinds changed."""
        return replace(self, parts=tuple(change(p) if p.kind in kinds else p for p in self.parts))

    def rigid(self) -> Mechanism:
        """The mechanism with bars in place of its beams; line loads are dropped."""
        beams = {b.name: b for b in self.of("Beam")}

        def moved(value: Any) -> Any:
            if isinstance(value, Spot) and value.owner in beams:
                return Spot(value.owner, beams[value.owner].given["to" if value.at > 0.5 else "from"])
            return value

        def change(part: Part) -> Part:
            if part.kind != "Beam":
                return replace(part, given={k: moved(v) for k, v in part.given.items()})
            start, end, w = (np.array(part.given[k]) for k in ("from", "to", "spin"))
            given = {
                "mass": 0.7, "com": (0.5 * (start + end)).tolist(), "inertia": [0.02, 0.03, 0.035],
                "turn": [0.1, 0.2, 0.3], "spin": w.tolist(),
                "velocity": (part.given["velocity"] + np.cross(w, 0.5 * (end - start))).tolist(),
            }  # fmt: skip
            return Part("RigidBody", part.name, given)

        return replace(self, parts=tuple(change(p) for p in self.parts if p.kind != "DistributedLoad"))

    def spots(self) -> dict[str, Spot]:
        """Places to look at: each rigid body, and start, middle and end of each beam."""
        found = {}
        for body in self.bodies:
            if body.kind == "RigidBody":
                found[body.name] = Spot(body.name, None)
            else:
                found |= {f"{body.name}.at({s})": Spot(body.name, s) for s in (0.0, 0.5, 1.0)}
        return found


@dataclass(frozen=True)
class Observer:
    """Whoever describes the mechanism: x_new = length (R x + shift), and units of mass and time of its own."""

    R: Any = field(default_factory=lambda: np.eye(3))
    shift: Any = (0.0, 0.0, 0.0)
    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0
    clock: float = 0.0  # what the observer's clock shows (in SI units) at the start

    @classmethod
    def turned(cls, rng: np.random.Generator) -> Observer:
        return cls(so3.exp(rng.normal(size=3)), tuple(rng.normal(size=3).tolist()))

    def factor(self, m: float = 0, l: float = 0, t: float = 0) -> float:
        """Factor from SI to the observer's units, of a quantity with these exponents."""
        return float(self.mass**m * self.length**l * self.time**t)

    def point(self, x: Any) -> list[float]:
        return (self.length * (self.R @ np.asarray(x, float) + self.shift)).tolist()

    def vector(self, v: Any, m: float = 0, l: float = 0, t: float = 0) -> list[float]:
        return (self.factor(m, l, t) * (self.R @ np.asarray(v, float))).tolist()

    def function(self, f: Any, m: float = 0, l: float = 0, t: float = 0) -> Any:
        """A number, or a formula written with {t} for the time."""
        factor = self.factor(m, l, t)
        if not isinstance(f, str):
            return factor * f
        t_text = "t" if self.time == 1.0 else f"(t/{self.time!r})"
        text = f.format(t=t_text if self.clock == 0.0 else f"({t_text} - {self.clock!r})")
        return text if factor == 1.0 else f"{factor!r}*({text})"

    def functions(self, three: Any, m: float = 0, l: float = 0, t: float = 0) -> list[Any]:
        """A vector of numbers and formulas."""
        return _turned(self.R, [self.function(f, m, l, t) for f in three])


def _turned(R: Any, three: list[Any], shift: Any = (0.0, 0.0, 0.0)) -> list[Any]:
    if np.array_equal(R, np.eye(3)) and not np.any(shift):
        return three
    if not any(isinstance(f, str) for f in three):
        return (R @ np.array(three) + shift).tolist()
    rows = [" + ".join(f"({float(R[i, j])!r})*({f})" for j, f in enumerate(three)) for i in range(3)]
    return [f"{row} + ({float(s)!r})" for row, s in zip(rows, shift)]


def build(mechanism: Mechanism, see: Observer | None = None, symbol: Any = None) -> cs.Model:
    """The model that an observer makes of a mechanism; `symbol` makes parameters of numbers."""
    see = Observer() if see is None else see
    gravity: Any = see.vector(mechanism.gravity, l=1, t=-2)
    parts = mechanism.parts
    if symbol is not None:
        gravity = [symbol(g) for g in gravity]
        parts = tuple(p.but(**{k: symbol(p.given[k]) for k in _NUMBERS if _is_number(p.given.get(k))}) for p in parts)
    model = cs.Model(mechanism.name, gravity=gravity)
    for part in parts:
        make = _joint if part.kind in FREEDOMS else _MAKERS[part.kind]
        model.add(make(part, part.given, see, lambda spot: _place(model, spot, see)))
    return model


_NUMBERS = ("mass", "pitch", "length", "stiffness", "damping")  # of bodies, springs and joints


def _is_number(value: Any) -> bool:
    return isinstance(value, float) and value != 0.0


def place_text(spot: Spot) -> str:
    """The place in results of a model."""
    return spot.owner if spot.at is None else f"{spot.owner}.at({spot.at!r})"


def _place(model: cs.Model, spot: Spot, see: Observer) -> Any:
    if spot.grounded:
        return cs.GROUND if spot.at is None else cs.GROUND.at(see.point(spot.at))
    owner = model[spot.owner]
    if spot.at is None:
        return owner
    return owner.at(spot.at) if isinstance(owner, cs.Beam) else owner.at(see.point(spot.at))


def _rigid(part: Part, given: dict[str, Any], see: Observer, place: Any) -> Any:
    return cs.RigidBody(
        part.name, mass=see.factor(m=1) * given["mass"], com=see.point(given["com"]),
        inertia=see.factor(m=1, l=2) * np.diag(given["inertia"]), rotation=see.R @ so3.exp(given["turn"]),
        velocity=see.vector(given["velocity"], l=1, t=-1), angular_velocity=see.vector(given["spin"], t=-1),
    )  # fmt: skip


def _beam(part: Part, given: dict[str, Any], see: Observer, place: Any) -> Any:
    line: dict[str, Any]
    if "curve" in given:
        scaled = [see.function(f, l=1) if isinstance(f, str) else see.length * f for f in given["curve"]]
        line = {"curve": _turned(see.R, scaled, see.length * np.asarray(see.shift))}
    else:
        line = {"points": [see.point(given["from"]), see.point(given["to"])]}
    E, nu, rho, damping = given["material"]
    material = cs.Material(
        E=see.factor(1, -1, -2) * E, nu=nu, rho=see.factor(1, -3) * rho, damping=see.factor(t=1) * damping
    )
    sections = [_section(kind, numbers, material, see) for kind, numbers in given["section"]]
    return cs.Beam(
        part.name, section=sections[0] if len(sections) == 1 else tuple(sections), material=material,
        elements=given["elements"], up=see.vector(given["up"]), velocity=_rigid_field(given, see), **line,
    )  # fmt: skip


def _rigid_field(given: dict[str, Any], see: Observer) -> list[Any] | None:
    """Velocity v + w x (x - start) and angular velocity w at every point, as formulas."""
    v, w = see.vector(given["velocity"], l=1, t=-1), see.vector(given["spin"], t=-1)
    if not any(v + w):
        return None
    x = [f"({axis} - ({a!r}))" for axis, a in zip("xyz", see.point(given["from"]))]
    turning = ((1, 2), (2, 0), (0, 1))
    return [f"{v[i]!r} + ({w[j]!r})*{x[k]} - ({w[k]!r})*{x[j]}" for i, (j, k) in enumerate(turning)] + w


def _section(kind: str, numbers: dict[str, float], material: cs.Material, see: Observer) -> Any:
    """A shape; or the matrices of a rectangle turned by an angle, moved off the axis, with coupled strains."""
    if kind != "Section":
        return getattr(cs, kind)(**{k: see.length * v for k, v in numbers.items()})
    K, M = cs.Rectangle(numbers["width"] * see.length, numbers["height"] * see.length).matrices(material)
    turn = np.kron(np.eye(2), so3.exp([numbers["angle"], 0.0, 0.0]))
    K, M = turn @ K @ turn.T, turn @ M @ turn.T
    for matrix, offset in ((K, numbers["elastic"]), (M, numbers["heavy"])):
        arm = np.eye(6)
        arm[:3, 3:] = -so3.hat(np.array([0.0, *offset]) * see.length)
        matrix[:] = arm.T @ matrix @ arm
    bend = numbers["coupling"] * np.sqrt(K[3, 3] * K[4, 4])
    K[3, 4] += bend
    K[4, 3] += bend
    return cs.Section(stiffness=0.5 * (K + K.T), mass=0.5 * (M + M.T))


def _joint(part: Part, given: dict[str, Any], see: Observer, place: Any) -> Any:
    names = FREEDOMS[part.kind]
    more: dict[str, Any] = {"at": see.point(given["at"])}
    if part.kind in ("Revolute", "Prismatic", "Cylindrical", "Screw"):
        more["axis"] = see.vector(given["axis"])
    if part.kind in ("Planar", "PlanarTranslation"):
        more["normal"] = see.vector(given["axis"])
    if part.kind == "Screw":
        more["pitch"] = see.length * given["pitch"]
    if part.kind == "Universal":
        more["axes"] = [see.vector(a) for a in given["axes"]]
    linear = {n: 0 if n.startswith("r") else 2 for n in names}
    for word, exponents in (("stiffness", (1, 2, -2)), ("damping", (1, 2, -1)), ("armature", (1, 2, 0))):
        if word in given:
            m, l, t = exponents
            more[word] = {n: see.factor(m, l - linear[n], t) * given[word][n] for n in names if n in given[word]}
    if "friction" in given:
        level, speed = given["friction"]
        more["friction"] = {
            n: cs.Friction(see.factor(1, 2 - linear[n] / 2, -2) * level, see.factor(0, linear[n] / 2, -1) * speed)
            for n in names
        }
    for word, m, l, t in (("motion", 0, 0, 0), ("effort", 1, 2, -2)):
        if word not in given:
            continue
        if part.kind in ("Spherical", "Free") and len(given[word]) >= 3:
            more[word] = _by_axes(given[word], word, see)
            continue
        sign = 1 if word == "motion" else -1
        more[word] = {n: see.function(f, m, l + sign * linear[n] / 2, t) for n, f in given[word].items()}
    return getattr(cs, part.kind)(part.name, place(given["parent"]), place(given["child"]), **more)


def _by_axes(given: dict[str, Any], word: str, see: Observer) -> dict[str, Any]:
    """Vectors of coordinates or efforts in world axes, which turn with the observer."""
    found: dict[str, Any] = {}
    for names in (("x", "y", "z"), ("rx", "ry", "rz")):
        if names[0] in given:
            turning = names[0] == "rx"
            exponents = (0, 0 if turning else 1, 0) if word == "motion" else (1, 2 if turning else 1, -2)
            found |= dict(zip(names, see.functions([given[n] for n in names], *exponents)))
    return found


def _servo(part: Part, given: dict[str, Any], see: Observer, place: Any) -> Any:
    name, straight = given["coordinate"], not given["coordinate"].startswith("r")
    coordinate = given["joint"] if len(given["names"]) == 1 else f"{given['joint']}.{name}"
    more = {"limit": see.factor(1, 1 if straight else 2, -2) * given["limit"]} if "limit" in given else {}
    return cs.Servo(
        part.name, coordinate, target=see.function(given["target"], l=1 if straight else 0),
        kp=see.factor(1, 0 if straight else 2, -2) * given["kp"],
        kd=see.factor(1, 0 if straight else 2, -1) * given["kd"], **more,
    )  # fmt: skip


def _link(part: Part, given: dict[str, Any], see: Observer, place: Any) -> Any:
    more = {"damping": see.factor(1, 0, -1) * given["damping"]}
    if part.kind == "Spring":
        more["stiffness"] = see.factor(1, 0, -2) * given["stiffness"]
        if given.get("length") is not None:
            more["length"] = see.length * given["length"]
    return getattr(cs, part.kind)(part.name, place(given["a"]), place(given["b"]), **more)


def _load(part: Part, given: dict[str, Any], see: Observer, place: Any) -> Any:
    exponents = (1, 1, -2) if part.kind == "Force" else (1, 2, -2)
    vector = see.functions(given["vector"], *exponents)
    return getattr(cs, part.kind)(part.name, place(given["place"]), vector, follower=given["follower"])


def _rolling(part: Part, given: dict[str, Any], see: Observer, place: Any) -> Any:
    return cs.RollingDisc(
        part.name, place(given["place"]), see.length * given["radius"], see.vector(given["axis"]),
        normal=see.vector(given["normal"]), point=see.point(given["point"]),
    )  # fmt: skip


def _edge(part: Part, given: dict[str, Any], see: Observer, place: Any) -> Any:
    return cs.KnifeEdge(part.name, place(given["place"]), see.vector(given["axis"]))


def _line_load(part: Part, given: dict[str, Any], see: Observer, place: Any) -> Any:
    more = {
        word: see.functions(given[word], 1, length, -2)
        for word, length in (("force", 0), ("moment", 1))
        if word in given
    }
    return cs.DistributedLoad(part.name, given["beam"], follower=given["follower"], **more)


_MAKERS = {
    "RigidBody": _rigid, "Beam": _beam, "Spring": _link, "Damper": _link, "Force": _load, "Torque": _load,
    "DistributedLoad": _line_load, "Servo": _servo, "RollingDisc": _rolling, "KnifeEdge": _edge,
}  # fmt: skip
