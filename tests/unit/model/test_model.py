"""The model as a whole: adding, parameters, copies, equality, summary, validation."""

import subprocess
import sys
import time
import warnings
from typing import Any

import numpy as np
import pytest

from cosserat.errors import CosseratError, CosseratWarning, ModelError, ParameterError, PlaceError
from cosserat.model import (
    GROUND,
    Beam,
    DistributedLoad,
    Fixed,
    Force,
    Model,
    Parameter,
    PipeFlow,
    Planar,
    Revolute,
    RigidBody,
    Rod,
    Spring,
    Tube,
    materials,
)


def two_link(gravity: Any = (0, 0, -9.81)) -> Model:
    model = Model("two-link", gravity=gravity)
    tube = Tube(outer_diameter=0.030, inner_diameter=0.027)
    alu = materials.ALUMINIUM_6061
    arm1 = model.add(Beam("arm1", points=[(0, 0, 0), (1.5, 0, 0)], section=tube, material=alu, elements=10))
    arm2 = model.add(Beam("arm2", points=[(1.5, 0, 0), (3, 0, 0)], section=tube, material=alu, elements=10))
    model.add(Revolute("shoulder", GROUND, arm1.start, axis=(0, 0, 1), motion="t - sin(t)"))
    model.add(Revolute("elbow", "arm1.end", arm2.start, axis=(0, 0, 1)))
    return model


def test_adding() -> None:
    model = two_link()
    model.validate()
    assert model["arm1"] is model.beams[0]
    assert "arm1" in model
    assert len(model) == 4
    assert [c.name for c in model] == [c.name for c in model.components] == ["arm1", "arm2", "shoulder", "elbow"]
    assert model.coordinates == ("shoulder", "elbow")
    assert model.joints[1].parent == model.place("arm1.end")
    model.add(Planar("rail", GROUND, "arm2.end", normal=(0, 0, 1)))
    assert model.coordinates == ("shoulder", "elbow", "rail.x", "rail.y", "rail.rz")
    with pytest.raises(ModelError, match="no component 'arm3'; components: 'arm1'"):
        model["arm3"]


def test_parameters() -> None:
    P, L = Parameter("P", 3.0), Parameter("L", 1.0)
    model = Model("m", gravity=(0, 0, -P))
    rod = model.add(Beam("rod", points=[(0, 0, 0), (L, 0, 0)], section=Rod(0.01), material=materials.STEEL))
    model.add(Fixed("clamp", GROUND, rod.start))
    load = model.add(Force("f", rod.end, lambda t: (0, 0, P * t)))
    model.add(Spring("s", GROUND.at((0, 0, 1)), rod.end, stiffness=2 * P))
    assert model.parameters == {"P": 3.0, "L": 1.0}
    model.set(P=5, L=2.0)
    assert model.gravity.tolist() == [0, 0, -5]
    assert rod.length == 2.0
    assert load.force is not None
    assert load.force.sample([2.0]).tolist() == [[0, 0, 10]]
    with pytest.raises(ParameterError, match="model 'm': no parameter 'Q'; parameters: 'P', 'L'"):
        model.set(Q=1)
    with pytest.raises(ParameterError, match="parameter 'P': value nan is not a finite number"):
        model.set(P=np.nan)
    with pytest.raises(ModelError, match="spring 's': stiffness is -2"):
        model.set(L=4.0, P=-1.0)
    assert model.parameters == {"P": 5.0, "L": 2.0}
    with pytest.raises(ParameterError, match="no parameter 'Q'; parameters: none"):
        two_link().set(Q=1)


def test_copies_are_independent_and_equal() -> None:
    P = Parameter("P", 3.0)
    model = two_link()
    model.add(Force("f", "arm2.end", (0, P, 0)))
    model.add(Force("g", "arm2.end", lambda t: (0, P * t, 0)))
    twin = model.copy()
    assert twin == model
    assert twin is not model
    assert twin.joints[0].child.owner is twin.beams[0]
    twin.validate()
    twin.set(P=4.0)
    assert twin != model
    assert P.value == 3.0
    assert model.parameters == {"P": 3.0}
    assert twin.parameters == {"P": 4.0}
    g = twin["g"]
    assert isinstance(g, Force)
    assert g.force is not None
    assert g.force.sample([2.0])[0, 1] == 8.0
    assert two_link() == two_link()
    assert two_link() != two_link(gravity=(0, 0, 0))
    assert two_link() != 3


def test_parameters_inside_section_and_velocity_functions() -> None:
    d = Parameter("d", 0.1)
    model = Model("m")
    line = [(0, 0, 0), (1, 0, 0)]
    steel = materials.STEEL
    model.add(Beam("b", points=line, section=lambda s: Rod(d), material=steel, velocity=lambda x: (d * x[0], 0, 0)))
    twin = model.copy()
    assert twin == model
    twin.set(d=0.2)
    assert twin != model
    assert twin.beams[0].section_at(0.5)[0][0, 0] == pytest.approx(4 * model.beams[0].section_at(0.5)[0][0, 0])
    velocity = twin.beams[0].velocity_at(1.0)
    assert velocity is not None
    assert velocity[0].tolist() == [0.2, 0, 0]


def test_many_components_are_added_quickly() -> None:
    model = Model("chain")
    P = Parameter("P", 1.0)
    start = time.perf_counter()
    for i in range(300):
        model.add(RigidBody(f"b{i}", mass=P if i == 0 else 1, com=(i, 0, 0), inertia=(1, 1, 1)))
        if i:
            model.add(Revolute(f"j{i}", f"b{i - 1}.at({i}, 0, 0)", f"b{i}", axis=(0, 0, 1)))
    model.validate()
    assert time.perf_counter() - start < 3.0


def test_equality_looks_at_everything() -> None:
    changed = [
        lambda m: m.add(RigidBody.sphere("ball", diameter=1, mass=1)),
        lambda m: setattr(m, "name", "x"),
        lambda m: setattr(m, "gravity", (1, 0, 0)),
    ]
    for change in changed:
        model = two_link()
        change(model)
        assert model != two_link()


def test_summary() -> None:
    P = Parameter("P", 3.0)
    model = two_link()
    model.add(RigidBody.sphere("ball", diameter=1, mass=P, com=(3, 0, 0)))
    model.add(Fixed("grip", "arm2.end", "ball"))
    model.add(Force("f", "ball", (0, 1, 0), follower=True))
    model.add(DistributedLoad("q", "arm1", force=(0, 0, 1)))
    model.add(Spring("s", GROUND.at((0, 0, 1)), "ball", stiffness=2))
    model.add(PipeFlow("flow", "arm1", mass=1, speed=2))
    model.add(Force("side", model["ball"].at((0.2 / 3, 0.2 * np.cos(np.pi / 2), 0.1)), (0, 1, 0)))
    text = str(model)
    for part in (
        "Model 'two-link', gravity (0, 0, -9.81)", "ball  3 kg  centre of mass (3, 0, 0)",
        "arm1  1.5 m  10 elements  Tube  aluminium 6061", "shoulder  Revolute  ground - arm1.start    rz: motion",
        "passive", "f     Force            at ball                        follower",
        "q     DistributedLoad  along arm1                     dead",
        "flow  PipeFlow         along arm1", "at ball.at(0.0666667, 0, 0.1)",
        "s  Spring  ground.at(0, 0, 1) - ball  stiffness 2 N/m", "P  3",
        "138 absolute freedoms (1 rigid body, 22 beam nodes), 2 joint coordinates, 1 of them driven",
    ):  # fmt: skip
        assert part in text, part
    assert model.summary() == text
    assert repr(model) == "<Model 'two-link': 11 components>"


def test_joint_with_at_needs_no_coincidence() -> None:
    model = Model("m")
    a = model.add(RigidBody("a", 1, com=(0, 0, 0), inertia=(1, 1, 1)))
    b = model.add(RigidBody("b", 1, com=(2, 0, 0), inertia=(1, 1, 1)))
    joint = model.add(Revolute("j", a, b, axis=(0, 0, 1), at=(1, 1, 0)))
    model.validate()
    assert joint.frame()[:3, 3].tolist() == [1, 1, 0]
    assert joint.parent.position.tolist() == [0, 0, 0]
    assert joint.child.position.tolist() == [2, 0, 0]


def test_ground_without_a_point_is_everywhere() -> None:
    model = Model("m")
    b = model.add(RigidBody("b", 1, com=(2, 0, 0), inertia=(1, 1, 1)))
    model.add(Revolute("j", GROUND, b.at((1, 0, 0)), axis=(0, 0, 1)))
    model.validate()
    model.add(Revolute("k", GROUND.at((0, 0, 0)), b.at((1, 0, 0)), axis=(0, 0, 1)))
    with pytest.raises(ModelError, match=r"joint 'k': its places do not coincide.* 1 m apart; .*at=\(x, y, z\)"):
        model.validate()


def test_idle_bodies_are_named() -> None:
    model = Model("m")
    model.add(RigidBody.sphere("idle", diameter=1, mass=1))
    model.add(RigidBody.sphere("moving", diameter=1, mass=1, velocity=(1, 0, 0)))
    pushed = model.add(RigidBody.sphere("pushed", diameter=1, mass=1))
    model.add(Force("f", pushed, (1, 0, 0)))
    with pytest.warns(CosseratWarning, match="model 'm': 'idle': attached to nothing"):
        model.validate()
    model.gravity = (0, 0, -9.81)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.validate()


def test_places_as_text_are_found_when_added() -> None:
    model = two_link()
    with pytest.raises(PlaceError, match=r"joint 'k': unknown frame 'arm1.tpi'; frames of 'arm1': 'start', 'end', 'at"):
        model.add(Revolute("k", "arm1.tpi", "arm2.end", axis=(0, 0, 1)))
    assert "k" not in model


def test_gravity_is_checked_when_set() -> None:
    model = two_link()
    with pytest.raises(ModelError, match="model 'two-link': gravity must be 3 numbers"):
        model.gravity = 9.81  # type: ignore[assignment]
    assert model.gravity.tolist() == [0, 0, -9.81]


def test_import_stays_light() -> None:
    code = (
        "import sys, cosserat.model; "
        "print([m for m in ('numba', 'scipy', 'xarray', 'matplotlib', 'sympy', 'yaml') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_remove() -> None:
    import cosserat as cs

    model = cs.Model("arm")
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.1), material=cs.materials.STEEL))
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=1.0, com=(1, 0, 0)))
    model.add(cs.Fixed("weld", "beam.end", ball))
    model.add(cs.DistributedLoad("snow", beam, force=(0, 0, -1)))
    before = model.revision
    with pytest.raises(ModelError, match=r"beam 'beam' is needed by joint 'weld', .*'snow'; remove what needs it"):
        model.remove("beam")
    with pytest.raises(ModelError, match=r"body 'ball' is needed by joint 'weld'"):
        model.remove(ball)
    with pytest.raises(ModelError, match=r"no component 'x'; components: 'beam', 'ball'"):
        model.remove("x")
    with pytest.raises(ModelError, match="is not in the model"):
        model.remove(3)  # type: ignore[arg-type]
    other = cs.RigidBody.sphere("ball", diameter=0.1, mass=1.0)
    with pytest.raises(ModelError, match="is not in the model"):
        model.remove(other)
    assert model.revision == before
    model.remove("weld")
    assert model.remove(ball) is ball
    assert "ball" not in model
    assert model.revision > before
    with pytest.raises(ModelError, match="unknown body 'ball'"):
        model.place("ball")
    assert model.add(other) is other


def test_swap_checks_what_add_checks():
    model = Model("m")
    ball = model.add(RigidBody.sphere("ball", diameter=0.1, mass=1.0))
    model.add(Spring("spring", GROUND, ball, stiffness=Parameter("k", 3.0), length=0.1))
    push = model.add(Force("push", ball, (1, 0, 0)))
    with pytest.raises(ModelError, match="cannot swap 'push'; a model takes bodies"):
        model.swap("push")
    with pytest.raises(ModelError, match="cannot swap None"):
        model.swap(None)
    with pytest.raises(CosseratError, match=r"Model\.swap: unknown argument 'by'; accepted arguments: component"):
        model.swap(push, by=push)
    with pytest.raises(CosseratError, match=r"Model\.swap: missing a required argument: 'component'"):
        model.swap()
    with pytest.raises(ModelError, match="no load 'pull' to be replaced; what can be replaced: 'spring', 'push'"):
        model.swap(Force("pull", ball, (1, 0, 0)))
    with pytest.raises(CosseratError, match=r"'k' has two values, 7 and 3|'k' has two values, 3 and 7"):
        model.swap(Force("push", ball, (Parameter("k", 7.0), 0, 0)))
    assert model["push"] is push
    model.swap(Spring("spring", GROUND, ball, stiffness=Parameter("k", 5.0), length=0.1))  # the old one goes
    assert model.parameters == {"k": 5.0}
