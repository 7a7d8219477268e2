"""The tests, as a package only so that those of `random` can share modules."""
