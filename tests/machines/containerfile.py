"""The steps of the Containerfile, for a Debian that no engine has made."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
LEAGUE: Final = """
games = ["wichita"]
bots = [{ name = "random", sample = "random" }, { name = "greedy", sample = "greedy" }]
sandbox = { tier = "landlock" }
"""
SERVED: Final = """
printf %s LEAGUE >class.toml
printf 'name\\nAda\\n' >roster.csv
PYTHONPATH=SOURCE /opt/pips/bin/python -m tests.machines.container COMMAND >/run/said 2>&1 &
for second in $(seq 60); do HEALTH 2>/dev/null && break; sleep 1; done
cat /run/said
HEALTH
test -s class-place/invites.csv
kill $!
wait $! || test $? = 143
"""
"""As in Docker, a place opens, is well, keeps what it must in its volume, and ends."""


def steps() -> list[tuple[str, str]]:
    """Return the instructions of the Containerfile, each with its words."""
    text = (ROOT / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and line[0] != "#"]
    return [(name, words) for name, _, words in (line.partition(" ") for line in lines)]


def suite() -> str:
    """Return the Debian that the Containerfile begins with."""
    [(_, name)] = re.findall(r"^FROM (debian):(\w+)-slim$", f"FROM {dict(steps())['FROM']}", re.MULTILINE)
    return str(name)


def container() -> str:
    """Return what root runs in a checkout: the same steps, then `SERVED`."""
    names = re.findall(r"^!(\S+)$", (ROOT / ".dockerignore").read_text(encoding="utf-8"), re.MULTILINE)
    said, script = dict(steps()), ["export DEBIAN_FRONTEND=noninteractive SOURCE=$PWD"]
    for name, words in steps():
        match name:
            case "RUN":
                script.append(words)
            case "COPY":
                source, target = words.split()
                script.append(f"mkdir -p {target}\ncd {source}\ncp -r {shlex.join(names)} {target}")
            case "WORKDIR":
                script.append(f"mkdir -p {words}\ncd {words}")
    health, command = said["HEALTHCHECK"].partition(" CMD ")[2], said["CMD"]
    served = SERVED.replace("LEAGUE", shlex.quote(LEAGUE)).replace("SOURCE", '"$SOURCE"')
    for name, words in (("HEALTH", health), ("COMMAND", command)):
        served = served.replace(name, shlex.join(json.loads(words)))
    return "\n".join([*script, served])
