"""The programme: ids, deals and processes.

An id is the hash of its match. Deals belong to combinations. Rotation r is process r's.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from pips_referee.records.record import Header
from pips_tourney.league.form import Format, Knockout, Stop
from pips_tourney.league.read import read_league
from pips_tourney.league.suites import Deal
from pips_tourney.night.log.kinds import BEGUN
from pips_tourney.night.log.store import StoreError, open_store
from pips_tourney.night.night import nights
from pips_tourney.night.plan.fixtures import fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.night.plan.programme import Anchor, Contest, Entrant, Programme, load_programme
from pips_tourney.secret import Secret, as_json
from tests.pips_tourney.in_process import write_league

SECRET = Secret(bytes(range(32)))


def programme(folder: Path, *bots: str, deals: int = 2, more: str = "") -> Programme:
    return make_programme(read_league(write_league(folder, *bots, deals=deals, more=more)))


def ids(of: Programme) -> list[str]:
    return [fixture.match_id for fixture in fixtures(of)]


def test_every_pair_plays_every_deal_both_ways_round(tmp_path: Path) -> None:
    matches = list(fixtures(programme(tmp_path, "ada", "bo", "cy", deals=3)))
    assert len(matches) == len({match.match_id for match in matches}) == 3 * 3 * 2
    assert set(Counter((match.deal, match.combination) for match in matches).values()) == {2}
    assert all(len(match.match_id) == 32 for match in matches)
    for match in matches:
        assert match.processes == tuple(f"{bot}/serpent/{match.rotation}" for bot in match.seating)
    turned = {(match.deal, match.combination, match.seating) for match in matches}
    assert len(turned) == len(matches)


def test_the_same_deal_in_another_rotation_is_the_same_luck_and_nothing_else_is_equal(tmp_path: Path) -> None:
    first, second, *others = fixtures(programme(tmp_path, "ada", "bo", "cy"))
    orders = [fixture.order(SECRET, {"answer_ms": 5}) for fixture in (first, second)]
    headers = [order.header for order in orders]
    assert headers[0].seed == headers[1].seed
    assert headers[0].seats == headers[1].seats[::-1]
    seeds = [seed for order in orders for seed in order.rng_seeds]
    linked = [*seeds, *(part for header in headers for part in (header.nonce, header.commitment, header.match_id))]
    assert len(set(linked)) == len(linked)
    assert orders[0].clock.answer_ms == 5
    assert all(match.header(SECRET).seed != first.header(SECRET).seed for match in others)
    assert Header.read(headers[0]) == first.header(SECRET)


def test_a_deal_is_another_one_for_another_combination_and_for_a_changed_bot(tmp_path: Path) -> None:
    old = programme(tmp_path, "ada", "bo")
    ada, bo = old.entrants
    new = replace(old, entrants=(ada, replace(bo, fingerprints={"serpent": "other"})))
    seeds = [{fixture.header(SECRET).seed for fixture in fixtures(of)} for of in (old, new)]
    assert not seeds[0] & seeds[1]


def test_an_id_is_made_of_all_that_a_match_is(tmp_path: Path) -> None:
    base = programme(tmp_path, "ada", "bo")
    contest, deal = base.contests[0], base.deals[0]
    others = [
        replace(base, contests=(replace(contest, options={"max_tiebreaks": 3}),)),
        replace(base, contests=(replace(contest, rules_version=99),)),
        replace(base, clock={**base.clock, "answer_ms": 7}),
        replace(base, deals=(deal._replace(seed="00" * 16), base.deals[1]._replace(seed="11" * 16))),
        replace(base, entrants=tuple(replace(entrant, name=entrant.name + "x") for entrant in base.entrants)),
    ]
    for other in others:
        assert not set(ids(base)) & set(ids(other))
    same = [
        replace(base, league="another name"),
        replace(base, deals=(deal._replace(name="x"), base.deals[1])),
    ]
    assert all(ids(of) == ids(base) for of in same)


def test_a_longer_league_contains_the_shorter_one_s_matches(tmp_path: Path) -> None:
    assert ids(programme(tmp_path, "ada", "bo", deals=5))[: 2 * 2] == ids(programme(tmp_path, "ada", "bo", deals=2))


def test_the_order_of_the_bots_in_the_file_means_nothing(tmp_path: Path) -> None:
    assert programme(tmp_path, "ada", "bo", "cy") == programme(tmp_path, "cy", "bo", "ada")


def test_a_programme_survives_the_log(tmp_path: Path) -> None:
    one = programme(tmp_path, "ada", "bo", more='anchor = { name = "bo", elo = 1000 }')
    again = load_programme(json.loads(json.dumps(one.dump())))
    assert again == one
    assert again.digest == one.digest != programme(tmp_path, "ada", "bo").digest
    assert ids(again) == ids(one)


def test_a_dump_is_the_one_that_pydantic_makes(tmp_path: Path) -> None:
    """With every part that a programme may have."""
    plain = programme(tmp_path, "ada", "bo", "cy", more="max_faults = 3")
    form = Format("gauntlet", "ada", stop=Stop(0.9, 100, "points", "adaptive"), final=Knockout(None, 2, 1))
    contests = tuple(replace(contest, form=form) for contest in plain.contests)
    full = replace(plain, contests=contests, anchor=Anchor("bo", 1200.0), rate="points")
    for made in (plain, full):
        usual = TypeAdapter(Programme).dump_python(made, mode="json", exclude={"deals"})
        assert {name: as_json(getattr(made, name)) for name in usual} == usual
    assert load_programme(full.dump()) == full


def test_options_that_say_the_default_are_the_default(tmp_path: Path) -> None:
    path = write_league(tmp_path, "ada", "bo")
    plain = make_programme(read_league(path))
    said = path.read_text(encoding="utf-8").replace(
        'game = "serpent"', 'games = [{ name = "serpent", seats = 2, options = { max_tiebreaks = 10 } }]'
    )
    path.write_text(said, encoding="utf-8")
    assert make_programme(read_league(path)) == plain


def test_a_game_may_have_its_own_number_of_deals_and_a_bot_may_stay_away_from_it(tmp_path: Path) -> None:
    path = tmp_path / "night.toml"
    path.write_text(
        """
        games = ["serpent", { name = "serpent", label = "short", deals = 2, options = { max_tiebreaks = 0 } }]
        deals = { count = 3 }
        bots = [
            { name = "ada", sample = "random" },
            { name = "bo", sample = "random", games = ["serpent"] },
            { name = "cy", sample = "greedy" },
        ]
        """,
        encoding="utf-8",
    )
    matches = list(fixtures(make_programme(read_league(path))))
    assert Counter(match.contest.label for match in matches) == {"serpent": 3 * 3 * 2, "short": 3 * 2 * 2}
    assert {match.deal.name for match in matches if match.contest.label == "short"} == {"deal00001", "deal00002"}


def test_house_bots_sit_only_where_there_are_too_few_others() -> None:
    prints = {"serpent": "f"}
    house = [Entrant(f"(house {n})", prints, rated=False) for n in (1, 2)]
    bots = (*house, Entrant("ada", prints), Entrant("bo", prints))
    of = Programme("x", (), bots, (), {})

    def names(seats: int) -> list[str]:
        return [entrant.name for entrant in of.players(Contest("a", "serpent", 1, seats, {}, 2))]

    assert names(2) == ["ada", "bo"]
    assert names(3) == ["ada", "bo", "(house 1)"]
    assert names(4) == ["ada", "bo", "(house 1)", "(house 2)"]


def test_a_bot_is_its_command_its_environment_and_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "main.py").write_text("1", encoding="utf-8")
    (folder / "data.txt").write_text("1", encoding="utf-8")
    (folder / "__pycache__").mkdir()

    def prints(bot: str) -> str:
        path = tmp_path / "night.toml"
        path.write_text(f'fill = "random"\ngame = "serpent"\nbots = [{{ name = "ada", {bot} }}]', encoding="utf-8")
        ada = next(entrant for entrant in make_programme(read_league(path)).entrants if entrant.rated)
        return ada.fingerprints["serpent"]

    in_folder, named = 'command = "python main.py", cwd = "bot"', 'command = "python bot/main.py"'
    whole, one = prints(in_folder), prints(named)
    assert len({whole, one, prints(in_folder + ', env = { DEEP = "1" }'), prints('sample = "random"')}) == 4
    (folder / "__pycache__" / "main.pyc").write_text("x", encoding="utf-8")
    assert (prints(in_folder), prints(named)) == (whole, one)
    (folder / "data.txt").write_text("2", encoding="utf-8")
    assert prints(in_folder) != whole
    assert prints(named) == one
    (folder / "main.py").write_text("2", encoding="utf-8")
    assert prints(named) != one


def test_an_id_is_the_hash_that_the_documents_say(tmp_path: Path) -> None:
    """docs/night.md, "Which matches there are"."""
    of = programme(tmp_path, "ada", "bo", "cy")
    for fixture in fixtures(of):
        contest, players = fixture.contest, dict(fixture.players)
        seats = [[name, players[name]] for name in fixture.seating]
        head = ["match", contest.game, contest.rules_version, contest.options, of.clock]
        what = json.dumps(
            [*head, fixture.deal.seed, fixture.rotation, seats],
            sort_keys=True, separators=(",", ":"), ensure_ascii=False,
        )  # fmt: skip
        assert fixture.match_id == sha256(what.encode()).hexdigest()[:32]


def six_seats(folder: Path, *, more: str = "") -> Programme:
    bots = ", ".join(f'{{ name = "{bot}", sample = "random" }}' for bot in "abcdef")
    path = folder / "six.toml"
    games = '[{ name = "wichita", seats = 6 }]'
    path.write_text(f"games = {games}\nbots = [{bots}]\ndeals = {{ count = 20 }}\n{more}", encoding="utf-8")
    return make_programme(read_league(path))


def two_places_on(of: Programme) -> set[int]:
    """How often players sit two places behind another."""
    seatings = [fixture.seating for fixture in fixtures(of)]
    assert len(seatings) == 120
    return set(Counter((seating[at - 2], seating[at]) for seating in seatings for at in range(6)).values())


def test_players_two_places_on_are_even_at_large_tables(tmp_path: Path) -> None:
    of = six_seats(tmp_path)
    assert two_places_on(of) == {24}
    assert load_programme(of.dump()) == of


@pytest.mark.parametrize("word", ["../outside", "a/b", "", ".", "a,b", "x" * 41])
@pytest.mark.parametrize("where", ["label", "game", "bot"])
def test_a_database_whose_words_are_no_names_is_refused(tmp_path: Path, where: str, word: str) -> None:
    """Files are called after them: an export would write outside its folder."""
    dumped = programme(tmp_path, "ada", "bo").dump()
    part, key = ("entrants", "name") if where == "bot" else ("contests", where)
    dumped[part][0][key] = word
    with open_store(tmp_path / "night.db") as store:
        store.add((), [(BEGUN, {"programme": dumped})])
        with pytest.raises(StoreError, match=rf"its log cannot be read: {part}.0.{key}: (1 to 40|a game is)"):
            nights(store)


def test_a_signal_while_deals_are_dumped_stays_a_signal(tmp_path: Path) -> None:
    """pydantic makes an error of its own of whatever is raised in what it calls."""

    class Interrupted(tuple[Deal, ...]):
        __slots__ = ()

        def __iter__(self) -> Iterator[Deal]:
            raise KeyboardInterrupt

    base = replace(programme(tmp_path, "ada", "bo"), deals=Interrupted())
    with pytest.raises(KeyboardInterrupt):
        base.dump()
