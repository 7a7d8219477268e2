"""``python -m cosserat``: the command line."""

from cosserat.cli import main

main()
