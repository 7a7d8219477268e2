"""Pictures of a comparison of formulations."""

import pytest

import cosserat as cs


@pytest.fixture(scope="module")
def both() -> cs.Comparison:
    model = cs.Model("pendulum", gravity=(0, 0, -9.81))
    bob = model.add(cs.RigidBody("bob", mass=1, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1)))
    model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    return cs.compare(model, 0.1, 0.01, checks=False)


def test_both_runs_and_their_difference(both, tmp_path) -> None:
    figure = both.plot(path=tmp_path / "both.png")
    above, below = figure.axes
    labels = [text.get_text() for text in above.get_legend().get_texts()]
    assert labels == ["bob  x", "bob  y", "bob  z", "Galilean frame", "floating frames"]
    assert len(below.lines) == 1
    assert below.lines[0].get_ydata().max() == pytest.approx(both.difference)
    assert (tmp_path / "both.png").stat().st_size > 10_000


def test_quantities_of_joints_and_given_axes(both) -> None:
    figure = both.plot(quantity="coordinate")
    assert "coordinate" in figure.axes[0].get_ylabel()
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert both.plot("bob", quantity="velocity", ax=ax) is ax.figure
    assert "m/s" in ax.get_ylabel()
