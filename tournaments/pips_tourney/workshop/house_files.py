"""Files that are beside the packages in a checkout, and within them in a wheel.

The build runs this file by itself, so it imports nothing of ours.
"""

from __future__ import annotations

from pathlib import Path


def house_files(root: Path) -> dict[str, Path]:
    """Deal suites, leagues, JavaScript SDK, kits and a learner, by name in a wheel."""
    found = {
        "pips_tourney/seeds": root.glob("seeds/*.deals"),
        "pips_tourney/leagues": root.glob("tournaments/*.toml"),
        "pips_sdk/js": root.glob("sdk/js/*.*"),
        "pips_tourney/learned": root.glob("sample_bots/learned/*.py"),
    } | {
        f"pips_tourney/languages/{kit.parent.name}": (
            file for file in kit.parent.glob("*.*") if file.name[0] != "." and file.suffix not in (".class", ".exe")
        )
        for kit in root.glob("sample_bots/languages/*/bot.toml")
    }
    return {f"{folder}/{file.name}": file for folder, files in found.items() for file in files}
