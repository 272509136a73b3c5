"""`make release`: all that a release uploads, in dist/.

Packages are made in two clones, at other paths and with other umasks, and pages twice
of one night. A difference in one byte ends it. Then the wheel is tried.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.release.made import ROOT, VERSION, NoRelease, bill, check_same, licences, packages, run
from tests.release.site import SITE, play, write

DIST: Final = ROOT / "dist"
NEXT: Final = f"""
Before:
  git tag -a v{VERSION}; git push origin v{VERSION}
To upload:
  PyPI            twine upload dist/*.whl dist/pips_tourney-{VERSION}.tar.gz
  npm             npm publish dist/pips-sdk-{VERSION}.tgz
  the tag's page  all of dist/
  a web space     build/site"""


def main() -> None:
    if changed := run("git", "status", "--porcelain"):
        raise NoRelease(f"a release is made of what is committed; this is not:\n{changed}")
    epoch = run("git", "log", "-1", "--format=%ct").strip()
    with TemporaryDirectory() as folder:
        made, again = (packages(Path(folder) / name, mask, epoch) for name, mask in (("one", 0o022), ("two", 0o077)))
        check_same(made, again)
        play()
        made["site.tar.gz"] = packed(_site(SITE, epoch), epoch)
        check_same({"the site": made["site.tar.gz"]}, {"the site": packed(_site(Path(folder) / "site", epoch), epoch)})
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    for name, content in made.items():
        (DIST / name).write_bytes(content)
    [wheel] = DIST.glob("*.whl")
    listed = bill(wheel, epoch)
    (DIST / "licences.txt").write_text(licences(listed), encoding="utf-8")
    (DIST / "bom.json").write_text(json.dumps(listed, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    tried = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/house/test_wheel.py")
    subprocess.run(tried, cwd=ROOT, env={**os.environ, "PIPS_DIST": str(DIST)}, check=True)
    sums = "".join(f"{sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(DIST.iterdir()))
    (DIST / "SHA256SUMS").write_text(sums, encoding="utf-8")
    print(f"Made twice, with the same bytes, and tried, of {run('git', 'rev-parse', 'HEAD').strip()}:\n{sums}{NEXT}")
    if f"[{VERSION}]" not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        print(f"CHANGELOG.md has no heading [{VERSION}] yet: give it, commit, make it again")


def _site(folder: Path, epoch: str) -> Path:
    write(folder, epoch)
    return folder


def packed(folder: Path, epoch: str) -> bytes:
    """Return a folder as an archive of which only the files decide the bytes."""
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w") as archive:
        for file in sorted(file for file in folder.rglob("*") if file.is_file()):
            member = tarfile.TarInfo(f"site/{file.relative_to(folder).as_posix()}")
            member.size, member.mtime = file.stat().st_size, int(epoch)
            archive.addfile(member, io.BytesIO(file.read_bytes()))
    return gzip.compress(into.getvalue(), mtime=0)


if __name__ == "__main__":
    try:
        main()
    except (NoRelease, subprocess.CalledProcessError) as error:
        sys.exit(str(error))
