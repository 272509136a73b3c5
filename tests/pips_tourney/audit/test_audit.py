"""Fair nights have no alarm, and each kind of trouble is found when it is planted."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from pips_tourney.audit import Audit
from pips_tourney.audit.checks import ALPHA, Finding, look
from pips_tourney.audit.evidence import ArenaFigures, Evidence, Seen
from pips_tourney.cli.tourney import main
from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin
from pips_tourney.night.director import office
from pips_tourney.night.log.kinds import ENDED, VOID
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.rows import bucket_of
from pips_tourney.night.log.store import Store, open_log, open_store, points_of
from pips_tourney.night.night import last_night
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.standings_json import standings_sha256
from pips_tourney.schedule.tables import play_deals
from pips_tourney.secret import Secret
from tests.pips_tourney.forged import change
from tests.pips_tourney.in_process import play, write_league

Chance = Callable[[str, int, str, str], float]
"""What is added to a bot's strength.

It depends on its name, its seat, the bot before it, and the arena.
"""


@dataclass
class Simulated:
    """A night of bots of different strength, whose cards favour a seat.

    It is played in arenas at random.
    """

    bots: str = "abcd"
    seats: int = 2
    deals: int = 30
    arenas: int = 2
    luck: float = 1.0
    seed: int = 0
    edge: Chance = lambda *_: 0.0
    slow: Callable[[str], float] = lambda _: 1.0
    """How many times as long answers take in an arena."""
    timeouts: Callable[[str], float] = lambda _: 0.0
    """The share of matches in which a bot times out in an arena."""
    answer_ms: int = 20
    apart: bool = False
    """Every rotation is played in its own arena, as in runs of several arenas."""

    def evidence(self) -> Evidence:
        rng = np.random.default_rng(self.seed)
        evidence = Evidence(answer_ms=self.answer_ms)
        strength = {bot: number * 0.6 for number, bot in enumerate(self.bots)}
        tables = list(combinations(self.bots, self.seats))
        cards: dict[tuple[object, ...], np.ndarray] = {}
        for pairing in play_deals(tables, self.deals):
            where = pairing.combination, pairing.deal
            dealt = cards.setdefault(where, self.luck * rng.normal(size=self.seats))
            arena = str(pairing.rotation if self.apart else rng.integers(self.arenas))
            form = []
            for seat, bot in enumerate(pairing.seating):
                before = pairing.seating[seat - 1]
                form.append(strength[bot] + dealt[seat] + self.edge(bot, seat, before, arena) + rng.logistic())
            late = tuple(bool(rng.random() < self.timeouts(arena)) for _ in form)
            form = [-99.0 if out else value for value, out in zip(form, late, strict=True)]
            places = [1 + sum(other > value for other in form) for value in form]
            spent = tuple(
                float(np.log2(self.slow(arena) * 500 * (1 + ord(bot) % 7)) + rng.normal(0, 0.4))
                for bot in pairing.seating
            )
            figures = evidence.arenas.setdefault(arena, ArenaFigures())
            figures.times.update(bucket_of(int(2**time)) for time in spent)
            evidence.matches.append(Seen("game", f"{where}", pairing.seating, points_of(places), spent, late, arena))
        evidence.deals["game"] = {tuple(sorted(table)): (self.deals, self.deals) for table in tables}
        return evidence

    def findings(self) -> list[Finding]:
        return look(self.evidence())[0]


KINDS_OF_NIGHT = [
    Simulated(),
    Simulated(bots="abcdef", deals=12, arenas=4),
    Simulated(bots="abcd", seats=3, deals=24),
    Simulated(bots="abcde", seats=4, deals=12, luck=2.0),
]


@pytest.mark.unmeasured
@pytest.mark.long
def test_fair_nights_have_no_false_alarm() -> None:
    alarms, tests = 0, 0
    for number in range(240):
        night = KINDS_OF_NIGHT[number % len(KINDS_OF_NIGHT)]
        found, made = look(Simulated(night.bots, night.seats, night.deals, night.arenas, night.luck, number).evidence())
        alarms, tests = alarms + bool(found), tests + made.total()
        assert all(finding.p is not None for finding in found), found
    assert tests > 1500
    assert alarms <= 7  # 240 nights at 1 %: more than seven would happen once in a hundred


def only(findings: list[Finding], kind: str, text: str, *, trouble: bool) -> None:
    (finding,) = findings
    assert (finding.kind, finding.trouble) == (kind, trouble)
    assert text in finding.text
    assert finding.p is None or 0 <= finding.p < ALPHA


class TestPlanted:
    def test_a_seat_that_is_worth_more(self) -> None:
        night = Simulated(deals=60, edge=lambda bot, seat, before, arena: 0.8 * (seat == 0))
        only(night.findings(), "seats", "favours nobody", trouble=False)

    def test_a_neighbour_who_helps(self) -> None:
        night = Simulated(seats=3, deals=60, edge=lambda bot, seat, before, arena: 1.6 * (bot == "a" and before == "d"))
        found = night.findings()
        assert all(finding.kind == "neighbours" and not finding.trouble for finding in found)
        assert any(finding.text.startswith("a scores +") and finding.text.endswith("after d") for finding in found)

    def test_a_bot_that_is_better_in_one_arena(self) -> None:
        night = Simulated(deals=80, edge=lambda bot, seat, before, arena: 1.5 * (bot == "b" and arena == "1"))
        found = night.findings()
        assert all((finding.kind, finding.trouble) == ("arenas", True) for finding in found)
        assert any(finding.text.startswith("b scores ") for finding in found)

    def test_an_arena_that_is_slow(self) -> None:
        night = Simulated(slow=lambda arena: 1.8 if arena == "1" else 1.0)
        only(night.findings(), "clock", "1.7 times as long in arena 1 as in arena 0", trouble=True)
        in_time = Simulated(slow=lambda arena: 1.8 if arena == "1" else 1.0, answer_ms=1000)
        only(in_time.findings(), "clock", "time enough", trouble=False)
        assert not Simulated(slow=lambda arena: 1.2 if arena == "1" else 1.0).findings()

    def test_an_arena_in_which_bots_time_out(self) -> None:
        night = Simulated(deals=60, timeouts=lambda arena: 0.15 if arena == "1" else 0.01)
        found = [finding for finding in night.findings() if finding.kind == "clock"]
        only(found, "clock", "time out more in arena 1", trouble=True)

    def test_a_seat_is_no_arena(self) -> None:
        """Where arenas sit apart, an effect of one seat looks like one of an arena."""
        night = Simulated(deals=60, apart=True, timeouts=lambda arena: 0.15 if arena == "1" else 0.01)
        found, tests = look(night.evidence())
        assert not [finding for finding in found if finding.kind in ("clock", "arenas")]
        assert (tests["clock"], tests["arenas"]) == (1, 0)
        slow = Simulated(apart=True, slow=lambda arena: 1.8 if arena == "1" else 1.0)
        only(slow.findings(), "clock", "for the same bots, which sit in other seats there", trouble=False)

    def test_seats_that_are_not_balanced(self) -> None:
        evidence = Simulated().evidence()
        del evidence.matches[3]
        found, _ = look(evidence)
        assert {(finding.kind, finding.trouble, finding.p) for finding in found} == {("seats", True, None)}
        assert any("are not balanced" in finding.text for finding in found)

    def test_neighbours_that_are_not_balanced(self) -> None:
        evidence = Simulated(seats=3).evidence()
        bots = {match.block: match.bots for match in evidence.matches}
        kept = {block for block, seats in bots.items() if "a" not in seats or seats[seats.index("a") - 1] != "b"}
        evidence.matches = [match for match in evidence.matches if match.block in kept]
        found, _ = look(evidence)
        assert any(
            finding.kind == "neighbours" and finding.trouble and "a plays after" in finding.text for finding in found
        )
        evidence.complete = False
        assert not [finding for finding in look(evidence)[0] if finding.trouble]

    def test_deals_that_are_not_balanced(self) -> None:
        evidence = Simulated().evidence()
        evidence.deals["game"]["a", "b"] = (27, 30)
        found, _ = look(evidence)
        only(found, "deals", "a lacks 3 of its 90 deals, c 0 of its 90", trouble=True)
        evidence.withdrawn = frozenset([("game", "a")])
        assert not look(evidence)[0]

    def test_a_bot_at_the_limit_of_its_clock(self) -> None:
        evidence = Simulated(answer_ms=1000).evidence()
        evidence.times["game", "a"] = {bucket_of(1000): 90, bucket_of(700_000): 10}  # type: ignore[assignment]
        only(look(evidence)[0], "clock", "of a takes ", trouble=False)


SECRET = Secret(b"\x01" * 32)


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fair night of three, in two arenas."""
    monkeypatch.chdir(tmp_path)
    league = write_league(tmp_path, "ada", "bo", "cy", deals=20)
    with open_store(tmp_path / "night.db") as store:
        night = begin(store, make_programme(read_league(league)), SECRET)
        for number, fixture in enumerate(night.fixtures()):
            row = row_of(play(fixture.header(SECRET), SECRET.rng_seed(fixture.match_id, 0)))
            store.add([row], (), [(row.id, str(number // 6 % 2))])
        table = standings_sha256(standings(night))
        said = {"secret": SECRET.key.hex(), "digest": night.digest(), "standings_sha256": table}
        store.append(ENDED, said)
    return tmp_path / "night.db"


def audited(*words: str, status: int = 0) -> str:
    ended = CliRunner().invoke(main, ["audit", *words])
    assert ended.exit_code == status, ended.output
    return ended.output


def test_a_fair_night_is_called_fair(database: Path) -> None:
    text = audited()
    assert "✓ records: every record was replayed" in text
    assert "✓ arenas: nobody's results depend on the arena" in text
    assert "arena 0: 60 matches" in text
    found = json.loads(audited("night.db", "--json"))
    assert found["ok"] and found["complete"]
    assert (found["matches"], found["records_verified"]) == (120, 120)
    assert [arena["arena"] for arena in found["arenas"]] == ["0", "1"]
    assert "- records: not looked at" in audited("--quick")


def test_what_was_not_compared_is_not_called_fair() -> None:
    def lines(night: Simulated) -> str:
        evidence = night.evidence()
        return "\n".join(Audit("League", (), look(evidence)[1], evidence, None).lines())

    apart = lines(Simulated(apart=True))
    assert "- arenas: could not be compared" in apart and "✓ clock: no arena is slower" in apart
    assert "- arenas: all was played in one" in lines(Simulated(arenas=1))
    few = lines(Simulated(deals=1))
    assert "- clock: no bot is near its limit; arenas could not be compared" in few
    assert "✓ arenas: nobody's results" in lines(Simulated())


def test_what_was_meddled_with_is_found(database: Path) -> None:
    old = "DROP TABLE played", "DROP TABLE chain"  # databases of before have neither
    change(database, "UPDATE results SET places = '[1,1]' WHERE rowid IN (5, 6, 7)", *old, forge=False)
    text = audited(status=1)
    assert text.count("✗ records: match ") == 3
    assert "- arenas: it is not known where matches were played" in text
    audited("--quick")


@pytest.mark.unmeasured
def test_a_record_that_cannot_be_read_is_found_and_does_not_end_the_audit(database: Path) -> None:
    whole = json.loads(audited("--quick", "--json"))
    with closing(sqlite3.connect(database)) as connection:
        ((match, record),) = connection.execute("SELECT id, record FROM results WHERE rowid = 5").fetchall()
        flipped = bytes(byte ^ 0xFF for byte in record[:4]) + record[4:]
        connection.execute("UPDATE results SET record = ? WHERE rowid = 5", [flipped])
        connection.commit()
    assert f"✗ records: match {match}" in audited(status=1)
    (finding,) = json.loads(audited("--json", status=1))["findings"]
    assert (finding["kind"], finding["about"]) == ("records", f"match {match}")
    assert "- records: not looked at" in audited("--quick")
    quick = json.loads(audited("--quick", "--json"))
    assert (quick["ok"], quick["matches"]) == (True, whole["matches"])


def test_annulling_much_of_one_bot_is_found(database: Path) -> None:
    with office(database) as at:
        of_two = [fixture for fixture in at.night.fixtures() if set(fixture.combination) == {"ada", "bo"}]
        for fixture in of_two[:6:2]:
            at.annul(fixture.match_id, "the machine was suspended")
    text = audited("--quick", status=1)
    assert "✗ deals: serpent, ada lacks 3 of its 40 deals, cy 0 of its 40" in text


def test_who_is_withdrawn_in_a_final_lacks_no_deals_of_the_league(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    more = 'final = { name = "knockout", deals = 6 }'
    league = write_league(tmp_path, "ada", "bo", "cy", "dan", deals=2, more=more)
    with open_store(tmp_path / "night.db") as store:
        begin(store, make_programme(read_league(league)), SECRET)
        play_known(store)
        play_known(store, 4)
    with office(tmp_path / "night.db") as at:
        at.withdraw("ada", "it was another bot", from_start=False)
    with open_store(tmp_path / "night.db") as store:
        while play_known(store):
            pass
    assert json.loads(audited("--json", "--quick"))["complete"]
    text = audited("--quick")
    assert "✓ deals: everybody has the same share" in text


def play_known(store: Store, most: int | None = None) -> bool:
    """Play the matches that are known by now; whether there were any."""
    ahead = [fixture for fixture, row in last_night(store).kept() if row is None][:most]
    store.add([row_of(play(each.header(SECRET), SECRET.rng_seed(each.match_id, 0))) for each in ahead])
    return bool(ahead)


def test_voids_are_counted_with_their_reasons(database: Path) -> None:
    assert "✓ voids: no match was void" in audited("--quick")
    with open_log(database) as store:
        for number in range(3):
            store.append(VOID, {"match": f"{number:016x}", "why": "the arena ended"})
    assert "- voids: 3 matches were void and played again: the arena ended" in audited("--quick")
