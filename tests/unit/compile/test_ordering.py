"""Elimination orders: hardly any fill on trees, multipliers after the nodes that make them definite, loops complete."""

import numpy as np
import pytest

from cosserat.compile.ordering import build_pattern, eliminate, spanning_tree


def random_tree(rng, n):
    """Links of a random tree on n nodes (n is the ground), each with a joint or as an element."""
    links, joints = [], 0
    for i in range(n):
        parent = int(rng.integers(i)) if i and rng.random() < 0.9 else n
        with_joint = parent == n or rng.random() < 0.5
        links.append((parent, i, joints if with_joint else -1))
        joints += with_joint
    return links, joints


def edges(n, links):
    pairs = set()
    for a, b, joint in links:
        trio = sorted({v for v in (a, b) if v < n} | ({n + joint} if joint >= 0 else set()))
        pairs |= {(u, v) for u in trio for v in trio if u < v}
    return pairs


def blocks_without_fill(n, joints, links):
    return n + joints + 2 * len(edges(n, links))


@pytest.mark.parametrize("per_beam", [1, 2, 7])
def test_serial_chains_have_no_more_fill_than_joints(per_beam):
    """Ground, joint, beam, joint, beam, ... : at most one pair of blocks per joint, none inside beams."""
    links, node, joints = [], 0, 0
    previous = n = 5 * (per_beam + 1)
    for _ in range(5):
        links.append((previous, node, joints))
        joints += 1
        links += [(node + i, node + i + 1, -1) for i in range(per_beam)]
        node += per_beam + 1
        previous = node - 1
    pattern, number = build_pattern(n, joints, links)
    assert int(pattern.n_blocks[0]) == len(number) <= blocks_without_fill(n, joints, links) + 2 * joints


@pytest.mark.parametrize("seed", range(8))
def test_random_trees_have_little_fill(seed):
    rng = np.random.default_rng(seed)
    links, joints = random_tree(rng, 30)
    _, number = build_pattern(30, joints, links)
    assert len(number) <= 1.1 * blocks_without_fill(30, joints, links)


@pytest.mark.parametrize("seed", range(8))
def test_loops_keep_every_vertex_and_every_coupling(seed):
    rng = np.random.default_rng(seed)
    links, joints = random_tree(rng, 20)
    for _ in range(4):
        a, b = (int(i) for i in rng.choice(21, 2, replace=False))
        links.append((a, b, joints))
        joints += 1
    order, later = eliminate(20, joints, links)
    assert sorted(order) == list(range(20 + joints))
    position = {v: i for i, v in enumerate(order)}
    for v, rest in zip(order, later):
        assert all(position[w] > position[v] for w in rest)
    _, number = build_pattern(20, joints, links)
    assert edges(20, links) <= {(min(i, j), max(i, j)) for i, j in number if i != j}


@pytest.mark.parametrize("seed", range(8))
def test_multipliers_follow_their_nodes(seed):
    rng = np.random.default_rng(seed)
    links, joints = random_tree(rng, 20)
    owner, loops, *_ = spanning_tree(20, links)
    order, _ = eliminate(20, joints, links)
    position = {v: i for i, v in enumerate(order)}
    assert not loops
    assert len(owner) == joints
    for joint, node in owner.items():
        assert position[20 + joint] > position[node]


def test_a_four_bar_loop_is_found():
    links = [(3, 0, 0), (0, 1, 1), (1, 2, 2), (2, 3, 3)]
    owner, loops, *_ = spanning_tree(3, links)
    assert len(owner) == 3
    assert len(loops) == 1
    assert set(next(iter(loops.values()))) <= {0, 1, 2}


@pytest.mark.parametrize("seed", range(8))
def test_wheels_come_after_everything_between_them_and_the_ground(seed):
    """So that of rows which joints imply it is the wheels' that turn out to be implied."""
    rng = np.random.default_rng(seed)
    links, joints = random_tree(rng, 20)
    a, b, c, d = (int(k) for k in rng.choice(20, 4, replace=False))
    wheels = [(a, 20), (b, 20), (c, d)]  # two on the ground, one on another body
    owner, _, _, parent = spanning_tree(20, links)
    order, _ = eliminate(20, joints, links, wheels)
    assert sorted(order) == list(range(20 + joints + 3))
    position = {v: i for i, v in enumerate(order)}
    owned = {node: 20 + joint for joint, node in owner.items()}
    for k, node in [(k, node) for k, pair in enumerate(wheels) for node in pair]:
        while 0 <= node < 20:
            assert position[20 + joints + k] > position[node]
            assert position[20 + joints + k] > position.get(owned.get(node, -1), -1)
            node = parent[node]
