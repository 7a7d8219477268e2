"""The Princeton beam experiment: a blade with very different bending stiffnesses under a tip load at an angle.

E. H. Dowell, J. Traybar, An experimental study of the nonlinear stiffness of a rotor blade undergoing flap, lag and
twist deformations, Princeton AMS reports 1194 and 1257 (1975); section data as in O. A. Bauchau, G. Wu, P. Betsch,
A. Cardona et al., Validation of flexible multibody dynamics beam formulations using benchmark problems, Multibody
Syst. Dyn. 37 (2016) 29-48. The numbers are converged ones (strong form, shooting).

Moments turn inside the elements of such a blade: without the energy of that (`kernels.bending`), 128 are needed.
"""

import numpy as np
import pytest

import cosserat as cs

L = 0.508
STIFFNESS = [2.84191e6, 6.40131e5, 9.03881e5, 3.10338, 36.2794, 2.42873]
TIP = [  # P (N), angle (degrees), u1, u2 (soft), u3 (stiff)
    (4.448, 45, -3.746981e-3, 5.605600e-2, 3.965165e-3),
    (8.896, 45, -1.438966e-2, 1.090431e-1, 8.888886e-3),
    (13.345, 0, -3.048104e-4, 0.0, 1.606513e-2),
    (13.345, 30, -1.716383e-2, 1.179039e-1, 1.677805e-2),
    (13.345, 60, -4.120724e-2, 1.819234e-1, 1.171650e-2),
    (13.345, 90, -5.040667e-2, 2.006953e-1, 0.0),
]


@pytest.mark.parametrize("load, degrees, u1, u2, u3", TIP)
def test_tip_displacement(load, degrees, u1, u2, u3):
    model = cs.Model("Princeton beam")
    section = cs.Section(stiffness=STIFFNESS, mass=[1, 1, 1, 1, 1, 1])
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (L, 0, 0)], section=section, elements=16, up=(0, 0, 1)))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    angle = np.radians(degrees)
    model.add(cs.Force("load", beam.end, (0, load * np.sin(angle), load * np.cos(angle))))
    result = cs.equilibrium(model)
    assert result.status.ok, result.status.message
    u = np.asarray(result.position("beam.end")) - (L, 0, 0)
    scale = np.linalg.norm([u1, u2, u3])
    np.testing.assert_allclose(u, [u1, u2, u3], rtol=1e-5, atol=1e-7 * scale)
