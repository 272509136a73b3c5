"""Codes that are read in no time, as in the tests of a place."""

from tests.pips_tourney.place.conftest import cheap_codes

__all__ = ["cheap_codes"]
