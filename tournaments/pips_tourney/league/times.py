"""Times of a league: regular nights, and a deadline.

They are local times of the organiser's machine.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, time, timedelta
from ipaddress import ip_network
from typing import Annotated, Final, NamedTuple, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from pips_tourney.league.format import Section
from pips_tourney.people.moments import read_moment

WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_ADDRESS: Final = re.compile(
    r"https?://([a-z\d.-]+|\[[\da-f:]+\])(:\d{1,5})?(/[\w.~-]*[\w~-])*/?", re.ASCII | re.IGNORECASE
)
"""A place's address: no part of its path is empty or ends with a dot, like `..`."""
_PAGES: Final = ("begin", "files", "enter", "leave", "poster", "mine", "organiser", "night", "static", "match", "api")
"""The place's own paths, which a prefix must not repeat."""


class Every(NamedTuple):
    """A weekly time, or a daily one if no weekday is given."""

    weekday: int | None
    at: time

    def after(self, moment: datetime) -> datetime:
        """The first time after a moment that fits, both in local time."""
        found = moment.replace(hour=self.at.hour, minute=self.at.minute, second=0, microsecond=0)
        while found <= moment or (self.weekday is not None and found.weekday() != self.weekday):
            found += timedelta(days=1)
        return found


def read_every(text: str) -> Every:
    """`thursday 19:00`, or `day 22:00`. Raises `ValueError`."""
    day, _, clock = text.strip().lower().partition(" ")
    at = datetime.strptime(clock.strip(), "%H:%M").time()  # noqa: DTZ007 - a time of day
    if day != "day" and day not in WEEKDAYS:
        raise ValueError(text)
    return Every(WEEKDAYS.index(day) if day in WEEKDAYS else None, at)


def _such_as(example: str, kind: str, read: Callable[[str], object]) -> AfterValidator:
    """Refuses a text that `read` cannot read, and shows an example."""

    def checked(text: str) -> str:
        try:
            read(text)
        except ValueError:
            raise PydanticCustomError(kind, f"should be such as {example}") from None
        return text

    return AfterValidator(checked)


def _public_url(text: str) -> str:
    """The address as browsers write it, with a slash at its end."""
    path = text.partition("://")[2].partition("/")[2].strip("/")
    if not _ADDRESS.fullmatch(text) or path.partition("/")[0] in _PAGES:
        raise PydanticCustomError(
            "public_url", 'should be such as "https://pips.example.org/" or "https://example.org/pips/"'
        )
    found = urlsplit(text)
    port = {"http": ":80", "https": ":443"}[found.scheme]
    return f"{found.scheme}://{found.netloc.lower().removesuffix(port)}/{path}{'/' if path else ''}"


_Network = Annotated[str, _such_as('"10.0.0.7" or "10.0.0.0/8"', "network", ip_network)]


class PlaceEntry(Section):
    """The settings of a place: `pips-tourney serve`."""

    every: Annotated[str, _such_as('"thursday 19:00", or "day 22:00"', "every", read_every)] | None = None
    """When a night ends and the next one opens. Unset: when the organiser decides."""
    deadline: Annotated[str, _such_as('"2026-12-17 18:00"', "moment", read_moment)] | None = None
    """After it nothing can be handed in; the night ends, and a last night follows."""
    anonymous: bool = True
    """Whether a bot without a name gets a drawn one instead of its author's."""
    public_url: Annotated[str, AfterValidator(_public_url)] | None = None
    """The address of the pages for people, if a reverse proxy is in front of them."""
    sign_in_header: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9-]*$")] | None = None
    """The header in which a trusted proxy sends the user's `id` in the roster."""
    disk_gb: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 10.0
    """The most disk space of the place; beyond it, hand-ins are refused."""
    trusted_proxies: tuple[_Network, ...] = ("127.0.0.1", "::1")
    """Addresses and networks of proxies that may name the sender of a request."""

    @model_validator(mode="after")
    def _check_proxy(self) -> Self:
        if self.sign_in_header is not None and self.public_url is None:
            raise PydanticCustomError(
                "sign_in_header", "sign_in_header needs public_url: a proxy in front signs people in"
            )
        return self
