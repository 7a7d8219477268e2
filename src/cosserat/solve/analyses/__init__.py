"""What users ask for: simulations, equilibria, paths, modes, stability, linear models, in any formulation."""
