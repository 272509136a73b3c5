"""`python -m pips_tourney` is `pips-tourney`."""

from pips_tourney.cli import main

main()
