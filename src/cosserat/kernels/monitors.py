"""Kernels over stored states, for results only: kinematics inside elements, strains and nodal forces of elements."""

from cosserat.jit import helper, stage
from cosserat.kernels import beams, elastic
from cosserat.kernels.frames import compose, exp_frame, load_frame, store_frame, tangent_blocks, twist_at_place
from cosserat.kernels.vectors import add, axpy, load, mul, scale, store


@helper
def inside(frames, twists, a, b, xi):
    """Frame H_A exp(xi d) and twist between nodes a and b: R, x, u, w. Source: [Grazioso17] (16)-(17)."""
    # the offset of the strain is not needed: any six numbers serve
    u, w, c, c1, _, _ = beams.strain(frames, a, b, twists[a])
    ru, rw = beams.strain_rate(u, w, c, c1, twists[a], twists[b])
    u, w = scale(xi, u), scale(xi, w)
    E, y = exp_frame(u, w)
    R, x = load_frame(frames[a])
    R, x = compose(R, x, E, y)
    v, omega = twist_at_place(E, y, load(twists[a], 0), load(twists[a], 3))
    T, T_uw = tangent_blocks(u, w)
    return R, x, add(v, scale(xi, add(mul(T, ru), mul(T_uw, rw)))), add(omega, scale(xi, mul(T, rw)))


@stage
def between(frames, twists, a, b, xi, frame_out, twist_out):
    """Frames (nt, 12) and twists (nt, 6) between nodes a and b."""
    for k in range(frames.shape[0]):
        R, x, u, w = inside(frames[k], twists[k], a, b, xi)
        store_frame(R, x, frame_out[k])
        store(u, twist_out[k], 0)
        store(w, twist_out[k], 3)
    return 0


@stage
def element_states(
    frames, twists, node, d0, stiffness, second, turning, viscosity, strain_out, rate_out, force_out, energy_out, work
):
    """Strain d - d0 and its rate (nt, ne, 6), nodal forces with the viscous part (nt, ne, 12), energy (nt, ne)."""
    for k in range(frames.shape[0]):
        for e in range(node.shape[0]):
            a, b = node[e, 0], node[e, 1]
            u, w, c, c1, eu, ew = beams.strain(frames[k], a, b, d0[e])
            ru, rw = beams.strain_rate(u, w, c, c1, twists[k, a], twists[k, b])
            store(eu, strain_out[k, e], 0)
            store(ew, strain_out[k, e], 3)
            store(ru, rate_out[k, e], 0)
            store(rw, rate_out[k, e], 3)
            found = elastic.weigh(stiffness[e], second[e], turning[e], eu, ew, work)
            energy_out[k, e] = elastic.energy(found)
            vn, vm = beams.multiply(stiffness[e], ru, rw)
            n, m = axpy(viscosity[e], vn, found[8]), axpy(viscosity[e], vm, found[9])
            fa, ma, fb, mb = beams.nodal_forces(u, w, c, c1, n, m)
            store(fa, force_out[k, e], 0)
            store(ma, force_out[k, e], 3)
            store(fb, force_out[k, e], 6)
            store(mb, force_out[k, e], 9)
    return 0


@stage
def moduli(frames, node, d0, stiffness, second, turning, work, H_out):
    """Second derivatives (ne, 6, 6) of the strain energies of given elements in one configuration; work is (144,)."""
    for e in range(node.shape[0]):
        _, _, _, _, eu, ew = beams.strain(frames, node[e, 0], node[e, 1], d0[e])
        vu, vw = elastic.measure(second[e], eu, ew, work)
        elastic.second_derivative(stiffness[e], second[e], turning[e], eu, ew, vu, vw, work, H_out[e])
    return 0
