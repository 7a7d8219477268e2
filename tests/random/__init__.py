"""Random mechanisms, and relations that hold whatever the mechanism.

`generator` makes a `Mechanism` (plain data) from a seed, `mechanism` turns it into a `Model` as an observer sees it,
the modules `relations_*` hold what must be true, `shrinking` drops parts of a failing mechanism while it still fails,
and `study` runs many mechanisms through all relations and counts the outcomes.
"""
