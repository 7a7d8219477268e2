"""A strut beyond its Euler load beside a slow mast: what grows fast is not hidden by slow modes."""

import numpy as np
import pytest

import cosserat as cs

STEEL, LENGTH = cs.materials.STEEL, 0.3
EULER = np.pi**2 * STEEL.E * np.pi * 0.004**4 / 64 / (4 * LENGTH**2)
FORMULATIONS = [None, cs.Floating(modes=8)]


def _site(damping: float, mast: bool) -> cs.Model:
    model = cs.Model("site")
    material = cs.Material(E=STEEL.E, nu=STEEL.nu, rho=STEEL.rho, damping=damping)
    if mast:
        line = [(0, 0, 0), (20, 0, 0)]
        beam = model.add(cs.Beam("mast", points=line, section=cs.Rod(0.01), material=material, elements=30))
        model.add(cs.Fixed("base", cs.GROUND, beam.start))
    line = [(0, 1, 0), (0, 1, LENGTH)]
    strut = model.add(cs.Beam("strut", points=line, section=cs.Rod(0.004), material=material, elements=8))
    model.add(cs.Fixed("foot", cs.GROUND, strut.start))
    model.add(cs.Force("load", strut.end, (0, 0, -3 * EULER * cs.Parameter("P", 1.0))))
    return model


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=["galilean", "floating"])
@pytest.mark.parametrize("damping", [0.0, 1e-5])
def test_a_strut_beside_a_mast_is_as_unstable_as_alone(damping: float, formulation: cs.Floating | None) -> None:
    alone, beside = (
        cs.modes(_site(damping, mast), 6, about=cs.equilibrium(_site(damping, mast), formulation=formulation),
                 formulation=formulation) for mast in (False, True)
    )  # fmt: skip
    assert not cs.equilibrium(_site(damping, True), formulation=formulation).stable
    assert not beside.stable
    assert np.allclose(beside.eigenvalues[:2], alone.eigenvalues[:2], rtol=1e-6)


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=["galilean", "floating"])
@pytest.mark.parametrize("damping", [0.0, 1e-5])
def test_its_critical_load_is_found(damping: float, formulation: cs.Floating | None) -> None:
    found = cs.stability(_site(damping, True), "P", np.linspace(0.2, 3.1, 8) / 3, n=4, formulation=formulation).critical
    assert [c.kind for c in found] == ["divergence"]
    assert abs(3 * found[0].value - 1.0) < 1e-4


def test_a_rope_pushed_together_is_not_stable() -> None:
    model = cs.Model("rope")
    section = cs.Section(stiffness=[1e7, 1e6, 1e6, 1e-3, 1e-3, 1e-3], mass=[1, 1, 1, 1e-4, 1e-4, 1e-4])
    rope = model.add(cs.Beam("rope", points=[(0, 0, 0), (10, 0, 0)], section=section, elements=40))
    ring = model.add(cs.RigidBody("ring", mass=1, com=(10, 0, 0), inertia=(1, 1, 1)))
    model.add(cs.Universal("pin", cs.GROUND, rope.start, axes=((0, 1, 0), (0, 0, 1))))
    model.add(cs.Prismatic("rail", cs.GROUND, ring, axis=(1, 0, 0)))
    model.add(cs.Spherical("eye", ring, rope.end))
    model.add(cs.Force("push", ring, (-1e6, 0, 0)))
    rest = cs.equilibrium(model)
    assert rest.status.ok
    assert not rest.stable
