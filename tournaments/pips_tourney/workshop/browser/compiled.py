"""Archives of modules with their bytecode, so that Python need not compile them again.

Only the Python that will run the code can compile it. A tab's Python does so once, when
its files are installed (compile.mjs). This file needs only Python.
"""

from __future__ import annotations

import json
import marshal
import sys
import zipfile
from collections.abc import Callable, Collection
from importlib.util import MAGIC_NUMBER, source_hash
from io import BytesIO
from pathlib import PurePosixPath

UNCHECKED = (0b01).to_bytes(4, "little")
"""A `.pyc` with these flags is never compared with its source (PEP 552)."""


def used(handle: Callable[[str, Callable[[str], object]], object]) -> frozenset[str]:
    """Play every game in a tab, and return the files of all imported modules.

    `handle` is the tab's request handler.
    """
    from pips_referee.game import REGISTRY  # only a tab calls this, and it has Pips
    from pips_sdk.samples import usual_sample

    for game in REGISTRY:
        source = f"from pips_sdk import GameBot\n\nclass MyBot(GameBot):\n    game = {game!r}\n"
        asked = {"kind": "play", "source": source, "game": game, "opponent": usual_sample(game), "matches": 2}
        told: list[str] = []
        handle(json.dumps(asked | {"python": sys.version_info[:2], "seed": "used"}), told.append)
        for match in [match for line in told for match in json.loads(line).get("lost", ())]:
            handle(json.dumps(match | {"kind": "replay"}), told.append)
    return frozenset(filter(None, [getattr(module, "__file__", None) for module in [*sys.modules.values()]]))


def compiled(data: bytes, home: str, files: Collection[str] = ()) -> bytes:
    """The zip archive with the bytecode of its modules.

    With `home`, the path where Python will import from the archive, bytecode replaces
    all sources. Without it, bytecode is added beside the sources of `files` only, for a
    wheel that is unpacked.
    """
    into = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as archive, zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as made:
        for name in [name for name in archive.namelist() if not name.endswith(".pyc")]:
            source, is_module = archive.read(name), name.endswith(".py")
            if not (home and is_module):
                made.writestr(zipfile.ZipInfo(name), source, zipfile.ZIP_DEFLATED)
            if is_module and (home or any(file.endswith(f"/{name}") for file in files)):
                code = compile(source, f"{home}/{name}", "exec", dont_inherit=True, optimize=2 if home else 0)
                pyc = MAGIC_NUMBER + UNCHECKED + source_hash(source) + marshal.dumps(code)
                made.writestr(zipfile.ZipInfo(_place(name, beside=not home)), pyc, zipfile.ZIP_DEFLATED)
    return into.getvalue()


def _place(name: str, *, beside: bool) -> str:
    path = PurePosixPath(name)
    cached = path.parent / "__pycache__" / f"{path.stem}.{sys.implementation.cache_tag}.pyc"
    return str(cached if beside else path.with_suffix(".pyc"))
