"""Static balance of nodes: what solvers of equilibria, paths of equilibria and trim are made of."""
