"""Analyses in floating frames: the tree of a model as a system, its states in balance, inputs and outputs."""
