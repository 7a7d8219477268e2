"""Elimination order and fill of the block matrix.

Vertices are nodes, joints and rolling items (their multipliers). Nodes have definite diagonal blocks, multipliers have
none of their own: a joint may be eliminated only when enough of the nodes around it are gone for its block to have
become definite. That holds for a joint of a spanning tree once its child node is gone, and for a joint that closes a
loop once all nodes of the loop are gone: what is left earlier may give the joint no mobility at all, without being
redundant. Among the vertices allowed, the one with the fewest neighbours goes first: on trees this makes hardly any
fill. A knife edge or rolling disc waits for the nodes and joints between it and the ground: where the joints imply some
of its rows, it must be those that are left out, because a joint demands more, a position and not only a velocity.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cosserat.kernels.arrays import Pattern

Ints = NDArray[np.int64]


def spanning_tree(
    n_nodes: int, links: list[tuple[int, int, int]]
) -> tuple[dict[int, int], dict[int, list[int]], list[int], list[int]]:
    """Joints owned by nodes, the nodes on the loop of every other joint, the nodes' distances from the ground, and the
    next nodes on the way there (-1: none).

    `links` are (node, node, joint or -1) with n_nodes for the ground.
    """
    neighbours: list[list[tuple[int, int]]] = [[] for _ in range(n_nodes + 1)]
    for k, (a, b, _) in enumerate(links):
        neighbours[a].append((b, k))
        neighbours[b].append((a, k))
    parent = [-1] * (n_nodes + 1)
    via = [-1] * (n_nodes + 1)
    depth = [-1] * (n_nodes + 1)
    used: set[int] = set()
    for root in [n_nodes, *range(n_nodes)]:
        if depth[root] >= 0:
            continue
        depth[root] = 0
        queue = deque([root])
        while queue:
            a = queue.popleft()
            for b, k in neighbours[a]:
                if depth[b] < 0:
                    depth[b], parent[b], via[b] = depth[a] + 1, a, k
                    used.add(k)
                    queue.append(b)
    owner: dict[int, int] = {}
    for node in range(n_nodes):
        if via[node] >= 0 and links[via[node]][2] >= 0:
            owner[links[via[node]][2]] = node
    loops: dict[int, list[int]] = {}
    for k, (a, b, joint) in enumerate(links):
        if joint < 0 or k in used:
            continue
        path = []
        while a != b:
            if depth[a] < depth[b]:
                a, b = b, a
            path.append(a)
            a = parent[a]
        if a != n_nodes:
            path.append(a)
        loops[joint] = path
    return owner, loops, depth, parent


def eliminate(
    n_nodes: int, n_joints: int, links: list[tuple[int, int, int]], wheels: Sequence[tuple[int, int]] = ()
) -> tuple[list[int], list[list[int]]]:
    """Order of elimination and, for every step, the later neighbours of the vertex.

    `wheels` are the two nodes of everything that rolls, the second one mostly the ground (n_nodes).
    """
    n = n_nodes + n_joints + len(wheels)
    adjacent: list[set[int]] = [set() for _ in range(n)]
    for a, b, joint in links:
        trio = [v for v in (a, b) if v < n_nodes] + ([n_nodes + joint] if joint >= 0 else [])
        for v in trio:
            adjacent[v].update(w for w in trio if w != v)
    for k, pair in enumerate(wheels):
        for node in pair:
            if node < n_nodes:
                adjacent[node].add(n_nodes + n_joints + k)
                adjacent[n_nodes + n_joints + k].add(node)
    owner, loops, depth, parent = spanning_tree(n_nodes, links)
    rank = [-d for d in depth[:n_nodes]] + [0] * (n - n_nodes)  # among equals, farthest from the ground first
    for j, node in owner.items():
        rank[n_nodes + j] = -depth[node]
    waiting = {n_nodes + j: 1 for j in owner}
    waits_for: dict[int, list[int]] = {}
    for j, node in owner.items():
        waits_for.setdefault(node, []).append(n_nodes + j)
    for j, path in loops.items():
        waiting[n_nodes + j] = len(path)
        for node in path:
            waits_for.setdefault(node, []).append(n_nodes + j)
    owned = {node: n_nodes + j for j, node in owner.items()}
    for k, pair in enumerate(wheels):
        before: dict[int, None] = {}
        for node in pair:
            while 0 <= node < n_nodes:
                before.update(dict.fromkeys([node, *([owned[node]] if node in owned else [])]))
                node = parent[node]
        waiting[n_nodes + n_joints + k] = len(before)
        for vertex in before:
            waits_for.setdefault(vertex, []).append(n_nodes + n_joints + k)
    blocked = {v for v, count in waiting.items() if count > 0}
    heap = [(len(adjacent[v]), rank[v], v) for v in range(n) if v not in blocked]
    heapq.heapify(heap)
    done = [False] * n
    order: list[int] = []
    later: list[list[int]] = []
    while heap:
        degree, _, v = heapq.heappop(heap)
        if done[v] or degree != len(adjacent[v]):
            continue
        done[v] = True
        order.append(v)
        rest = sorted(adjacent[v])
        later.append(rest)
        for i in rest:
            adjacent[i].discard(v)
        for i in rest:
            adjacent[i].update(w for w in rest if w != i)
        for j in waits_for.get(v, ()):
            waiting[j] -= 1
            if waiting[j] <= 0:
                blocked.discard(j)
                if not done[j]:
                    heapq.heappush(heap, (len(adjacent[j]), rank[j], j))
        for i in rest:
            if i not in blocked:
                heapq.heappush(heap, (len(adjacent[i]), rank[i], i))
    return order, later


def build_pattern(
    n_nodes: int, n_joints: int, links: list[tuple[int, int, int]], wheels: Sequence[tuple[int, int]] = ()
) -> tuple[Pattern, dict[tuple[int, int], int]]:
    """Symbolic factorisation: the pattern and the numbers of all blocks; vertices are nodes, joints, then wheels."""
    order, later = eliminate(n_nodes, n_joints, links, wheels)
    number: dict[tuple[int, int], int] = {}
    diagonal, start, neighbour, lower, upper = [], [0], [], [], []
    update_start, update = [0], []

    def block(i: int, j: int) -> int:
        return number.setdefault((i, j), len(number))

    for v, rest in zip(order, later, strict=True):
        diagonal.append(block(v, v))
        for i in rest:
            neighbour.append(i)
            lower.append(block(i, v))
            upper.append(block(v, i))
        start.append(len(neighbour))
        for i in rest:
            for j in rest:
                update.append((block(i, j), block(i, v), block(v, j)))
        update_start.append(len(update))
    ints = lambda values: np.asarray(values, dtype=np.int64)  # noqa: E731
    pattern = Pattern(
        order=ints(order),
        diagonal=ints(diagonal),
        start=ints(start),
        neighbour=ints(neighbour),
        lower=ints(lower),
        upper=ints(upper),
        update_start=ints(update_start),
        update=ints(update).reshape(-1, 3),
        n_blocks=ints([len(number)]),
    )
    return pattern, number
