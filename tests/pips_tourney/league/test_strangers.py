"""Submissions that are odd or hostile: each is left out with a sentence.

The other bots play.
"""

from __future__ import annotations

import io
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from pips_tourney.bots import contents
from pips_tourney.bots.contents import Caps, Unreadable
from pips_tourney.league.league import League
from pips_tourney.league.mistakes import LeagueError
from pips_tourney.league.read import read_league
from pips_tourney.league.submissions import links_may_lead_to
from pips_tourney.night.begin import changes
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.sandbox import reading
from pips_tourney.sandbox.pack import PackError, write_pack
from tests.needs import needs

pytestmark = pytest.mark.xdist_group("processes")

A_BOT: Final = "from pips_sdk.serpent import SerpentBot\n\nclass MyBot(SerpentBot):\n    pass\n"
Make = Callable[[Path], object]


@pytest.fixture(params=[pytest.param("in a sandbox", marks=needs("bwrap")), "without one"])
def tier(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The outcome is the same, whatever sandbox the machine has to read them in."""
    if request.param == "without one":
        monkeypatch.setattr(reading, "bubblewrap", lambda: None)


def league(folder: Path, more: str = "") -> League:
    for name in ("ada", "zoe"):
        (folder / "s" / name).mkdir(parents=True, exist_ok=True)
        if not (file := folder / "s" / name / "bot.py").exists():
            file.write_text(A_BOT, encoding="utf-8")
    (folder / "night.toml").write_text(f'game = "serpent"\nbots = "s/*"\n{more}\n', encoding="utf-8")
    return read_league(folder / "night.toml").with_contents()


def toml(text: str) -> Make:
    return lambda folder: (folder / "bot.toml").write_text(text, encoding="utf-8")


def sparse(folder: Path) -> None:
    with (folder / "weights.bin").open("wb") as file:
        file.truncate(4 << 40)


def listening(folder: Path) -> None:
    here = socket.socket(socket.AF_UNIX)
    here.bind(os.path.relpath(folder / "door"))
    here.close()


def deep(folder: Path) -> None:
    (folder / "/".join(["d"] * 40)).mkdir(parents=True)


def many(folder: Path) -> None:
    for number in range(60):
        (folder / str(number)).touch()


def linked(name: str, target: str) -> Make:
    def make(folder: Path) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(target)

    return make


def forbidden(name: str) -> Make:
    def make(folder: Path) -> None:
        (folder / name).mkdir()
        (folder / name).chmod(0)

    return make


def kept(folder: Path) -> None:
    (folder / ".git").mkdir()
    os.mkfifo(folder / ".git/pipe")


ODD: Final[dict[str, tuple[Make, str]]] = {
    "a name of an old zip": (
        lambda folder: (folder / os.fsdecode(b"caf\xe9.txt")).touch(),
        r"the name caf\xe9.txt is no UTF-8: rename it",
    ),
    "a control character": (lambda folder: (folder / "a\x1b[2J").touch(), "holds a control character"),
    "a long name": (lambda folder: (folder / "/".join(["x" * 200] * 6)).mkdir(parents=True), "a name in it has 1004"),
    "brackets": (toml("command = " + "[" * 5000), "bot.toml cannot be read: brackets in brackets"),
    "tables in tables": (toml(".".join("a" * 9000) + " = 1"), "bot.toml"),
    "a long number": (toml(f'command = "x"\nn = {"9" * 9000}'), "bot.toml cannot be read: Exceeds the limit"),
    "a long text": (toml(f'command = "{"x" * 100_000}"'), "bot.toml cannot be read: it has more than 64 KiB"),
    "a long word": (toml(f'command = "{"x" * 5000}"'), "of 4096 characters at most"),
    "many words": (toml(f"command = {['x'] * 100}"), "64 words"),
    "no UTF-8": (lambda folder: (folder / "bot.toml").write_bytes(b'command = "\xff"'), "bot.toml cannot be read"),
    "a NUL": (toml('command = "python \\u0000"'), "without NUL"),
    "half a character": (toml('command = "\\ud800"'), "bot.toml cannot be read"),
    "no words": (toml("command = [1, 2]"), "says how the bot is started"),
    "a variable of the loader": (toml('command = "x"\nenv = { LD_PRELOAD = "x" }'), "set the variable 'LD_PRELOAD'"),
    "a name that is none": (toml('command = "x"\nenv = { "A=B" = "1" }'), "may not set the variable 'A=B'"),
    "a folder bot.toml": (lambda folder: (folder / "bot.toml").mkdir(), "which file is the bot?"),
    "a linked bot.toml": (linked("bot.toml", "/etc/passwd"), "bot.toml is a link to '/etc/passwd', out of"),
    "4 TB of nothing": (sparse, "weights.bin has 4,194,304 MB"),
    "a pipe": (lambda folder: os.mkfifo(folder / "pipe"), "pipe is a pipe"),
    "a socket": (listening, "door is a socket"),
    "deep folders": (deep, "its folders lie 32 deep and deeper"),
    "many files": (many, "it holds more than 50 files and folders"),
    "a link out": (linked("secrets", "../../night.toml"), "secrets is a link to '../../night.toml', out of"),
    "a hidden link": (linked(".x/y", "/tmp"), ".x/y is a link to '/tmp', out of"),
    "a link of a package": (linked("node_modules/x", "/root"), "node_modules/x is a link to '/root', out of"),
    "a link to its neighbour": (linked("n", "../ada"), "n is a link to '../ada', out of"),
    "a shut folder": (forbidden("shut"), "shut cannot be read: its permissions forbid it"),
}  # fmt: skip


@pytest.mark.usefixtures("tier")
def test_each_is_left_out_with_a_sentence_and_the_others_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, (make, _) in ODD.items():
        folder = tmp_path / "s" / name
        folder.mkdir(parents=True)
        make(folder)
    found = league(tmp_path, "hand_in = { files = 50 }\n")
    told = {name: found.broken.get(name) for name in ODD}
    if os.geteuid() == 0 and reading.bubblewrap() is None:
        told["a shut folder"] = f"s/a shut folder: {ODD['a shut folder'][1]}"  # root opens every door
    assert {name: what for name, (_, what) in ODD.items() if what not in (told[name] or "")} == {}, told
    assert all(text is not None and f"s/{name}" in text and "\n" not in text for name, text in told.items())
    assert [bot.name for bot in found.file.bots] == ["ada", "zoe"]
    assert len(make_programme(found).entrants) == 2


@pytest.mark.usefixtures("tier")
def test_what_is_only_unusual_plays(tmp_path: Path) -> None:
    unusual: dict[str, Make] = {
        "endless": linked("a", "a"),
        "inner": linked("docs/b", "../bot.py"),
        "system": linked("python", "/usr/bin/python3"),
        "sdk": linked("node_modules/pips-sdk", links_may_lead_to()[0]),
        "dangling": linked("nothing", "gone"),
        "twice": lambda folder: os.link(folder / "bot.py", folder / "other.txt"),
        "kept": kept,
    }
    for name, make in unusual.items():
        (tmp_path / "s" / name).mkdir(parents=True)
        (tmp_path / "s" / name / "bot.py").write_text(A_BOT, encoding="utf-8")
        make(tmp_path / "s" / name)
    found = league(tmp_path)
    assert not found.broken
    assert len(make_programme(found).entrants) == 9


@pytest.mark.usefixtures("tier")
def test_words_of_a_command_are_followed_nowhere(tmp_path: Path) -> None:
    """Words that look like paths are not followed.

    They name a folder that one may not enter, devices, the neighbour's files.
    """
    folder = tmp_path / "s" / "words"
    folder.mkdir(parents=True)
    (tmp_path / "shut").mkdir(mode=0)
    words = [f"{tmp_path}/shut/x", "/dev/zero", "/proc/kmsg", "../ada/bot.py", "x" * 4000, "bot.py"]
    (folder / "bot.toml").write_text(f"command = {['python', *words]}", encoding="utf-8")
    (folder / "bot.py").write_text(A_BOT, encoding="utf-8")
    found = league(tmp_path)
    assert not found.broken
    before = make_programme(found)
    (tmp_path / "s/ada/bot.py").write_text(f"{A_BOT}\n", encoding="utf-8")
    assert changes(before, make_programme(league(tmp_path))) == ["bot ada: its files, command or environment changed"]
    bot = next(bot for bot in found.file.bots if bot.name == "words")
    assert found.program(bot, "serpent").files == (str(folder),)


def test_a_folder_whose_own_name_is_no_utf_8(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"s/ren\xe9")).mkdir(parents=True)
    found = league(tmp_path)
    assert found.broken == {"ren_": r"s/ren\xe9: its name is no UTF-8: rename it".replace("\\x", "\\udc")}
    assert [bot.name for bot in found.file.bots] == ["ada", "zoe"]


def test_a_link_that_another_user_has_made_is_no_submission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    league(tmp_path)
    (tmp_path / "s/mine").symlink_to(tmp_path / "s/ada")
    assert not league(tmp_path).broken
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    os.lchown(tmp_path / "s/mine", 54321, -1) if os.getuid() == 0 else None
    assert "it is a link that somebody else has made" in league(tmp_path).broken["mine"]
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "s/ada").rename(tmp_path / "elsewhere/in")  # a folder that would be unpacked
    (tmp_path / "s/mine").unlink()
    (tmp_path / "s/mine").symlink_to(tmp_path / "elsewhere")
    os.lchown(tmp_path / "s/mine", 54321, -1) if os.getuid() == 0 else None
    assert "it is a link that somebody else has made" in league(tmp_path).broken["mine"]
    assert not (tmp_path / ".unpacked").exists()


def test_one_that_is_named_alone_is_a_mistake_of_the_league(tmp_path: Path) -> None:
    league(tmp_path)
    os.mkfifo(tmp_path / "s/ada/pipe")
    (tmp_path / "one.toml").write_text('game = "serpent"\nbots = ["s/ada", "s/zoe"]', encoding="utf-8")
    with pytest.raises(LeagueError, match=r"bots\[0\]\.path: .*pipe is a pipe"):
        read_league(tmp_path / "one.toml")


def test_too_few_are_left(tmp_path: Path) -> None:
    found = league(tmp_path)
    (tmp_path / "s/ada/bot.py").unlink()
    os.mkfifo(tmp_path / "s/ada/bot.py")  # meanwhile
    with pytest.raises(LeagueError, match=r"(?s)serpent needs 2 bots at a table.*bot ada: bot\.py is a pipe"):
        found.with_contents()


class TestFingerprints:
    """Fingerprints of version 2. Older nights keep version 1."""

    @pytest.mark.parametrize("name", [".hidden", ".x/y", "node_modules/x/index.js", "bot.py", "data/w.bin"])
    def test_every_file_counts(self, tmp_path: Path, name: str) -> None:
        before = make_programme(league(tmp_path))
        (tmp_path / "s/ada" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "s/ada" / name).write_text("another", encoding="utf-8")
        told = changes(before, make_programme(league(tmp_path)))
        assert told == ["bot ada: its files, command or environment changed"]

    def test_a_link_counts_by_what_it_says(self, tmp_path: Path) -> None:
        league(tmp_path)
        (tmp_path / "s/ada/l").symlink_to("bot.py")
        before = make_programme(league(tmp_path))
        (tmp_path / "s/ada/l").unlink()
        (tmp_path / "s/ada/l").symlink_to("./bot.py")
        assert len(changes(before, make_programme(league(tmp_path)))) == 1

    @pytest.mark.parametrize("name", ["__pycache__/bot.cpython-311.pyc", ".git/index", ".mypy_cache/x"])
    def test_what_tools_keep_is_no_part_of_a_bot(self, tmp_path: Path, name: str) -> None:
        before = make_programme(league(tmp_path))
        (tmp_path / "s/ada" / name).parent.mkdir(parents=True)
        (tmp_path / "s/ada" / name).write_text("x", encoding="utf-8")
        assert changes(before, make_programme(league(tmp_path))) == []

    @pytest.mark.usefixtures("tier")
    def test_an_organisers_own_folder_may_be_linked_anywhere(self, tmp_path: Path) -> None:
        league(tmp_path)
        (tmp_path / "weights").write_text("1", encoding="utf-8")
        (tmp_path / "s/ada/w").symlink_to("../../weights")
        os.mkfifo(tmp_path / "s/ada/pipe")
        text = 'game = "serpent"\nfill = "random"\nbots = [{ name = "ada", command = "python bot.py", cwd = "s/ada" }]'
        (tmp_path / "own.toml").write_text(text, encoding="utf-8")
        before = make_programme(read_league(tmp_path / "own.toml"))
        (tmp_path / "weights").write_text("2", encoding="utf-8")
        assert len(changes(before, make_programme(read_league(tmp_path / "own.toml")))) == 1


def swap(name: str, text: str) -> Make:
    """Put another text of the same length there, with the same time.

    The time is the same as far as a user can set it.
    """

    def make(folder: Path) -> None:
        before = (folder / name).stat()
        (folder / name).write_text(text, encoding="utf-8")
        os.utime(folder / name, ns=(before.st_atime_ns, before.st_mtime_ns))

    return make


class TestSwaps:
    """A bot's processes get copies of the files that were fingerprinted, or none."""

    @staticmethod
    def packed(tmp_path: Path, change: Make) -> bytes:
        folder = tmp_path / "s/ada"
        league(tmp_path)
        for name in (".hidden", "node_modules/x.js", "data"):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text("1234", encoding="utf-8")
        (folder / "link").symlink_to("data")
        found = league(tmp_path)
        ada = found.program(next(bot for bot in found.file.bots if bot.name == "ada"), "serpent")
        change(folder)
        into = io.BytesIO()
        write_pack(ada.files, [], 1, into, ada.stamp)
        return into.getvalue()

    @pytest.mark.parametrize(
        "change",
        [
            swap(".hidden", "4321"),
            swap("node_modules/x.js", "4321"),
            swap("data", "4321"),
            lambda folder: (folder / "more").touch(),
            lambda folder: (folder / ".hidden").unlink(),
            lambda folder: (folder / "data").rename(folder / "old"),
            lambda folder: ((folder / "link").unlink(), (folder / "link").symlink_to(".hidden")),
        ],
    )
    def test_what_was_swapped_is_noticed(self, tmp_path: Path, change: Make) -> None:
        with pytest.raises(PackError, match=r"s/ada has changed since its fingerprint was taken: put its files back"):
            self.packed(tmp_path, change)

    @pytest.mark.parametrize("name", ["__pycache__/bot.cpython-311.pyc", ".git/index"])
    def test_what_is_no_part_of_a_bot_is_not_copied(self, tmp_path: Path, name: str) -> None:
        def change(folder: Path) -> None:
            (folder / name).parent.mkdir()
            (folder / name).write_text("a word from another process", encoding="utf-8")

        packed = self.packed(tmp_path, change)
        assert b"node_modules/x.js" in packed
        assert b"a word" not in packed and name.partition("/")[0].encode() not in packed


def test_a_file_that_changes_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "bot.py"
    file.write_text("x" * 100, encoding="utf-8")
    real = os.read

    def read(descriptor: int, most: int) -> bytes:
        with file.open("a", encoding="utf-8") as more:
            more.write("y")
        return real(descriptor, most)

    monkeypatch.setattr(os, "read", read)
    with pytest.raises(Unreadable, match=r"bot\.py changed while it was read"):
        contents.contents({"place": str(tmp_path), "words": [], "tree": True, "version": 2, "trusted": False}, Caps())
