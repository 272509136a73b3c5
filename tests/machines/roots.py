"""Debian in a folder: made by debootstrap, kept, and entered by pivot_root."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Final

ROOT: Final = Path(__file__).parents[2]
KEPT: Final = Path(os.environ.get("MACHINES", ROOT / "build" / "machines"))
"""Where roots and logs are kept: on a disk that can carry overlays."""
BASE: Final = "python3,python3-venv,make,git,ca-certificates"
PASSED: Final = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")

ENTER: Final = """
mount -t overlay row -o "lowerdir=$LAYERS,upperdir=$UPPER,workdir=$UPPER.work" "$UPPER.top"
cd "$UPPER.top"
mount --rbind /dev dev
mount --rbind /sys sys
mount -t proc proc proc
mount -t tmpfs tmpfs run
cp /etc/resolv.conf /etc/hosts etc/
for place in $SHOWN; do
    if [ -d "$place" ]; then mkdir -p ".$place"; else mkdir -p ".${place%/*}"; : >>".$place"; fi
    mount --rbind "$place" ".$place"
    mount -o remount,bind,ro ".$place"
done
mkdir -p host
pivot_root . host
umount -l /host
eval "$INSIDE"
"""
"""What the first process of a machine does before what is to be done inside."""

LOOPBACK: Final = (  # SIOCSIFFLAGS with IFF_UP
    "import fcntl, socket, struct; fcntl.ioctl(socket.socket(), 0x8914, struct.pack('16sh14x', b'lo', 1))"
)


@dataclass(frozen=True)
class Machine:
    """A root of layers, and the folder that takes what is changed in it."""

    layers: Sequence[Path]
    upper: Path

    def run(self, inside: str, log: IO[str], env: Mapping[str, str], *, network: bool, limit_s: float) -> int:
        """Run this as its root, in namespaces of its own; return its status."""
        for suffix in ("", ".work", ".top"):
            Path(f"{self.upper}{suffix}").mkdir(parents=True, exist_ok=True)
        words = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
        if not network:
            words.append("--net")
            inside = f"python3 -c {shlex.quote(LOOPBACK)}\n{inside}"
        settings = pip_settings()
        given = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", **settings,
            **{name: os.environ[name] for name in PASSED if name in os.environ}, **env,
            "LAYERS": ":".join(map(str, self.layers)), "UPPER": str(self.upper), "SHOWN": " ".join(places(settings)),
            "INSIDE": inside,
        }  # fmt: skip
        try:
            return subprocess.run(
                [*words, "sh", "-ec", ENTER], env=given, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, timeout=limit_s, check=False,
            ).returncode  # fmt: skip
        except subprocess.TimeoutExpired:
            print(f"it was not done after {limit_s:.0f} s", file=log)
            return 124

    def remove(self) -> None:
        for suffix in ("", ".work", ".top"):
            shutil.rmtree(f"{self.upper}{suffix}", ignore_errors=True)


def machine(name: str, suite: str, packages: Sequence[str]) -> Machine:
    """Return a machine in which nothing was done yet; what it is made from is kept."""
    base = KEPT / suite
    words = ["debootstrap", "--variant=minbase", f"--include={BASE}", suite, str(base), _mirror()]
    _once(base, lambda log: subprocess.run(words, stdout=log, stderr=log, check=False).returncode)
    layers = [base]
    if packages:
        layer = Machine(layers, KEPT / "-".join([suite, *packages]))
        get = f"apt-get update -qq; apt-get install -y -qq --no-install-recommends {' '.join(packages)}"
        env = {"DEBIAN_FRONTEND": "noninteractive"}
        _once(layer.upper, lambda log: layer.run(get, log, env, network=True, limit_s=1200))
        layers = [layer.upper, base]
    row = Machine(layers, KEPT / f"row-{name}")
    row.remove()
    return row


def _once(place: Path, make: Callable[[IO[str]], int]) -> None:
    """Make a folder unless it was made before, whole."""
    made, log = Path(f"{place}.made"), Path(f"{place}.log")
    if made.exists():
        return
    shutil.rmtree(place, ignore_errors=True)
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w", encoding="utf-8") as file:
        status = make(file)
    if status:
        raise SystemExit(f"{place.name} could not be made; {log} says why")
    made.touch()


def _mirror() -> str:
    """Return where this machine gets Debian from."""
    words = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Label: Debian"]
    addresses = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    if not addresses:
        raise SystemExit("this machine's apt has no mirror of Debian")
    return addresses[0]


@cache
def pip_settings() -> dict[str, str]:
    """Return this machine's settings of pip, as variables."""
    words = ["python3", "-m", "pip", "config", "list"]
    told = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    settings = re.findall(r"^(?:global|install|:env:)\.([\w-]+)='(.*)'$", told, re.MULTILINE)
    return {f"PIP_{name.upper().replace('-', '_')}": value for name, value in settings}


def places(settings: Mapping[str, str]) -> list[str]:
    """Return the files and folders of this machine that the settings name.

    An index in a folder refers to what lies beside it.
    """
    found = set()
    for word in " ".join(settings.values()).split():
        place = Path(word.removeprefix("file://"))
        if place.is_absolute() and place.exists():
            found.add(str(place.parent if word.startswith("file://") else place))
    return sorted(found)
