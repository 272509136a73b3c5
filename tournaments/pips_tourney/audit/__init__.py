"""Whether a night was fair: seats, neighbours, deals, clocks, arenas and all records.

**Invariant**: an audit reads a night and changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pips_tourney.audit.checks import ALPHA, KINDS, Finding, Kind, look
from pips_tourney.audit.evidence import Evidence, gather
from pips_tourney.night.log.kinds import VOID
from pips_tourney.night.log.store import Store
from pips_tourney.night.night import last_night
from pips_tourney.night.proof.verify import Verified, verify_night
from pips_tourney.night.table.standings import standings

__all__ = ["Audit", "Finding", "audit"]

LISTED: Final = 20
_FAIR: Final = {
    "records": "every record was replayed, and says what its row says",
    "voids": "no match was void",
    "seats": "every bot sat equally often in every seat, and no seat is worth more than another as far as can be seen",
    "neighbours": "nobody's points depend on who sits before it, as far as can be seen",
    "deals": "everybody has the same share of the schedule's deals",
    "clock": "no arena is slower than another, and no bot is near its limit",
    "arenas": "nobody's results depend on the arena, as far as can be seen",
    "copies": "bots with the same files are as near to each other as intervals say",
}
_UNTOLD: Final = "it is not known where matches were played"
_ONE_ARENA: Final = "all was played in one"
_UNCOMPARED: Final = {
    "clock": "no bot is near its limit; arenas could not be compared",
    "arenas": "could not be compared: too little was played in several of them by the same bots in the same seats",
}
_NO_COPIES: Final = "no two bots with the same files have played enough to show whether intervals are true"


@dataclass(frozen=True, slots=True)
class Audit:
    """The findings of an audit.

    `tests` is the number of p-values, by kind, that were corrected for each other.
    """

    league: str
    findings: tuple[Finding, ...]
    tests: Mapping[Kind, int]
    evidence: Evidence
    verified: Verified | None
    """None when records were not looked at."""

    @property
    def ok(self) -> bool:
        return not any(finding.trouble for finding in self.findings)

    def as_json(self) -> dict[str, Any]:
        return {
            "league": self.league,
            "ok": self.ok,
            "complete": self.evidence.complete,
            "matches": len(self.evidence.matches),
            "records_verified": None if self.verified is None else self.verified.results,
            "tests": sum(self.tests.values()),
            "alpha": ALPHA,
            "findings": [finding.as_json() for finding in self.findings],
            "arenas": [
                {
                    "arena": arena, "matches": figures.matches, "timeouts": figures.timeouts,
                    "median_ms": figures.median_ms, "credited": figures.credited,
                }
                for arena, figures in sorted(self.evidence.arenas.items())
            ],
        }  # fmt: skip

    def lines(self) -> Iterator[str]:
        """The report as lines of text."""
        so_far = "" if self.evidence.complete else " so far"
        yield f"{self.league}: {len(self.evidence.matches)} matches that count{so_far}"
        for kind in KINDS:
            found = [finding for finding in self.findings if finding.kind == kind]
            if kind == "records" and self.verified is None:
                yield "- records: not looked at"
            elif not found:
                why = self._uncompared(kind)
                yield f"- {kind}: {why}" if why else f"✓ {kind}: {_FAIR[kind]}"
            for finding in found[:LISTED]:
                chance = "" if finding.p is None else f" (p {'< 0.001' if finding.p < 0.001 else f'= {finding.p:.3f}'})"
                about = f" {finding.about}," if finding.about else ""
                yield f"{'✗' if finding.trouble else '-'} {kind}:{about} {finding.text}{chance}"
            if found[LISTED:]:
                yield f"  and {len(found) - LISTED} more"
        for arena, figures in sorted(self.evidence.arenas.items()):
            if arena and len(self.evidence.arenas) > 1 and figures.credited is not None:
                yield (
                    f"  arena {arena}: {figures.matches} matches, median answer {figures.median_ms} ms, "
                    f"{figures.timeouts} timeouts, {figures.credited:.1%} of the time was the machine's, not the bots'"
                )
        yield (
            f"{sum(self.tests.values())} tests were made. Each p is corrected for that (Holm), "
            f"so that of a hundred fair nights {100 * ALPHA:.0f} has an alarm."
        )

    def _uncompared(self, kind: Kind) -> str:
        """Why nothing can be said about this kind; "" if something can."""
        if kind == "copies":
            return "" if self.evidence.copies else _NO_COPIES
        if kind == "arenas" and not any(self.evidence.arenas):
            return _UNTOLD
        if kind == "arenas" and len(self.evidence.arenas) == 1:
            return _ONE_ARENA
        return "" if len(self.evidence.arenas) == 1 or self.tests.get(kind, 0) else _UNCOMPARED.get(kind, "")


def audit(store: Store, *, records: bool = True) -> Audit:
    """Audit the night in a database. With `records`, all its records are replayed."""
    night = last_night(store)
    of = standings(night)
    evidence = gather(night, of)
    findings, tests = look(evidence)
    verified = verify_night(store) if records else None
    wrong = [
        Finding("records", True, f"match {match}" if match else "", what)
        for match, what in (verified.problems if verified is not None else ())
    ]
    return Audit(of.league, (*wrong, *_voids(store), *findings), tests, evidence, verified)


def _voids(store: Store) -> Iterator[Finding]:
    """How many matches were void, for each reason, the most frequent first."""
    reasons = Counter(entry.payload["why"].partition("\n")[0] for entry in store.log(VOID))
    for why, times in reasons.most_common():
        matches = "match was" if times == 1 else "matches were"
        yield Finding("voids", False, "", f"{times} {matches} void and played again: {why}")
