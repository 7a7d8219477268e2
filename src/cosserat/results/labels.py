"""Names of components and quantities, as results label them."""

AXES = ("x", "y", "z")
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
SECTION_FORCE = ("N", "Qy", "Qz", "T", "My", "Mz")
STRAIN = ("stretch", "shear_y", "shear_z", "twist", "curvature_y", "curvature_z")
SOLID = ("xx", "yy", "zz", "yz", "xz", "xy")
ENERGIES = {
    "kinetic": "kinetic energy",
    "strain": "strain energy of beams, springs and joint springs",
    "potential": "potential energy of gravity, zero at the world's origin",
    "dissipated": "energy taken by viscous beams, dampers, joint damping and friction",
    "work": "work of loads, efforts and prescribed motions",
    "total": "kinetic + strain + potential",
    "balance": "total - total at the start + dissipated - work",
}
FLUID_ENERGIES = {
    "fluid": "work of the loads of fluids, a part of the work",
    "wake": "energy in the lags of wakes",
}
