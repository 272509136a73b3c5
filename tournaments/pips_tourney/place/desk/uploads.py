"""Store a hand-in in a folder of the place, within limits."""

from __future__ import annotations

import secrets
import shutil
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pips_tourney.bots.archives import Most, Upload, sync_folder, write_bot

MOST: Final = Most()
PACKED: Final = "version.zip"
UPLOAD_BYTES: Final = 8 << 20


def keep_files(uploads: Iterable[Upload], place: Path, bot: str) -> str:
    """Write a hand-in below `place`; returns the name of its new folder.

    The bot is in `place/FOLDER/BOT`, on the disk on return. Raises `HandInError`; then
    no files are left.
    """
    folder = place / secrets.token_hex(8)
    making = folder.with_suffix(".part")
    own = making / bot
    own.mkdir(parents=True, mode=0o700)
    try:
        write_bot(uploads, own, MOST)
        making.rename(folder)
        sync_folder(place)
    except BaseException:
        shutil.rmtree(making, ignore_errors=True)
        raise
    return folder.name


def clear_parts(place: Path) -> None:
    """Remove unfinished folders of a place that was killed."""
    for part in place.glob("*.part"):
        shutil.rmtree(part, ignore_errors=True)


def packed(folder: Path) -> Path:
    """A version as a zip for its author, made once and stored beside the version."""
    kept = folder.parent / PACKED
    if not kept.exists():
        part = kept.with_suffix(f".{secrets.token_hex(4)}.part")
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*")):
                if path.is_file() and not path.is_symlink():
                    archive.write(path, path.relative_to(folder))
        part.rename(kept)
    return kept
