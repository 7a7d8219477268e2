"""Paths past branch points, closed branches, and analyses about a point of a path."""

import numpy as np
import pytest

import cosserat as cs


@pytest.fixture(scope="module")
def arch():
    """Pinned arch of radius 10 m and half angle 15 degrees, which sways before it snaps."""
    load = cs.Parameter("P", 0.0)
    model = cs.Model("pinned arch")
    a = np.deg2rad(15)
    beam = model.add(
        cs.Beam(
            "arch",
            curve=lambda s: (10 * np.sin(a * (2 * s - 1)), 0, 10 * np.cos(a * (2 * s - 1))),
            section=cs.Rectangle(width=0.5, height=0.1),
            material=cs.materials.STEEL,
            elements=24,
        )
    )
    for name, place in (("left", beam.start), ("right", beam.end)):
        model.add(cs.Revolute(name, cs.GROUND, place, axis=(0, 1, 0)))
    model.add(cs.Force("load", beam.at(0.5), (0, 0, -load)))
    return model


STEPS = []


@pytest.fixture(scope="module")
def path(arch):
    return cs.continuation(arch, "P", 0.0, 4e6, switch="branch 1", progress=lambda n, value: STEPS.append((n, value)))


def test_passes_the_sway_bifurcation(arch, path):
    """The branch point is where `stability` finds the loss of stability."""
    assert path.status.ok
    assert [point.label for point in path.points] == ["branch 1"]
    critical = cs.stability(arch, "P", [3.6e6, 3.8e6], n=2).critical
    assert path.points[0].value == pytest.approx(critical[0].value, rel=1e-7)
    assert np.all(path.stable[: path.points[0].index])
    assert not path.stable[path.points[0].index + 1]
    shape = path.points[0].shape("arch.at(0.5)")
    assert abs(shape[0]) > 10 * abs(shape[2])  # it sways


def test_closed_branches_end(path):
    assert len(path.branches) == 2
    for branch in path.branches:
        assert branch.status.ok
        assert "closed" in branch.status.message
        assert branch.stats["steps"] < 100
        sway = branch.position("arch.at(0.5)")[:, 0]
        assert abs(sway).max() > 0.01
        assert branch.parameter[-1] == pytest.approx(branch.parameter[0], rel=0.1)
    counts = [n for n, _ in STEPS]
    assert counts == list(range(1, len(counts) + 1))


def test_points_of_a_path_bring_their_parameter(arch, path):
    arch.set(P=0.0)
    i = 3
    value = float(path.parameter[i])
    found = path.equilibrium(i)
    assert found.stable
    frequencies = cs.modes(arch, 3, about=found).frequencies
    run = cs.simulate(arch, 0.01, step=1e-3, start=found)
    linear = cs.linearize(arch, "P", "arch.at(0.5).z", about=found)
    assert arch.parameters["P"] == 0.0
    assert np.abs(run.velocity("arch.at(0.5)").values).max() < 1e-9
    arch.set(P=value)
    assert frequencies == pytest.approx(cs.modes(arch, 3).frequencies, rel=1e-6)
    again = cs.linearize(arch, "P", "arch.at(0.5).z")
    assert linear.transfer(0j) == pytest.approx(again.transfer(0j), rel=1e-6)
    arch.set(P=0.0)


@pytest.mark.parametrize("side", [1, -1])
def test_a_branch_followed_alone_ends_where_it_began(arch, path, side):
    """It began near the end of its path, whose rest scaled its steps: too short to be seen as closed."""
    branch = cs.continuation(arch, "P", path.points[0], 4e6, direction=side, max_steps=120)
    assert branch.status.ok
    assert "closed" in branch.status.message
