"""Many random mechanisms through all relations, and a table of outcomes.

    python -m tests.random.study --mechanisms 2000 --first 0 --relations units,balance --shrink 3

Run from the root of the repository. Failing mechanisms are printed with their seed; `--shrink` prints the smallest
mechanism, as a model file, for so many failures of each relation.
"""

from __future__ import annotations

import argparse
from collections import Counter

from .generator import random_mechanism
from .outcomes import CRASHED, RELATIONS, SHORTER, UNANSWERED, VIOLATED, known_defect, outcome
from .shrinking import explain


def study(seeds: range, relations: list[str], shrunk: int = 0, more: bool = False) -> dict[str, Counter[str]]:
    """Outcomes by relation; failures that are not known defects are printed, and what has no answer at once."""
    table: dict[str, Counter[str]] = {name: Counter() for name in relations}
    for seed in seeds:
        mechanism = random_mechanism(seed, more=more)
        for name in relations:
            result, sentence = outcome(name, mechanism)
            failed = result in (VIOLATED, CRASHED)
            known = failed and known_defect(name, mechanism)
            table[name]["known defect" if known else result] += 1
            if result in (SHORTER, UNANSWERED):
                print(f"{name} {mechanism.name}: {result}: {sentence}", flush=True)
            if failed and not known:
                if table[name][VIOLATED] + table[name][CRASHED] <= shrunk:
                    print(explain(name, mechanism), flush=True)
                else:
                    print(f"{name} {mechanism.name}: {result}: {sentence}", flush=True)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mechanisms", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--relations", default=",".join(RELATIONS))
    parser.add_argument("--shrink", type=int, default=0)
    parser.add_argument("--more", action="store_true", help="armatures, rolling discs and knife edges, too")
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.mechanisms)
    table = study(seeds, given.relations.split(","), given.shrink, given.more)
    for name, counts in table.items():
        print(f"{name:15s}", ", ".join(f"{key} {n}" for key, n in counts.most_common()))


if __name__ == "__main__":
    main()
