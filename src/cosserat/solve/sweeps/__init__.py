"""Derivatives of whole runs: a run as a list of maps between states, each linearised, swept forwards or backwards."""
