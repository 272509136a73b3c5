"""The fingerprint of a bot: its command, its environment, its files.

Every file in a bot's folder counts, including hidden ones and node_modules. A link
counts by its target's path. The fingerprint begins with `2:`. After a second colon
comes a part that is equal for bots that play alike (`Programme.copies`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from pips_sdk.samples import is_derived, sample_files
from pips_tourney.bots.contents import Caps
from pips_tourney.bots.executable import REMOTE, files_below, fingerprint, sample_of
from pips_tourney.league.entries import BotEntry
from pips_tourney.league.submissions import links_may_lead_to
from pips_tourney.sandbox.reading import read
from pips_tourney.secret import canonical

OWN: Final = Caps(files=500_000, mb=65_536, seconds=600)
"""Limits for the organiser's own folders."""

Contents = Mapping[str, Any]
"""The hashes of a bot's files, or `error`, a sentence; see bots/contents.py."""


def read_contents(bots: Iterable[BotEntry], folder: Path, caps: Caps) -> dict[str, Contents]:
    """By bot, the hashes of its files."""
    jobs: dict[bool, dict[str, dict[str, Any]]] = {True: {}, False: {}}
    for bot in bots:
        if bot.command is None:
            continue
        # If a path leads to a file, the league file names it, and it is the complete
        # bot.
        trusted = not bot.submitted or bot.cwd is None
        jobs[trusted][bot.name] = {
            "do": "print",
            "place": str((folder / (bot.cwd or "")).absolute()),
            "words": bot.command,
            "tree": bot.cwd is not None,
            "trusted": trusted,
        }
    found: dict[str, Contents] = {}
    for trusted, some in jobs.items():
        if some:
            told = read(list(some.values()), OWN if trusted else caps, links_may_lead_to())
            found |= dict(zip(some, told, strict=True))
    return found


def fingerprint_of(bot: BotEntry, game: str, found: Contents | None, folder: Path) -> str:
    """The fingerprint of a bot.

    All bots on other machines have the same one.
    """
    if bot.remote:
        return REMOTE
    if bot.sample is not None:
        file, _ = sample_of(bot.sample, game)
        files = [(file.name, file)] if is_derived(file) else files_below(file.parent)
        return fingerprint([f"sample {game}/{bot.sample.rpartition('/')[2]}"], files, bot.env)
    asked = [] if bot.model is None else bot.model.marks(folder)
    if bot.command is None:
        return fingerprint(asked, [], bot.env)
    assert found is not None
    own = asked if bot.python is None else [*asked, f"python = {bot.python}"]
    own += ["protocol = lines"] if bot.protocol == "lines" else []
    exact = canonical([[*own, *bot.command], dict(bot.env), found["tree"]])
    return f"2:{sha256(exact).hexdigest()}:{sha256(canonical([own, dict(bot.env), found['alike']])).hexdigest()}"


def sample_fingerprint(name: str, game: str) -> str | None:
    """The fingerprint of a sample bot; None if the game has none of this name."""
    return fingerprint_of(BotEntry(name=name, sample=name), game, None, Path()) if name in sample_files(game) else None
