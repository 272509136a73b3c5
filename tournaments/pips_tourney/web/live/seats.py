"""A person's seat at a table, in the process of the pages, and its time.

It is the browser's version of `pips-bot human`.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from queue import Empty, Queue
from time import monotonic
from typing import Any, Final, Protocol

from pips_referee.errors import PipsError, UnreadableAnswer
from pips_referee.failure import why_failed
from pips_referee.game import REGISTRY, Action, AnyGame, Event, Options, View, get_game
from pips_referee.printable import plain_block
from pips_referee.records.record import Header, read_record, write_record
from pips_referee.records.record_json import to_json
from pips_referee.records.replay import get_text
from pips_sdk import Bot, play_match
from pips_sdk.samples import usual_sample
from pips_tourney.bots.find import sample_names
from pips_tourney.bots.found import Sample
from pips_tourney.errors import TourneyError
from pips_tourney.web.match.frames import Camera, Frame, record_json
from pips_tourney.web.numbers import whole
from pips_tourney.web.public import Public
from pips_tourney.workshop.duels.human import ANSWER_S, GUEST, Left, deal_of, person_bot, read_answer, until_left

_LOG: Final = logging.getLogger(__name__)
MOST_SEATS: Final = 64
"""The most persons at tables at once: two classes.

Each person needs a thread that waits, and CPU time for the bots after each answer.
"""
IDLE_S: Final = 3600.0
"""A person who has neither answered nor loaded the page for this long has left."""
LISTED: Final = 1000
"""The most answers offered, from the start of the list.

Wichita may have more stacks. Players build them from cards.
"""
BEGIN_S: Final = 120.0
"""The most seconds until the first question of a match elsewhere."""


class NoSeat(TourneyError):
    """A table that does not exist, or cannot exist."""


class AllTaken(NoSeat):
    """No more persons can sit down at the moment."""


class PersonTable(Protocol):
    """Where a match with a person is played."""

    budget_s: float | None
    """How long the bots may think in the match; None without a limit."""

    def play(self, header: Header, person: type[Bot]) -> bytes:
        """Play the match to its end; return its record. `GUEST` is the person."""

    def close(self) -> None:
        """End a match that is being played."""


@dataclass
class SampleTable:
    """A table of a sample bot, which plays in this process."""

    bot: type[Bot]
    budget_s: float | None = None

    def play(self, header: Header, person: type[Bot]) -> bytes:
        seated = [person if name == GUEST else self.bot for name in header.names]
        return write_record(header, play_match(seated, header.seed, header.options))

    def close(self) -> None:
        """Do nothing: the match ends when the person leaves."""


class BrowserSeat:
    """One person at one table.

    The match runs in a thread of its own, which waits for the person's answers.
    """

    def __init__(
        self,
        game: AnyGame,
        options: Options,
        table: PersonTable,
        names: Sequence[str],
        seed: str,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.id = secrets.token_urlsafe(12)
        self.seed = seed
        """The word for its deal, as in `pips-bot human --seed`."""
        self.names = tuple(names)
        self._seat = names.index(GUEST)
        self._header = Header(self.id, game, options, self.names, deal_of(seed))
        self._camera = Camera(game.name, options, self.names)
        self._text = get_text(game.name)
        self._answers: Queue[Action | None] = Queue()
        self._ready = threading.Condition()
        self._view: View | None = None
        self._open: dict[str, Any] = {}
        """The open question, as it is shown."""
        self._asked = 0
        self._waiting = 0
        """The number of the last request that waits."""
        self._table = table
        self._record = b""
        self._is_over = False
        self._why = ""
        """Why the match cannot go on, as a sentence."""
        self._left_s = None if table.budget_s is None else BEGIN_S
        self._answered_at = monotonic()
        self._frames: list[Frame] = [self._camera.first()]
        self.gone_at = clock() + IDLE_S
        """When the person counts as gone, unless there is a request before."""
        self._clock = clock
        self.thread = threading.Thread(target=self._play, daemon=True)
        self.thread.start()

    def state(self, after: int) -> dict[str, Any]:
        """All frames from number `after` on, and the open question.

        It waits until there is a question, or until the match is over. Only the newest
        request waits, so that a seat takes one thread of those that answer requests.
        """
        self.gone_at = self._clock() + IDLE_S
        with self._ready:
            self._waiting = own = self._waiting + 1
            self._ready.notify_all()
            until = None if self._left_s is None else self._left_s + self._answered_at - monotonic()
            if not self._ready.wait_for(
                lambda: self._view is not None or self._is_over or self._why or own != self._waiting, until
            ):
                self._why = "The bots have used up the time that they have for a match here."
                self.leave()
            return {
                "id": self.id,
                "game": self._header.game.name,
                "title": self._header.game.title,
                "names": list(self.names),
                "seat": self._seat,
                "frames": self._frames[after:],
                "from": after,
                "ask": None if self._view is None else self._open,
                "over": bool(self._record),
                "failed": self._why,
                "seed": self.seed if self._record else "",
            }

    def answer(self, number: int, typed: str) -> None:
        """Take the answer to question `number`: an offered one, or cards.

        Raises `UnreadableAnswer` with the reason.
        """
        with self._ready:
            if self._view is None or number != self._asked:
                raise UnreadableAnswer("that question is not open any more")
            action = read_answer(typed, self._view, self._text)
            self._view, self._answered_at = None, monotonic()
        self._answers.put(action)

    def weigh(self, number: int, stack: str) -> str:
        """Why a stack is not legal (Wichita); "" if it is."""
        with self._ready:
            if self._view is None or number != self._asked:
                return "that question is not open any more"
            try:
                read_answer(stack, self._view, self._text)
            except UnreadableAnswer as error:
                return str(error)
            return ""

    def leave(self) -> None:
        """End the person's seat and its thread."""
        with self._ready:
            self._why = self._why or "You have left the table."
            self._ready.notify_all()
        self._answers.put(None)
        self._table.close()

    def replay(self) -> dict[str, Any]:
        """The finished match with all cards. Raises `NoSeat` while it is played."""
        if not self._record:
            raise NoSeat("the match is not over yet")
        return Public().replay(record_json(read_record(self._record), None))

    def _ask(self, view: View) -> dict[str, Any]:
        told: Any = to_json(view)
        stacks = hasattr(view, "legal_stacks") and view.kind == "lay"
        actions = [] if stacks else list(islice(view.legal_actions(), LISTED))
        offered = [{"say": self._camera.named(self._text.action_text(action)), **_plain(action)} for action in actions]
        ask = {"number": self._asked, "kind": view.kind, "actions": offered}
        if "plain" in self._camera.table:  # no board shows the person's cards
            ask["view"] = self._camera.named(self._text.view_text(view))
        if stacks:
            some = islice(told_stacks(view), 24)
            ask |= {"target": sum(told["dice"]), "some": list(some)}
        return ask

    def _play(self) -> None:
        record, why = None, ""
        person = person_bot(self._header.game, self._hear, self._wait_for_answer)
        try:
            record = until_left(lambda: self._table.play(self._header, person))
        except NoSeat as error:
            why = str(error)
        except Exception as error:  # noqa: BLE001 - a mistake in a game's rules, which the person is told
            why = "The game itself failed. Whoever serves these pages is told where."
            _LOG.error("%s", plain_block(why_failed(error)))
        with self._ready:
            self._why, self._is_over, self._record = self._why or why, True, record or b""
            if record:
                self._frames.append(self._camera.outcome(read_record(record).outcome))
            self._ready.notify_all()

    def _hear(self, event: Event) -> None:
        self._frames.append(self._camera.event(event))

    def _wait_for_answer(self, view: View) -> Action:
        self._asked += 1
        ask = self._ask(view)
        with self._ready:
            if self._left_s is not None:
                thought_s, budget_s = monotonic() - self._answered_at, self._table.budget_s or 0.0
                self._left_s = budget_s if self._asked == 1 else max(0.0, self._left_s - thought_s)
            self._view, self._open = view, ask
            self._ready.notify_all()
        try:
            action = self._answers.get(timeout=None if self._left_s is None else ANSWER_S)
        except Empty:
            action = None
            with self._ready:
                self._view = None
                self._why = f"There was no answer for {ANSWER_S // 60} minutes, so the table was given up."
        if action is None:
            raise Left
        return action


Published = Callable[[], Mapping[str, Callable[[], PersonTable]]]
"""Returns who else can be played against: by name, how to make a table."""


class Seats:
    """All persons at their tables."""

    def __init__(
        self,
        clock: Callable[[], float] = monotonic,
        offered: Sequence[Mapping[str, Any]] | None = None,
        published: Published = dict,
    ) -> None:
        every = offers() if offered is None else offered
        self._clock, self._published, self._offered = clock, published, {each["game"]: each["bots"] for each in every}
        self._seats: dict[str, BrowserSeat] = {}
        self._of_browser: dict[str, str] = {}

    def take(self, wanted: Mapping[str, Any], browser: str = "") -> BrowserSeat:
        """Begin `game`; optional `seats`, `against`, `seat`, `options`, `seed`.

        `against` is a sample bot, or one that is published. The new table replaces this
        browser's previous one.

        Raises `NoSeat` with the reason, or `AllTaken` if a later try may succeed.
        """
        for gone in [seat for seat in self._seats.values() if seat.gone_at <= self._clock()]:
            self.leave(gone.id)
        before = self._of_browser.get(browser)
        if len(self._seats) - (before in self._seats) >= MOST_SEATS:
            raise AllTaken(f"{MOST_SEATS} people are playing already: wait until one leaves")
        seat = self._new(wanted)
        if before is not None and before in self._seats:
            self.leave(before)
        self._seats[seat.id] = seat
        self.belongs(seat, browser)
        return seat

    def _new(self, wanted: Mapping[str, Any]) -> BrowserSeat:
        try:
            game = get_game(str(wanted.get("game")))
            offered = self._offered.get(game.name, ())
            options = game.options(dict(wanted.get("options") or {}))
            count = whole(wanted.get("seats"), "seats") or game.seats(options)[0]
            game.check_seats(options, count)
            place = whole(wanted.get("seat"), "seat")
            against = str(wanted.get("against") or usual_sample(game.name))
            table: PersonTable
            if against in offered:
                table = SampleTable(Sample(against, game.name).bot_class(game.name))
            elif offered and (make_table := self._published().get(against)) is not None:
                table = make_table()
            else:
                raise NoSeat(f"nobody plays {game.name} against {against} here: {', '.join(offered) or 'not played'}")
        except (PipsError, TourneyError, TypeError, ValueError) as error:
            raise NoSeat(str(error)) from None
        if not 0 <= place < count:
            raise NoSeat(f"the table has seats 0 to {count - 1}")
        names = [against] if count == 2 and against != GUEST else [f"{against} {number}" for number in range(1, count)]
        seed = str(wanted.get("seed") or secrets.token_hex(4))
        seated = [*names[:place], GUEST, *names[place:]]
        return BrowserSeat(game, options, table, seated, seed, self._clock)

    def belongs(self, seat: BrowserSeat, browser: str) -> None:
        """Give a seat to a browser. "" is an unknown browser."""
        if browser:
            self._of_browser[browser] = seat.id

    def __getitem__(self, seat_id: str) -> BrowserSeat:
        if seat_id not in self._seats:
            raise NoSeat("there is no such table any more")
        return self._seats[seat_id]

    def leave(self, seat_id: str) -> None:
        """End a person's seat."""
        self[seat_id].leave()
        del self._seats[seat_id]
        self._of_browser = {browser: held for browser, held in self._of_browser.items() if held != seat_id}

    def close(self) -> None:
        """End all seats."""
        for seat_id in list(self._seats):
            self.leave(seat_id)


def told_stacks(view: Any) -> Any:
    """Legal stacks as codes."""
    return ([card.code for card in stack] for stack in view.legal_stacks())


def _plain(action: Action) -> dict[str, Any]:
    """An action's cards, cells and numbers, by name."""
    told: Any = to_json(action)
    return {name: value for name, value in told.items() if name != "kind"}


def _fewest_and_most(game: AnyGame, options: Options) -> tuple[int, int]:
    seats = game.seats(options)
    return seats[0], seats[-1]


def offers(games: Mapping[str, Mapping[str, Any]] | None = None, quick: Collection[str] = ()) -> list[dict[str, Any]]:
    """The games that a person can play: seats, options with defaults, sample bots.

    `choices` has the seats by value of each option on which they depend. `games` limits
    the games and sets other defaults; `quick` limits the bots.
    """
    found = []
    for name, of_league in ({game: {} for game in REGISTRY} if games is None else games).items():
        game = get_game(name)
        options = game.options(dict(of_league))
        least, most = _fewest_and_most(game, options)
        choices = {
            option: {word: _fewest_and_most(game, replace(options, **{option: word})) for word in words}
            for option, words in options.choices.items()
        }
        found.append({
            "game": name, "title": game.title, "least": least, "most": most, "options": asdict(options),
            "choices": choices, "bots": [bot for bot in sample_names(name) if not quick or bot in quick],
        })  # fmt: skip
    return found
