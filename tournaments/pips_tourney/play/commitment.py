"""Make the commitment for a league's next night, and close its hand-in."""

from __future__ import annotations

from pathlib import Path

from pips_tourney.league import read_league
from pips_tourney.night.aside import moved_aside
from pips_tourney.night.pledge import Commitment, PledgeError, keep_pledge, make_pledge, pledge_file, read_pledge
from pips_tourney.night.programme import make_programme
from pips_tourney.night.store import read_store
from pips_tourney.secret import Secret, SecretError, read_secret


def commit(league: Path, database: Path, beacon: str | None, secret_file: Path | None, *, close: bool) -> Commitment:
    """The commitment for the night that this database begins next.

    It is made if there is none.

    Raises the errors of league, secret and pledge. Raises `PledgeError` too when
    another beacon was named before.
    """
    found = read_league(league)
    given = None if secret_file is None else read_secret(secret_file)
    pledge = read_pledge(database)
    if pledge is None:
        if given is not None:
            _check_new(given, database)
        pledge = make_pledge(found.name, beacon or "", given)
    elif (beacon is not None and beacon != pledge.commitment.beacon) or given not in (None, pledge.opened):
        raise PledgeError(
            f"a commitment was made on {pledge.commitment.made}, with another "
            f"{'secret' if given not in (None, pledge.opened) else 'beacon'}. If nobody has seen it, remove "
            f"{pledge_file(database)} and commit anew"
        )
    if close:
        pledge = pledge.close(make_programme(found.installed()).digest)
    keep_pledge(database, pledge)
    return pledge.commitment


def _check_new(secret: Secret, database: Path) -> None:
    """Check that the secret is new: that of a played night is known to everybody."""
    for file in (*moved_aside(database).values(), database):
        if not file.is_file():
            continue
        with read_store(file) as store:
            if store.secret() == secret:
                raise SecretError(f"this is the secret of {file}: a new night needs one of its own")
