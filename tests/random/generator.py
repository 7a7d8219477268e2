"""Random mechanisms: the same seed gives the same mechanism, whatever the machine."""

from __future__ import annotations

from typing import Any

import numpy as np

from .mechanism import FREEDOMS, MIXED, Mechanism, Part, Spot

KINDS = tuple(k for k in FREEDOMS if k != "Fixed")
SHAPES = ("straight", "arc", "helix", "taper", "offset", "coupled", "twisted")
TURNING = ("Revolute", "Screw", "Cylindrical", "Spherical", "Universal")


def random_mechanism(
    seed: int, *, beams: bool = True, closed: bool = True, driven: bool = True, controlled: bool = True,
    more: bool = False,
) -> Mechanism:  # fmt: skip
    """A mechanism of one to four bodies, joined to the ground or free, with loops, springs and loads now and then.

    Parameters
    ----------
    seed : int
    beams, closed, driven, controlled : bool
        Whether there may be beams, closed loops, prescribed motions, servos and loads that are switched.
    more : bool
        Whether joints may have armatures, and bodies roll on a plane or glide on an edge.
    """
    maker = _Maker(seed, beams, closed, driven, controlled)
    mechanism = maker.mechanism()
    return maker.dressed(mechanism, np.random.default_rng([20_261_118, seed])) if more else mechanism


class _Maker:
    def __init__(self, seed: int, beams: bool, closed: bool, driven: bool, controlled: bool) -> None:
        self.rng = np.random.default_rng([20_260_101, seed])
        self.extras = np.random.default_rng([20_261_122, seed])  # of its own: what came first stays as it was
        self.name = f"random-{seed}"
        self.beams, self.closed, self.driven, self.controlled = beams, closed, driven, controlled
        self.parts: list[Part] = []
        self.ends: dict[str, tuple[Spot, Any]] = {}  # of each body: where the next is joined
        self.origin = self.vector(0.3)

    def mechanism(self) -> Mechanism:
        rng = self.rng
        free = rng.random() < 0.2
        for i in range(int(rng.integers(1, 5))):
            self.grow(i, free)
        if self.closed and not free and len(self.ends) > 1 and rng.random() < 0.3:
            self.close()
        for i in range(int(rng.integers(0, 3))):
            self.link(f"link{i}", free)
        for i in range(int(rng.integers(0, 3))):
            self.load(f"load{i}")
        if rng.random() < 0.4:
            self.throw(free)
        if self.controlled:
            self.control()
            self.switch()
        gravity = tuple(self.vector(9.81)) if rng.random() < 0.8 else (0.0, 0.0, 0.0)
        return Mechanism(self.name, gravity, tuple(self.parts))

    def dressed(self, mechanism: Mechanism, rng: np.random.Generator) -> Mechanism:
        """With armatures in joints, and a disc that rolls or an edge that glides on a body with freedoms to lose."""
        parts = []
        for part in mechanism.parts:
            names = FREEDOMS.get(part.kind, ())
            if names and part.kind not in MIXED and rng.random() < 0.4:
                size = float(np.exp(rng.uniform(np.log(0.005), np.log(0.1))))
                part = part.but(armature={n: size * (1.0 if n.startswith("r") else 10.0) for n in names})
            parts.append(part)
        bodies = [p for p in mechanism.of("RigidBody") if self.freedoms(p.name) > 3]
        moved = any(any(p.given["velocity"]) or any(p.given["spin"]) for p in mechanism.bodies)
        moved |= any("motion" in p.given for p in mechanism.joints)
        if bodies and not moved and rng.random() < 0.8:
            body = bodies[int(rng.integers(len(bodies)))]
            axis, normal = (v / np.linalg.norm(v) for v in rng.normal(size=(2, 3)))
            across = float(np.linalg.norm(np.cross(axis, normal)))
            spot = Spot(body.name, None)
            if across > 0.3 and rng.random() < 0.5:
                radius = float(rng.uniform(0.1, 0.4))
                point = np.array(body.given["com"]) - radius * across * normal
                given = {"place": spot, "radius": radius, "axis": axis.tolist(), "normal": normal.tolist(),
                         "point": point.tolist()}  # fmt: skip
                parts.append(Part("RollingDisc", "rolls", given))
            else:
                parts.append(Part("KnifeEdge", "edge", {"place": spot, "axis": axis.tolist()}))
        return Mechanism(mechanism.name, mechanism.gravity, tuple(parts))

    def freedoms(self, name: str) -> int:
        """Of a body, by the joints on its way to the ground; 0 if a loop is closed."""
        if any(p.name == "closing" for p in self.parts):
            return 0
        free = 0
        while name != "ground":
            inner = [p for p in self.parts if p.kind in FREEDOMS and p.given["child"].owner == name]
            if not inner:
                return free + 6
            free += len(FREEDOMS[inner[0].kind])
            name = inner[0].given["parent"].owner
        return free

    # numbers ----------------------------------------------------------------------------------------------------------

    def vector(self, size: float = 1.0) -> list[float]:
        """A vector of a random direction, with a length near `size`."""
        v = self.rng.normal(size=3)
        return (v / np.linalg.norm(v) * size * self.between(0.7, 1.3)).tolist()

    def unit(self) -> list[float]:
        v = np.array(self.vector())
        return (v / np.linalg.norm(v)).tolist()

    def between(self, low: float, high: float) -> float:
        """A number spread evenly in its logarithm."""
        return float(np.exp(self.rng.uniform(np.log(low), np.log(high))))

    def choice(self, of: Any) -> Any:
        return of[int(self.rng.integers(len(of)))]

    # bodies and joints ------------------------------------------------------------------------------------------------

    def grow(self, i: int, free: bool) -> None:
        """Another body at the end of one of those there are, or on the ground."""
        rng = self.rng
        parent: tuple[Spot, Any] = (Spot("ground", None), self.origin)
        if i > 0:
            parent = self.ends[self.choice(list(self.ends))]
        start = np.array(parent[1], float)
        along = np.array(self.vector(self.between(0.3, 0.8)))
        name = f"body{i}"
        is_beam = self.beams and rng.random() < 0.4
        body, child, end = (self.beam if is_beam else self.rigid)(name, start, along)
        self.parts.append(body)
        self.ends[name] = end
        if i > 0 or not free:
            kind = self.choice((*KINDS, *TURNING, "Fixed"))
            self.parts.append(self.joint(f"joint{i}", kind, parent[0], child, start))

    def rigid(self, name: str, start: Any, along: Any) -> tuple[Part, Spot, tuple[Spot, Any]]:
        box = self.rng.uniform(0.05, 0.4, size=3)
        mass = self.between(0.3, 3.0)
        inertia = [mass / 12 * float(box @ box - b * b) for b in box]
        given = {
            "mass": mass, "com": (start + 0.5 * along + self.vector(0.05)).tolist(), "inertia": inertia,
            "turn": self.vector(1.0), "velocity": [0.0] * 3, "spin": [0.0] * 3,
        }  # fmt: skip
        tip = (start + along).tolist()
        return Part("RigidBody", name, given), Spot(name, start.tolist()), (Spot(name, tip), tip)

    def beam(self, name: str, start: Any, along: Any) -> tuple[Part, Spot, tuple[Spot, Any]]:
        shape = self.choice(SHAPES)
        length = float(np.linalg.norm(along))
        side = np.cross(along, self.unit())
        side *= length / np.linalg.norm(side)
        given: dict[str, Any] = {
            "from": start.tolist(), "to": (start + along).tolist(), "up": (side / length).tolist(),
            "elements": int(self.rng.integers(1, 4)),
            "material": (self.between(1e7, 1e9), 0.3, 1200.0, self.choice((0.0, 0.0, 1e-3))),
            "section": [self.section(shape, length)], "velocity": [0.0] * 3, "spin": [0.0] * 3,
        }  # fmt: skip
        if shape == "taper":
            given["section"] = [("Rod", {"diameter": f * length}) for f in self.rng.uniform(0.06, 0.15, 2).tolist()]
        if shape == "twisted":
            kind, numbers = self.section("twisted", length)
            given["section"].append((kind, {**numbers, "angle": numbers["angle"] + float(self.rng.uniform(-0.8, 0.8))}))
            given["section"][0] = (kind, numbers)
        if shape in ("arc", "helix"):
            given["elements"] += 1
            angle = float(self.rng.uniform(0.4, 1.5))
            third = np.cross(along, side) / length
            forms = (f"sin({angle!r}*s)", f"(1 - cos({angle!r}*s))", "0.4*s" if shape == "helix" else "0")
            given["curve"] = [
                " + ".join([repr(float(start[k]))] + [f"({float(a[k]) / angle!r})*{f}" for a, f in zip(
                    (along, side, third), forms)]) for k in range(3)
            ]  # fmt: skip
            values = (np.sin(angle), 1 - np.cos(angle), 0.4 if shape == "helix" else 0.0)
            given["to"] = (start + sum(a * v for a, v in zip((along, side, third), values)) / angle).tolist()
            given["up"] = (third / np.linalg.norm(third)).tolist()
        return Part("Beam", name, given), Spot(name, 0.0), (Spot(name, 1.0), given["to"])

    def section(self, shape: str, length: float) -> tuple[str, dict[str, Any]]:
        a, b = (self.rng.uniform(0.05, 0.15, 2) * length).tolist()
        if shape in ("offset", "coupled", "twisted"):
            off = shape == "offset"
            return "Section", {
                "width": a, "height": b, "angle": 0.0 if off else float(self.rng.uniform(-1, 1)),
                "elastic": (self.rng.uniform(-0.3, 0.3, 2) * a).tolist() if off else [0.0, 0.0],
                "heavy": (self.rng.uniform(-0.3, 0.3, 2) * a).tolist() if off else [0.0, 0.0],
                "coupling": float(self.rng.uniform(-0.4, 0.4)) if shape == "coupled" else 0.0,
            }  # fmt: skip
        if self.rng.random() < 0.3:
            return "Tube", {"outer_diameter": a + 0.02, "inner_diameter": a}
        return "Rectangle", {"width": a, "height": b}

    def joint(self, name: str, kind: str, parent: Spot, child: Spot, at: Any) -> Part:
        rng = self.rng
        given: dict[str, Any] = {"parent": parent, "child": child, "at": list(map(float, at)), "axis": self.unit()}
        if kind == "Universal":
            other = np.cross(given["axis"], self.unit())
            given["axes"] = [given["axis"], (other / np.linalg.norm(other)).tolist()]
        if kind == "Screw":
            given["pitch"] = float(rng.uniform(-0.2, 0.2))
        names = FREEDOMS[kind]
        turns, moves = self.between(1.0, 30.0), self.between(20.0, 500.0)
        if names and (rng.random() < 0.5 or kind == "Free"):
            given["stiffness"] = {n: turns if n.startswith("r") else moves for n in names}
        if names and rng.random() < 0.4:
            given["damping"] = {n: 0.02 * (turns if n.startswith("r") else moves) for n in names}
        if names and kind not in MIXED and rng.random() < 0.2:
            given["friction"] = (self.between(0.05, 0.5), self.between(0.1, 1.0))
        chance = rng.random()
        if self.driven and kind not in ("Fixed", "Free") and chance < 0.15:
            given["motion"] = {n: self.motion() for n in names}
        elif names and kind not in MIXED and chance < 0.4:
            given["effort"] = {n: self.signal(2.0) for n in names}
        return Part(kind, name, given)

    def close(self) -> None:
        """Join the last body to the ground once more, by a joint that leaves a chain something to move."""
        last = list(self.ends)[-1]
        spot, at = self.ends[last]
        free, soft, name = 0, False, last
        while name != "ground":  # along the chain that becomes a loop
            soft |= any(p.kind == "Beam" and p.name == name for p in self.parts)
            inner = next(p for p in self.parts if p.kind in FREEDOMS and p.given["child"].owner == name)
            free += len(FREEDOMS[inner.kind]) - len(inner.given.get("motion", {}))
            name = inner.given["parent"].owner
        kind = "Spherical" if free > 3 or soft else "Free"
        part = self.joint("closing", kind, Spot("ground", None), spot, at)
        self.parts.append(Part(kind, "closing", {k: v for k, v in part.given.items() if k not in ("motion", "effort")}))

    def motion(self) -> str:
        """A motion that starts at rest."""
        size, speed = float(self.rng.uniform(-0.6, 0.6)), self.between(2.0, 8.0)
        return self.choice((
            f"{size!r}*(1 - cos({speed!r}*{{t}}))",
            f"{size!r}*smoothstep({{t}}, 0, {2.0 / speed!r})",
            f"{size!r}*({speed!r}*{{t}} - sin({speed!r}*{{t}}))",
        ))  # fmt: skip

    def signal(self, size: float) -> Any:
        """A constant, or a smooth function of time."""
        value, speed = float(self.rng.normal() * size), self.between(2.0, 20.0)
        return self.choice((value, f"{value!r}*sin({speed!r}*{{t}})", f"{value!r}*cos({speed!r}*{{t}})"))

    def control(self) -> None:
        """A servo in a freedom that nothing drives, now and then with a limit that it reaches."""
        rng, found = self.extras, []
        for part in self.parts:
            if part.kind in FREEDOMS and part.kind not in MIXED and "motion" not in part.given:
                found += [(part, name) for name in FREEDOMS[part.kind]]
        if not found or rng.random() > 0.25:
            return
        joint, name = found[int(rng.integers(len(found)))]
        turns = name.startswith("r")
        gain = float(np.exp(rng.uniform(np.log(2.0), np.log(40.0)))) * (1.0 if turns else 20.0)
        size, speed = float(rng.uniform(-0.4, 0.4)) * (1.0 if turns else 0.2), float(rng.uniform(2.0, 8.0))
        target = (size, f"{size!r}*(1 - cos({speed!r}*{{t}}))")[int(rng.integers(2))]
        given = {"joint": joint.name, "coordinate": name, "names": FREEDOMS[joint.kind], "target": target,
                 "kp": gain, "kd": 0.05 * gain}  # fmt: skip
        if rng.random() < 0.3:
            given["limit"] = 0.2 * gain * abs(size)
        self.parts.append(Part("Servo", "servo", given))

    def switch(self) -> None:
        """One of the point loads begins or ends at a moment."""
        rng = self.extras
        loads = [i for i, p in enumerate(self.parts) if p.kind in ("Force", "Torque")]
        if not loads or rng.random() > 0.2:
            return
        i, moment = loads[int(rng.integers(len(loads)))], float(rng.uniform(0.01, 0.1))
        form = ("step({{t}}, {0!r})", "(1 - step({{t}}, {0!r}))")[int(rng.integers(2))].format(moment)
        vector = [f"{f!r}*{form}" if not isinstance(f, str) else f"{f}*{form}" for f in self.parts[i].given["vector"]]
        self.parts[i] = self.parts[i].but(vector=vector)

    # forces -----------------------------------------------------------------------------------------------------------

    def some_spot(self) -> Spot:
        name = self.choice(list(self.ends))
        body = next(p for p in self.parts if p.name == name)
        if body.kind == "Beam":
            return Spot(name, self.choice((0.0, 1.0)))  # a place inside would be a node, and change the mesh
        return Spot(name, (np.array(body.given["com"]) + self.vector(0.15)).tolist())

    def point(self, spot: Spot) -> Any:
        """Where a place is in the reference configuration."""
        body = next((p for p in self.parts if p.name == spot.owner), None)
        if body is not None and body.kind == "Beam":
            return body.given["to" if spot.at > 0.5 else "from"]
        return spot.at

    def link(self, name: str, free: bool) -> None:
        b = self.some_spot()
        a = self.some_spot() if free or self.rng.random() < 0.4 else Spot("ground", self.vector(1.0))
        if a.owner == b.owner or np.allclose(self.point(a), self.point(b)):
            return
        k = self.between(20.0, 500.0)
        if self.rng.random() < 0.7:
            given = {"a": a, "b": b, "stiffness": k, "damping": self.choice((0.0, 0.02 * k))}
            if self.rng.random() < 0.5:
                given["length"] = float(self.rng.uniform(0.1, 0.8))
            self.parts.append(Part("Spring", name, given))
        else:
            self.parts.append(Part("Damper", name, {"a": a, "b": b, "damping": 0.02 * k}))

    def load(self, name: str) -> None:
        follower = bool(self.rng.random() < 0.4)
        long = [p.name for p in self.parts if p.kind == "Beam"]
        if long and self.rng.random() < 0.5:
            given: dict[str, Any] = {"beam": self.choice(long), "follower": follower}
            given["force"] = [self.signal(4.0) for _ in range(3)]
            if self.rng.random() < 0.4:
                given["moment"] = [self.signal(0.5) for _ in range(3)]
            self.parts.append(Part("DistributedLoad", name, given))
            return
        kind = self.choice(("Force", "Torque"))
        vector = [self.signal(3.0 if kind == "Force" else 0.5) for _ in range(3)]
        self.parts.append(Part(kind, name, {"place": self.some_spot(), "vector": vector, "follower": follower}))

    def throw(self, free: bool) -> None:
        """Start with a rigid motion of all that the joints with the ground allow."""
        v, w = np.zeros(3), np.zeros(3)
        grounded = [p for p in self.parts if p.kind in FREEDOMS and p.given["parent"].grounded]
        at = np.array(self.origin)
        if free:
            v, w = np.array(self.vector(1.0)), np.array(self.vector(2.0))
        elif len(grounded) == 1 and "motion" not in grounded[0].given:
            kind, axis = grounded[0].kind, np.array(grounded[0].given["axis"])
            if kind in ("Revolute", "Cylindrical", "Planar"):
                w = self.between(0.5, 3.0) * axis
            elif kind == "Screw":
                w = self.between(0.5, 3.0) * axis
                v = grounded[0].given["pitch"] * w
            elif kind in ("Spherical", "Free"):
                w = np.array(self.vector(2.0))
            elif kind == "Prismatic":
                v = self.between(0.3, 1.0) * axis
            elif kind == "PlanarTranslation":
                v = np.cross(axis, self.unit())
        for i, part in enumerate(self.parts):
            if part.kind in ("RigidBody", "Beam"):
                # a beam moves rigidly: its field is given by the velocity of its start and its rotation
                x = np.array(part.given["com"] if part.kind == "RigidBody" else part.given["from"]) - at
                self.parts[i] = part.but(velocity=(v + np.cross(w, x)).tolist(), spin=w.tolist())
