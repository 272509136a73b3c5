"""Sources for bots in C++ and Java: every game's values, the compiler, the kit."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from pips_referee.forms import fields_of
from pips_referee.game import REGISTRY
from pips_sdk.lines.bridge import main as bridge
from pips_sdk.lines.source.model import item_of, values_of
from tests.conformance.__main__ import main as conformance
from tests.conformance.kit import transcripts
from tests.needs import needs
from tests.pips_sdk.lines.languages import CONFORMANCE


def header(capsys: pytest.CaptureFixture[str]) -> str:
    bridge(["--cpp"])
    return capsys.readouterr().out


@pytest.mark.parametrize("game", REGISTRY)
def test_the_header_has_every_value(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    values = values_of(game)
    namespace = header(capsys).split(f"namespace pips::{game} {{")[1].split(f"// namespace pips::{game}")[0]
    assert {*values.actions, *values.events} <= set(values.records)
    for record in values.records:
        struct = namespace.split(f"struct {values.names[record]} {{")[1].split("\n};")[0]
        assert all(f" {field}{{}};" in struct for field in fields_of(record))


@pytest.mark.parametrize("game", REGISTRY)
def test_the_source_in_java_has_every_value(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    bridge(["--java"])
    text = capsys.readouterr().out
    own = text.split(f"public static final class {game.capitalize()} {{")[1].split("public static final class")[0]
    values = values_of(game)
    for record in values.records:
        given = own.split(f"public record {values.names[record]}(")[1].split(")")[0]
        assert len(given.split(", ")) == max(1, len(fields_of(record)))
        kinds = [kind for kind, all_of in (("Action", values.actions), ("Event", values.events)) if record in all_of]
        head = own.split(f"public record {values.names[record]}(")[1].split("{")[0]
        assert all(kind in head for kind in kinds)
    assert text.count("{") == text.count("}")


def test_a_record_comes_after_those_that_it_holds() -> None:
    names = [record.__name__ for record in values_of("dominion").records]
    assert names.index("Conquest") < names.index("DominionView")


def test_a_list_of_several_types_is_refused() -> None:
    with pytest.raises(TypeError, match="mixes types"):
        item_of(tuple[int, str])


@needs("g++")
@pytest.mark.unmeasured
def test_the_conformance_bot_in_cpp_speaks_the_protocol(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pips.hpp").write_text(header(capsys), encoding="utf-8")
    shutil.copy(CONFORMANCE / "bot.cpp", tmp_path)
    strict = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-O0", "-o", "bot", "bot.cpp"]
    subprocess.run(strict, cwd=tmp_path, check=True)
    ended = CliRunner().invoke(conformance, [f"{sys.executable} -m pips_sdk.lines {tmp_path / 'bot'}"])
    assert ended.exit_code == 0, ended.output
    assert ended.output.count("\u2713") == len(transcripts())
