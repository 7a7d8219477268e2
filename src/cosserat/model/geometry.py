"""Sections of any outline, through the optional library sectionproperties."""

from typing import Any

from cosserat.calls import answered
from cosserat.errors import MissingDependencyError, ModelError
from cosserat.model.sections import Profile


@answered()
def section_from_geometry(geometry: Any, mesh_size: float | None = None) -> Profile:
    """Constants of a geometry of the library sectionproperties, by its own finite elements.

    Parameters
    ----------
    geometry : sectionproperties.pre.Geometry
        Its x axis becomes the local y axis of the section, its y axis the local z axis.
    mesh_size : float, optional
        Largest triangle area (m^2); default: 1/200 of the area.

    Returns
    -------
    Profile
        Centroidal constants; shear factors are shear area over area. The shear centre is ignored: it is taken to be
        the centroid. A channel or another open profile whose shear centre is elsewhere twists under forces through its
        centroid; give it as a `Section` whose stiffness couples shear and torsion.

    Examples
    --------
    >>> import cosserat as cs
    >>> from sectionproperties.pre.library import i_section  # doctest: +SKIP
    >>> geometry = i_section(d=0.2, b=0.1, t_f=0.01, t_w=0.006, r=0.01, n_r=8)  # doctest: +SKIP
    >>> cs.section_from_geometry(geometry).constants().area  # doctest: +SKIP
    """
    try:
        from sectionproperties.analysis import Section as Analysis
    except ImportError:
        raise MissingDependencyError(
            "section_from_geometry needs the library sectionproperties; install it with "
            "pip install 'cosserat[sections]'"
        ) from None
    create_mesh = getattr(geometry, "create_mesh", None)
    if create_mesh is None:
        raise ModelError(f"section_from_geometry: {geometry!r} is not a geometry of sectionproperties")
    create_mesh(mesh_sizes=[mesh_size if mesh_size is not None else geometry.calculate_area() / 200])
    analysis = Analysis(geometry)
    analysis.calculate_geometric_properties()
    analysis.calculate_warping_properties()
    area = analysis.get_area()
    Ixx, Iyy, Ixy = analysis.get_ic()
    shear_x, shear_y = analysis.get_as()
    return Profile(
        area=area, Iy=Ixx, Iz=Iyy, J=analysis.get_j(), shear_factor=(shear_x / area, shear_y / area), Iyz=Ixy
    )
