"""`python -m pips_tourney` is `pips-tourney`."""

from pips_tourney.cli.tourney import main

if __name__ == "__main__":
    main()
