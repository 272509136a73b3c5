"""An author's code for a bot, from a file or from the environment."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from pips_referee.written import written_text
from pips_tourney.people.codes import Code, InviteError

TOKEN_VARIABLE: Final = "PIPS_TOKEN"  # noqa: S105 - the name of a variable
LONGEST_TOKEN: Final = 1 << 10
"""The most characters read from a file: a code has few."""


def given_token(file: Path | None) -> Code:
    """Read the code from a file or from `PIPS_TOKEN`.

    The file `-` is standard input. The variable is removed from the environment, so
    that no bot inherits it.

    Raises `InviteError` if there is no token.
    """
    variable = os.environ.pop(TOKEN_VARIABLE, None)
    if file is not None:
        return Code.read(_token_in(file))
    if variable is None:
        raise InviteError(
            f"there is no token: put the code of your invite into a file for --token-file, or set {TOKEN_VARIABLE}"
        )
    return Code.read(variable)


def _token_in(file: Path) -> str:
    try:
        if str(file) == "-":
            return sys.stdin.readline(LONGEST_TOKEN)
        return written_text(file)[:LONGEST_TOKEN]
    except (OSError, UnicodeDecodeError) as error:
        raise InviteError(f"the token's file {file} cannot be read: {getattr(error, 'strerror', error)}") from None
