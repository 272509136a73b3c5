"""What a release, its CI and its container say fits what is there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.lab.__main__ import LABORATORIES
from tests.machines.containerfile import container, steps, suite
from tests.machines.rows import ROWS
from tests.release.__main__ import packed
from tests.release.made import NoRelease, check_same, js_parts, licences

ROOT = Path(__file__).parents[2]
WORKFLOW = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
SCRIPT = (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_workflow_calls_every_part_of_the_one_script_and_needs_no_secret() -> None:
    assert set(re.findall(r"run: (?:sudo )?\.ci/run (\w+)$", WORKFLOW, re.MULTILINE)) == {
        *re.findall(r"^(\w+)\(\)", SCRIPT, re.MULTILINE)
    }
    assert "secrets" not in WORKFLOW


def test_the_workflow_tries_every_python_from_the_oldest_on() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    [listed, laptops] = [re.findall(r'"3\.(\d+)"', line) for line in re.findall(r"python: \[.*\]", WORKFLOW)]
    minors = [int(minor) for minor in listed]
    assert project["requires-python"] == f">=3.{minors[0]}"
    assert minors == [*range(minors[0], minors[-1] + 1)] and minors[-1] >= 14
    assert [listed[0], listed[-1]] == laptops


def test_a_difference_in_one_byte_is_no_release(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a")
    made = {"a.whl": b"1", "site": packed(tmp_path, "0")}
    check_same(made, {"a.whl": b"1", "site": packed(tmp_path, "0")})
    for other in ({**made, "a.whl": b"2"}, {"site": made["site"]}):
        with pytest.raises(NoRelease, match=r"differ in a\.whl"):
            check_same(made, other)


def test_a_part_without_a_licence_is_no_release() -> None:
    lock = {
        "": {"version": "1"},
        "node_modules/@a/b": {"version": "2", "license": "MIT"},
        "node_modules/c": {"version": "3", "license": "ISC", "dev": True},
        "node_modules/@a/b/node_modules/d": {"version": "4"},
    }
    scoped, bare = js_parts({"packages": lock})
    assert scoped["purl"] == "pkg:npm/%40a/b@2"
    assert licences({"components": [scoped]}) == "@a/b 2: MIT\n"
    with pytest.raises(NoRelease, match="which licence d has"):
        licences({"components": [scoped, bare]})


def test_the_container_is_tried_by_its_own_steps() -> None:
    assert {name for name, _ in steps()} == {
        "FROM", "RUN", "COPY", "WORKDIR", "VOLUME", "EXPOSE", "HEALTHCHECK", "CMD",
    }  # fmt: skip
    [row] = [row for row in ROWS if row.name == "containerfile"]
    assert (row.suite, row.runs) == (suite(), (container(),))
    said = dict(steps())
    assert all(words in container() for name, words in steps() if name == "RUN")
    compose = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    assert f":{said['VOLUME']}" in compose and f"{said['EXPOSE']}:{said['EXPOSE']}" in compose
    assert said["VOLUME"] == said["WORKDIR"] and said["EXPOSE"] in said["HEALTHCHECK"]


def test_every_figure_of_the_readme_has_its_command() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+) \| (.+) \| `(.+)` \|$", readme, re.MULTILINE)
    assert len(rows) >= 5
    for _, _, command in rows:
        lab = re.fullmatch(r"make lab WHAT=([\w-]+)( ARGS='[^']+')?", command)
        assert command == "make bench" or (lab and lab[1] in LABORATORIES), command
