"""Bodies whose mass changes with time: propellant that burns. M(t) v_dot, without a term M_dot v."""

from cosserat.jit import helper


@helper
def write_mass(before, now, c, M_out):
    """Matrix (6, 6) of the mean of two samples of ten numbers, from number c on; mass and first moments.

    They are mass, first moments, inertia xx yy zz xy xz yz about the node.
    """
    m = 0.5 * (before[c] + now[c])
    x, y = 0.5 * (before[c + 1] + now[c + 1]), 0.5 * (before[c + 2] + now[c + 2])
    z = 0.5 * (before[c + 3] + now[c + 3])
    for i in range(3):
        M_out[i, i] = m
        M_out[3 + i, 3 + i] = 0.5 * (before[c + 4 + i] + now[c + 4 + i])
    M_out[0, 4], M_out[0, 5], M_out[1, 5] = z, -y, x
    M_out[1, 3], M_out[2, 3], M_out[2, 4] = -z, y, -x
    M_out[3, 4] = 0.5 * (before[c + 7] + now[c + 7])
    M_out[3, 5] = 0.5 * (before[c + 8] + now[c + 8])
    M_out[4, 5] = 0.5 * (before[c + 9] + now[c + 9])
    for i in range(6):
        for j in range(i):
            M_out[i, j] = M_out[j, i]
    return m, x, y, z


@helper
def take_masses(bodies_out, nodes_out, before, now):
    """Masses of varying bodies, and weights of their nodes: the mean of two samples; which may be the same."""
    for v in range(bodies_out.varying.shape[0]):
        row, node, c = bodies_out.varying[v, 0], bodies_out.varying[v, 1], bodies_out.varying[v, 2]
        m, x, y, z = write_mass(before, now, c, bodies_out.mass[row])
        nodes_out.mass[node] = bodies_out.base[v, 0] + m
        nodes_out.moment[node, 0] = bodies_out.base[v, 1] + x
        nodes_out.moment[node, 1] = bodies_out.base[v, 2] + y
        nodes_out.moment[node, 2] = bodies_out.base[v, 3] + z
