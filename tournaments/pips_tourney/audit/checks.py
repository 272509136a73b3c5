"""The audit's checks: each turns evidence into findings.

The p-values of all tests are corrected together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, get_args

import numpy as np

from pips_tourney.audit.evidence import Evidence, Seen
from pips_tourney.audit.statistics import dependence, holm, unequal_means
from pips_tourney.night.log.rows import quantile_us

ALPHA: Final = 0.01
"""The probability that a fair night has any false alarm."""
SLOWER: Final = 1.5
"""An arena is slow if its answers take this many times as long as elsewhere."""
TIGHT: Final = 0.1
"""A slow arena is trouble if its 99th percentile is above this share of the limit."""
NEAR_THE_LIMIT: Final = 0.5
"""A bot is near the clock's limit if its 99th percentile is above this share of it."""

Kind = Literal["records", "voids", "seats", "neighbours", "deals", "clock", "arenas", "copies"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that the audit noticed.

    `p` is corrected for the number of tests. It is None for a finding without a test.
    """

    kind: Kind
    trouble: bool
    """Whether something has to be done about it; else it is only worth knowing."""
    about: str
    text: str
    p: float | None = None

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "trouble": self.trouble, "about": self.about, "text": self.text, "p": self.p}


def look(evidence: Evidence) -> tuple[list[Finding], Counter[Kind]]:
    """All findings of the checks, and by kind how many tests were made.

    A test leads to a finding only if its corrected p is below `ALPHA`.
    """
    tested = [*_seat_effects(evidence), *_neighbour_effects(evidence), *_arena_tests(evidence), *_copies(evidence)]
    corrected = holm([finding.p for finding in tested if finding.p is not None])
    found = [replace(finding, p=p) for finding, p in zip(tested, corrected, strict=True) if p < ALPHA]
    found += [*_seat_balance(evidence), *_neighbour_balance(evidence), *_deal_balance(evidence), *_slow_bots(evidence)]
    return sorted(found, key=lambda finding: (KINDS.index(finding.kind), not finding.trouble)), Counter(
        finding.kind for finding in tested
    )


def _seat_effects(evidence: Evidence) -> Iterator[Finding]:
    for contest in evidence.contests:
        rows = _points_by_seat(evidence.of(contest))
        p = unequal_means(rows) if len(rows) else None
        if p is not None:
            means = ", ".join(f"{share:.1%}" for share in rows.mean(axis=0))
            fair = (
                "every bot sits equally often in each" if contest in evidence.once else "all play each deal from each"
            )
            text = f"seats score {means}; {fair}, so it favours nobody"
            yield Finding("seats", False, contest, text, p)


def _points_by_seat(matches: list[Seen]) -> Any:
    """(deals, seats): mean points of each seat in each deal."""
    return np.array([np.mean([match.points for match in block], axis=0) for block in _blocks(matches)])


def _neighbour_effects(evidence: Evidence) -> Iterator[Finding]:
    """At tables of three and more: does a bot's result depend on who sits before it?"""
    for contest in evidence.contests:
        seen: dict[str, list[tuple[float, Hashable, Hashable]]] = defaultdict(list)
        for block in _blocks(evidence.of(contest)):
            before = _before(block[0].bots)
            for bot in before if len(before) > 2 else ():
                points = float(np.mean([match.points[match.bots.index(bot)] for match in block]))
                seen[bot].append((points, before[bot], block[0].combination))
        for bot, observed in sorted(seen.items()):
            if (found := dependence(*zip(*observed, strict=True))) is not None:
                most = max(found.excess, key=lambda other: abs(found.excess[other]))
                text = f"{bot} scores {found.excess[most]:+.1%} where it plays after {most}"
                yield Finding("neighbours", False, contest, text, found.p)


def _blocks(matches: list[Seen]) -> list[list[Seen]]:
    blocks: dict[str, list[Seen]] = defaultdict(list)
    for match in matches:
        blocks[match.block].append(match)
    return list(blocks.values())


def _before(bots: tuple[str, ...]) -> dict[str, str]:
    """By bot, its predecessor around the table, which is the same in every rotation."""
    return {bot: bots[seat - 1] for seat, bot in enumerate(bots)}


def _arena_tests(evidence: Evidence) -> Iterator[Finding]:
    here = [match for match in evidence.matches if match.arena]
    for contest in evidence.contests if len({match.arena for match in here}) > 1 else ():
        matches = [match for match in here if match.contest == contest]
        yield from _slow_arenas(evidence, contest, matches)
        for bot in sorted({bot for match in matches for bot in match.bots}):
            at_table = [match for match in matches if bot in match.bots]
            found = _by_arena(at_table, lambda match, seat: match.points[seat], lambda match, _: match.bots, bot)
            if found is not None:
                most = max(found.excess, key=lambda arena: abs(found.excess[arena]))
                text = (
                    f"{bot} scores {found.excess[most]:+.1%} in arena {most}, against the same bots in the same seats"
                )
                yield Finding("arenas", True, contest, text, found.p)


def _slow_arenas(evidence: Evidence, contest: str, matches: list[Seen]) -> Iterator[Finding]:
    """Answers that take longer, or time out more often, in one arena than in another.

    The same bots in the same seats are compared. If each arena has its own seats, only
    the bots are the same.
    """
    if any(any(match.timed_out) for match in matches):
        found = _by_arena(matches, lambda match, seat: float(match.timed_out[seat]), _place)
        if found is not None:
            most = max(found.excess, key=found.excess.__getitem__)
            share = f"{found.excess[most]:+.2%} of matches"
            text = f"bots time out more in arena {most} than the same bots do elsewhere ({share})"
            yield Finding("clock", True, contest, text, found.p)
    same_seats = _by_arena(matches, _log_time, _place)
    found = same_seats or _by_arena(matches, _log_time, lambda match, seat: match.bots[seat])
    if found is not None:
        ratio = 2 ** (max(found.excess.values()) - min(found.excess.values()))
        slow, quick = (pick(found.excess, key=found.excess.__getitem__) for pick in (max, min))
        tight = same_seats is not None and _is_tight(evidence, str(slow))
        but = (
            "" if tight else "; the clock leaves them time enough" if same_seats else ", which sit in other seats there"
        )
        text = f"answers take {ratio:.1f} times as long in arena {slow} as in arena {quick}, for the same bots{but}"
        yield Finding("clock", tight, contest, text, found.p if ratio >= SLOWER else 1.0)


def _is_tight(evidence: Evidence, arena: str) -> bool:
    """Whether answers in an arena come near the clock's limit."""
    slowest = quantile_us(evidence.arenas[arena].times, 0.99)
    return slowest is not None and slowest / 1000 > TIGHT * evidence.answer_ms > 0


def _copies(evidence: Evidence) -> Iterator[Finding]:
    """Bots with the same files are equally strong: any difference is luck."""
    for contest, of, p in evidence.copies:
        text = f"{of.a} and {of.b} have the same files, yet {of.a} is {of.elo:.0f} Elo ahead: more than intervals allow"
        yield Finding("copies", True, contest, text, p)


def _place(match: Seen, seat: int) -> Hashable:
    return match.bots, seat


def _log_time(match: Seen, seat: int) -> float | None:
    return match.log_time[seat] if match.log_time else None


def _by_arena(
    matches: list[Seen],
    value: Callable[[Seen, int], float | None],
    stratum: Callable[[Seen, int], Hashable],
    bot: str | None = None,
) -> Any:
    """Whether a value of the seats of these matches depends on the arena.

    It is tested for one bot, or for all together.
    """
    observed = [
        (found, match.arena, stratum(match, seat))
        for match in matches
        for seat, name in enumerate(match.bots)
        if bot in (None, name) and (found := value(match, seat)) is not None
    ]
    return dependence(*zip(*observed, strict=True)) if observed else None


def _seat_balance(evidence: Evidence) -> Iterator[Finding]:
    for contest in evidence.contests:
        matches = evidence.of(contest)
        sat: dict[str, Counter[int]] = defaultdict(Counter)
        for match in matches:
            for seat, bot in enumerate(match.bots):
                sat[bot][seat] += 1
        for bot, seats in sorted(sat.items()):
            counts = [seats[seat] for seat in range(len(matches[0].bots))]
            if max(counts) - min(counts) > _odd_deals(evidence, contest, bot):
                text = f"{bot} sat {', '.join(map(str, counts))} times in the seats: they are not balanced"
                yield Finding("seats", True, contest, text)


def _odd_deals(evidence: Evidence, contest: str, bot: str) -> int:
    """By how many matches a bot's numbers of matches in each seat may differ.

    If each deal is played once, the difference may be one for each table. A table's
    deals need not be a multiple of its seats.
    """
    return sum(bot in table for table in evidence.deals[contest]) if contest in evidence.once else 0


def _neighbour_balance(evidence: Evidence) -> Iterator[Finding]:
    """In a complete night, a bot's deals after each neighbour differ by at most two.

    That is one round of orders, or two mirrored ones.
    """
    for contest in evidence.contests if evidence.complete else ():
        after: dict[tuple[tuple[str, ...], str], Counter[str]] = defaultdict(Counter)
        for block in _blocks(evidence.of(contest)):
            for bot, before in _before(block[0].bots).items() if len(block[0].bots) > 2 else ():
                after[block[0].combination, bot][before] += 1
        uneven = Counter[str]()
        for (combination, bot), others in after.items():
            counts = [others[other] for other in combination if other != bot]
            if max(counts) - min(counts) > 2:
                uneven[bot] = max(uneven[bot], max(counts) - min(counts))
        for bot, spread in sorted(uneven.items()):
            text = f"{bot} plays after some bots in {spread} deals more than after others at the same table"
            yield Finding("neighbours", True, contest, text)


def _deal_balance(evidence: Evidence) -> Iterator[Finding]:
    """In a complete night, bots not withdrawn lack equally many deals, within one."""
    for contest, tables in evidence.deals.items() if evidence.complete else ():
        lost: Counter[str] = Counter()
        there: Counter[str] = Counter()
        for table, (counted, scheduled) in tables.items():
            if not any((contest, bot) in evidence.withdrawn for bot in table):
                lost.update(dict.fromkeys(table, scheduled - counted))
                there.update(dict.fromkeys(table, scheduled))
        if lost and max(lost.values()) - min(lost.values()) > 1:
            bot = max(sorted(lost), key=lost.__getitem__)
            fair = min(sorted(lost), key=lost.__getitem__)
            text = f"{bot} lacks {lost[bot]} of its {there[bot]} deals, {fair} {lost[fair]} of its {there[fair]}"
            yield Finding("deals", True, contest, f"{text}: play what was annulled again")


def _slow_bots(evidence: Evidence) -> Iterator[Finding]:
    for (contest, bot), times in sorted(evidence.times.items()) if evidence.answer_ms else ():
        slowest = quantile_us(times, 0.99)
        if slowest is not None and slowest / 1000 > NEAR_THE_LIMIT * evidence.answer_ms:
            text = f"one answer in a hundred of {bot} takes {slowest / 1000:.0f} of {evidence.answer_ms} ms or more"
            yield Finding("clock", False, contest, text)
