"""Run pip for a submission's requirements, in a separate sandbox with limits.

It reads the interpreter, the submission and a folder of wheels, and writes to one
environment. It gets a network and the organiser's pip settings only if wheels come from
an index. Without bubblewrap only the limits apply.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from pips_tourney.sandbox.reading import bubblewrap, system

INSTALL_S: Final = 900.0
"""Time limit for pip, in seconds."""
MOST_FILE_MB: Final = 2048
MOST_MEMORY_MB: Final = 8192
_TOLD_BYTES: Final = 1 << 16
_KEPT: Final = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_", "REQUESTS_CA_BUNDLE")
"""The organiser's variables for network access; lower-case names count too."""
_SETTINGS: Final = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "/etc/pki")
_ELSEWHERE: Final = {"user", "target", "prefix", "root", "log"}
"""Settings of pip that would make it write elsewhere."""

_LIMITED: Final = f"""
import os, resource as r, sys
for what, most in ((r.RLIMIT_FSIZE, {MOST_FILE_MB << 20}), (r.RLIMIT_AS, {MOST_MEMORY_MB << 20}), (r.RLIMIT_CORE, 0)):
    _, hard = r.getrlimit(what)
    most = most if hard == r.RLIM_INFINITY else min(most, hard)
    r.setrlimit(what, (most, most))
try:
    os.execvp(sys.argv[1], sys.argv[1:])
except OSError as error:
    sys.exit(str(error))
"""
"""Sets limits, then becomes the program named by its arguments.

Python code between fork and exec would be unsafe beside other threads.
"""


def install(words: Sequence[str], shown: Sequence[Path], into: Path, network: bool) -> tuple[int, str]:
    """Run pip; return its status and the end of its output."""
    settings = _pip_settings() if network else {}
    env = {name: value for name, value in os.environ.items() if network and name.upper().startswith(_KEPT)}
    env |= {f"PIP_{name.upper().replace('-', '_')}": value for name, value in settings.items()}
    env |= {"PIP_CONFIG_FILE": os.devnull, "HOME": "/tmp"}  # noqa: S108 - inside the sandbox
    env |= {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
    shown = [*shown, *_places(settings)]
    found = bubblewrap()
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as machine:
        # Not as arguments: others can read command lines, and an address may contain a
        # password.
        wrapped = [] if found is None else [found, "--args", str(machine.fileno()), "--"]
        machine.write(b"".join(os.fsencode(word) + b"\0" for word in _machine(shown, into, env, network=network)))
        machine.seek(0)
        try:
            ended = subprocess.run(
                [sys.executable, "-I", "-S", "-c", _LIMITED, *wrapped, *words],
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, cwd="/",
                env={} if wrapped else env, timeout=INSTALL_S, check=False, start_new_session=True,
                pass_fds=(machine.fileno(),),
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return 1, f"it took more than {INSTALL_S:g} s"
        except OSError as error:
            return 1, str(error)
        output.seek(max(0, output.tell() - _TOLD_BYTES))
        return ended.returncode, output.read().decode(errors="replace")


def _pip_settings() -> dict[str, str]:
    """Return pip's settings from the organiser's files and variables."""
    words = [sys.executable, "-I", "-m", "pip", "config", "list"]
    told = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False).stdout
    lines = re.findall(r"^(global|install|download|:env:)\.([\w-]+)=(.*)$", told, re.MULTILINE)
    by_section = {(section, name): str(ast.literal_eval(value)) for section, name, value in lines}
    sections = ("global", "install", "download", ":env:")
    ordered = sorted(by_section, key=lambda key: sections.index(key[0]))
    return {name: by_section[section, name] for section, name in ordered if name not in _ELSEWHERE}


def _places(settings: Mapping[str, str]) -> Iterator[Path]:
    """Yield the files and folders that settings of pip name.

    For an index in a folder it is the folder, because the index refers to files beside
    it.
    """
    for name, value in settings.items():
        for word in value.split():
            place = Path(unquote(urlsplit(word).path) if word.startswith("file:") else word)
            if place.is_absolute():
                yield place.parent if name.endswith("index-url") else place


def _machine(shown: Sequence[Path], into: Path, env: dict[str, str], *, network: bool) -> Iterator[str]:
    """Arguments for a machine with only what pip needs."""
    yield from ("--die-with-parent", "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts")
    yield from ("--cap-drop", "ALL", "--clearenv", *(() if network else ("--unshare-net",)))
    for name, value in env.items():
        yield from ("--setenv", name, value)
    yield from system()
    for setting in _SETTINGS if network else ():
        yield from ("--ro-bind-try", setting, setting)
    yield from ("--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev", "--tmpfs", "/tmp")  # noqa: S108 - its own
    for place in (sys.prefix, sys.base_prefix, *shown):
        yield from ("--ro-bind-try", str(place), str(place))
    yield from ("--bind", str(into), str(into), "--remount-ro", "/", "--chdir", "/")
