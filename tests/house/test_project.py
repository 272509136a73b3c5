"""The files that describe the project agree with one another."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_extra_all_has_every_other_extra() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    assert extras["all"] == [f"pips-tourney[{','.join(sorted(extras.keys() - {'all'}))}]"]


def test_the_generator_of_an_installation_is_that_of_development() -> None:
    """`make proto` and `pip install` write the same code."""
    pinned = {need for need in PROJECT["build-system"]["requires"] if "==" in need}
    assert pinned <= set(PROJECT["project"]["optional-dependencies"]["dev"])


def test_pre_commit_runs_the_checks_of_make_check() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    [checks] = re.findall(r"^check:(.*?)##", makefile, re.MULTILINE)
    hooks = re.findall(r"entry: make .*(check-\w+)", (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert set(checks.split()) == {*hooks, "check-hooks"}


def test_every_target_of_the_makefile_is_phony() -> None:
    """A file of the same name never hides a command."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    [phony] = re.findall(r"^\.PHONY:(.*)$", makefile, re.MULTILINE)
    assert set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE)) == set(phony.split())


def test_the_citation_is_of_this_version() -> None:
    lines = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    assert f"version: {PROJECT['project']['version']}" in lines
    assert f"license: {PROJECT['project']['license']}" in lines


def test_the_changelog_knows_the_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## \[(.+?)\]", changelog, re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert headings[1:2] in ([], [PROJECT["project"]["version"]])
