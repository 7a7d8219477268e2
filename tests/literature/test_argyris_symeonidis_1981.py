"""Cantilever under a transverse follower force at its tip.

J. H. Argyris, S. Symeonidis, Nonlinear finite element analysis of elastic systems under nonconservative loading,
CMAME 26 (1981) 75-123; repeated by Simo and Vu-Quoc, CMAME 58 (1986), section 5.4. L = 100, EI = 3.5e7, shear rigid
and inextensible; numbers from the elastica with a follower force.
"""

import numpy as np
import pytest

import cosserat as cs

L, EI = 100.0, 3.5e7
TIP = {
    1e3: (-0.542635, 9.493346),
    1e4: (-41.687449, 71.107005),
    4e4: (-106.994184, 50.396027),
    1.3e5: (-75.861141, -47.858983),
}


@pytest.mark.parametrize("force", TIP)
def test_tip_displacement(force):
    section = cs.Section(stiffness=[1e12, 1e12, 1e12, EI, EI, EI], mass=[1, 1, 1, 1, 1, 1])
    model = cs.Model("follower force")
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (L, 0, 0)], section=section, elements=64))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("thrust", beam.end, (0, force, 0), follower=True))
    result = cs.equilibrium(model)
    assert result.status.ok, result.status.message
    u = np.asarray(result.position("beam.end")) - (L, 0, 0)
    np.testing.assert_allclose(u[:2], TIP[force], rtol=1e-5)
