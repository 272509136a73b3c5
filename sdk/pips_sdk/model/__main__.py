"""A league's model bot: `python -m pips_sdk.model`, for all games."""

from pips_sdk.client import run
from pips_sdk.model.bot import model_bots

if __name__ == "__main__":
    run(*model_bots())
