"""Plays what it may."""

from pips_sdk import run
from pips_sdk.serpent import SerpentBot


class Bot(SerpentBot):
    pass


if __name__ == "__main__":
    run(Bot)
