"""`python -m tests.goldens` writes all playthroughs anew; read what changed in them
before you commit it.
"""

from __future__ import annotations

from tests.contract.cases import CASES
from tests.goldens.playthrough import FOLDER, path_of, playthrough

if __name__ == "__main__":
    wanted = {path_of(case): case for case in CASES}
    for path in set(FOLDER.glob("*.txt")) - set(wanted):
        path.unlink()
    for path, case in wanted.items():
        path.write_text(playthrough(case), encoding="utf-8")
