"""Linear equations of nodes about a state: matrices, eigenvalues, inputs and outputs."""
