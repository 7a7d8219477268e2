"""Linear equations about a state: modes, responses, stability, linear models."""
