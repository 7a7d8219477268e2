"""Static balance: equilibria, trim, paths of equilibria."""
