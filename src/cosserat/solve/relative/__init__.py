"""Relative coordinates: dynamics of trees, rigid and flexible."""
