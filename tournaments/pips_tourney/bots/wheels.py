"""A program that checks wheels and then runs pip, which may start no other program.

It runs with `-I` in a bot's environment, so it imports only the standard library. Its
arguments: the most bytes that the wheels may unpack to, the number of wheels, their
paths, then pip's own runner with its arguments.
"""

from __future__ import annotations

import runpy
import sys
import zipfile
import zlib
from collections.abc import Sequence
from email.parser import BytesParser
from typing import Final, NoReturn

METADATA_BYTES: Final = 1 << 20
_STARTS: Final = ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.system", "os.fork", "os.forkpty", "os.spawn")


class WheelError(Exception):
    """A wheel is refused; the text says why."""


def look_into(wheels: Sequence[str], most_bytes: int) -> None:
    """Raise `WheelError` for wheels that require addresses or unpack to too much."""
    total = 0
    for wheel in wheels:
        name = wheel.rpartition("/")[2]
        try:
            with zipfile.ZipFile(wheel) as file:
                entries = file.infolist()  # readers unpack no more of an entry than this declared size
                total += sum(entry.file_size for entry in entries)
                if total > most_bytes:
                    raise WheelError(f"{name}: the wheels unpack to more than {most_bytes >> 20} MB (hand_in.mb)")
                for entry in entries:
                    if entry.filename.endswith(".dist-info/METADATA"):
                        _look_at(file, entry, name)
        except (OSError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
            raise WheelError(f"{name} is no wheel that can be read: {error}") from None


def _look_at(file: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str) -> None:
    if entry.file_size > METADATA_BYTES:
        raise WheelError(f"{name}: its METADATA has more than {METADATA_BYTES >> 10} KB")
    for need in BytesParser().parsebytes(file.read(entry)).get_all("Requires-Dist", []):
        if "@" in str(need):
            raise WheelError(f"{name} requires {str(need)[:80]!a}: an address is not installed, only names are")


def _start_nothing(event: str, _: object) -> None:
    if event in _STARTS:
        raise PermissionError("nothing is built or run at installation: only wheels are installed")


def main(words: Sequence[str]) -> NoReturn:
    most_bytes, count = int(words[0]), int(words[1])
    try:
        look_into(words[2 : 2 + count], most_bytes)
    except WheelError as error:
        sys.exit(str(error))
    pip = list(words[2 + count :])
    sys.addaudithook(_start_nothing)  # a package's build backend would be a separate process
    sys.argv = pip
    runpy.run_path(pip[0], run_name="__main__")
    sys.exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
