"""A whole league as files: public, whole, and with a policy that needs no server."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner

from pips_tourney.cli.tourney import main
from pips_tourney.files import NotWritten
from pips_tourney.night.director import office
from pips_tourney.web.public import Public
from pips_tourney.web.site_export import write_site
from tests.pips_tourney.web.nights import small_night

pytestmark = pytest.mark.unmeasured  # other tests reach these lines


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two nights in all games, the first with a decision for a reason."""
    folder = tmp_path_factory.mktemp("league")
    path = small_night(folder)
    with office(path) as at:
        at.withdraw("cy", "copied, see /home/teacher/notes", from_start=False)
    path.rename(folder / "small.1.db")
    return small_night(folder)


def test_all_nights_are_there_and_nothing_of_the_organisers(league: Path, tmp_path: Path) -> None:
    ran = CliRunner().invoke(main, ["report", str(league), "-o", str(tmp_path)])
    assert ran.exit_code == 0
    files = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "site").iterdir()}
    assert {"index.html", "style.css", "night-1.html", "night-2.html", "standings.json"} <= files.keys()
    for name, text in files.items():
        assert "/home/teacher" not in text and str(league.parent) not in text and "Traceback" not in text, name
    links = re.findall(r'href="([^"#:]+)"', files["index.html"])
    assert {"night-1.html", "night-2-matches.json"} <= set(links) and set(links) <= files.keys()
    assert len(json.loads(files["night-2-matches.json"])) > 10
    assert {row["bot"] for row in json.loads(files["standings.json"])[0]["rows"]} >= {"ada", "bo"}
    assert "Season: " in files["index.html"]


def test_a_page_in_one_file_names_what_may_run_in_it(league: Path, tmp_path: Path) -> None:
    write_site(league, tmp_path, [], Public())
    page = (tmp_path / "night-2.html").read_text(encoding="utf-8")
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)
    policy = policy.replace("&#39;", "'")
    assert "unsafe" not in policy
    for kind, part in (("style", "style-src"), ("script", "script-src")):
        inside = re.findall(rf'<{kind}(?: type="module")?>(.*?)</{kind}>', page, re.DOTALL)
        allowed = re.search(rf"{part} ([^;]+)", policy)
        assert inside and allowed is not None
        found = [f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in inside]
        assert allowed[1].split() == found


def test_a_folder_that_cannot_be_written(league: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(NotWritten, match="another folder with -o"):
        write_site(league, tmp_path / "taken" / "site", [], Public())
