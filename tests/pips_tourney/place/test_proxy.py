"""A place behind a reverse proxy: with a prefix and without, by http and by https."""

from __future__ import annotations

import re
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx2 as httpx
import pytest
from starlette.testclient import TestClient

from pips_tourney.league.times import PlaceEntry
from pips_tourney.people.store import Invited, PeopleError
from pips_tourney.place.pages.hand_in import HandInPages
from pips_tourney.place.pages.site import PlaceSite, form_mark
from pips_tourney.place.requests.limits import Paces
from pips_tourney.place.requests.proxy import PublicAddress
from pips_tourney.place.serve import pages_of
from pips_tourney.remote.certificates import site_files
from tests.needs import needs
from tests.patience import PATIENCE_S
from tests.pips_tourney.place.conftest import Place
from tests.pips_tourney.place.opened import OpenPlace, opened

PLAIN = "location / {{ proxy_pass http://127.0.0.1:{port}; {said} }}"
KEPT = "location /pips/ {{ proxy_pass http://127.0.0.1:{port}; {said} }}"
STRIPPED = "location /pips/ {{ proxy_pass http://127.0.0.1:{port}/; {said} }}"
SAID = "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;"
CONFIG = """
daemon off; master_process off; pid {folder}/pid; error_log stderr; worker_processes 1;
events {{ worker_connections 256; }}
http {{
  access_log off; client_max_body_size 10m;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fast;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{front}{tls}; {location} }}
}}
"""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def nginx(folder: Path, place: OpenPlace, location: str, front: int, *, tls: bool) -> Iterator[ssl.SSLContext | bool]:
    """A proxy in front of a place; how a client trusts it."""
    verify: ssl.SSLContext | bool = True
    with_tls = ""
    if tls:
        files = site_files(folder, ["127.0.0.1"])
        with_tls = f" ssl; ssl_certificate {files.certificate}; ssl_certificate_key {files.key}"
        verify = ssl.create_default_context(cafile=str(folder / "authority.pem"))
    port = place.listener.getsockname()[1]
    config = folder / "nginx.conf"
    words = {"folder": folder, "front": front, "tls": with_tls, "location": location.format(port=port, said=SAID)}
    config.write_text(CONFIG.format(**words), encoding="utf-8")
    with subprocess.Popen(["nginx", "-c", str(config), "-p", str(folder)]) as process:
        try:
            until = time.monotonic() + PATIENCE_S
            while not _answers(front):
                assert process.poll() is None and time.monotonic() < until, "nginx did not start"
                time.sleep(0.01)
            yield verify
        finally:
            process.terminate()


def _answers(port: int) -> bool:
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) == 0


@needs("nginx")
@pytest.mark.parametrize(
    ("scheme", "prefix", "location"),
    [("http", "", PLAIN), ("https", "", PLAIN), ("http", "/pips", KEPT), ("https", "/pips", STRIPPED)],
    ids=["plain", "TLS", "prefix", "prefix that nginx takes away, TLS"],
)
def test_a_class_behind_nginx(tmp_path: Path, scheme: str, prefix: str, location: str) -> None:
    front = free_port()
    url = f"{scheme}://127.0.0.1:{front}{prefix}/"
    with (
        opened(tmp_path, public=PublicAddress(url)) as place,
        nginx(tmp_path, place, location, front, tls=scheme == "https") as verify,
        httpx.Client(verify=verify, follow_redirects=True, timeout=PATIENCE_S) as client,
    ):
        page = client.get(url)
        assert page.url == f"{url}enter" and _loads(client, page)
        assert f'<p class="poster">{url.rstrip("/")}</p>' in client.get(f"{url}poster").text
        origin = {"origin": f"{scheme}://127.0.0.1:{front}", "sec-fetch-site": "same-origin"}
        entered = client.post(f"{url}enter", data={"code": place.codes["ada"]}, headers=origin)
        assert entered.url == f"{url}mine" and _loads(client, entered)
        (cookie,) = client.cookies.jar
        assert cookie.secure == (scheme == "https") and cookie.path == (prefix or "/")
        mark = re.search(r'name="form" value="(\w+)"', entered.text)
        assert mark is not None
        files = {"files": ("bot.py", b"x" * (1 << 18))}
        handed_in = client.post(f"{url}mine", data={"form": mark[1]}, files=files, headers=origin)
        assert handed_in.url == f"{url}mine" and "waiting" in handed_in.text
        assert client.get(f"{url}night").url == f"{url}night/", "the slash that the server adds keeps the address"
        foreign = client.post(f"{url}leave", data={"form": mark[1]}, headers={"origin": "https://evil.example"})
        assert foreign.status_code == 403
        assert client.get(f"{url}api/v1/nothing").json()["error"]
        client.post(f"{url}leave", data={"form": mark[1]}, headers=origin)
        assert not client.cookies.jar


def _loads(client: httpx.Client, page: httpx.Response) -> bool:
    """Whether all that a page loads and names is there, under its own address."""
    links = re.findall(r'(?:href|src)="([^"#]+)', page.text)
    assert links and page.status_code == 200
    for link in links:
        if not link.startswith("data:"):
            answer = client.get(page.url.join(link))
            assert answer.status_code == 200, link
            assert str(answer.url).startswith(str(page.url).rpartition("/")[0]), link
    return True


@needs("nginx")
@pytest.mark.parametrize(("scheme", "prefix", "location"), [("http", "", PLAIN), ("https", "/pips", STRIPPED)])
def test_sixty_behind_one_address_and_one_who_guesses(tmp_path: Path, scheme: str, prefix: str, location: str) -> None:
    """60 wrong codes while 60 enter and hand in: everything works for everybody."""
    front, is_tls = free_port(), scheme == "https"
    url = f"{scheme}://127.0.0.1:{front}{prefix}/"
    with (
        opened(tmp_path, public=PublicAddress(url)) as place,
        nginx(tmp_path, place, location, front, tls=is_tls) as verify,
    ):
        place.site.wrong_code_s = 0.2
        invited = place.people.invite([Invited(f"s{number:02}") for number in range(60)])

        def enter(code: str) -> tuple[int, str]:
            with httpx.Client(verify=is_tls and verify, follow_redirects=True, timeout=PATIENCE_S) as client:
                page = client.post(f"{url}enter", data={"code": code})
                if page.status_code == 200:
                    (mark,) = set(re.findall(r'name="form" value="(\w+)"', page.text))
                    page = client.post(f"{url}mine", data={"form": mark, "text": "a = 1", "name": "bot.py"})
                return page.status_code, "waiting" if "waiting" in page.text else ""

        codes = [code for _, right in invited for code in ("K7QF-2M9T-XA4C-0", right)]
        with ThreadPoolExecutor(60) as browsers:
            assert [*browsers.map(enter, codes)] == [(403, ""), (200, "waiting")] * 60
        assert len(place.hand_ins.all()) == 60


def behind(place: Place, public: PublicAddress, peer: str = "127.0.0.1") -> tuple[PlaceSite, TestClient]:
    site = PlaceSite(place.desk, "Class", public=public)
    app = site.app(pages_of(site, HandInPages(site, place.desk)))
    return site, TestClient(app, base_url="http://10.0.0.1:8080", client=(peer, 5), follow_redirects=False)


def test_visitors_behind_a_trusted_proxy_have_a_pace_each(place: Place) -> None:
    public = PublicAddress("https://pips.example.org/", ("127.0.0.1", "10.0.0.0/8"))
    for peer, is_trusted in (("127.0.0.1", True), ("10.9.9.9", True), ("192.0.2.1", False)):
        site, client = behind(place, public, peer)
        site.paces.of_address = 1

        def asks(address: str, client: TestClient = client) -> int:
            return int(client.get("/enter", headers={"x-forwarded-for": address}).status_code)

        # What a visitor writes themselves stands before what the proxy adds.
        told = [asks("1.1.1.1"), asks("2.2.2.2"), asks("9.9.9.9, 2.2.2.2")]
        assert told == ([200, 200, 429] if is_trusted else [200, 429, 429])


def test_nobody_behind_no_proxy_says_where_they_come_from(place: Place) -> None:
    site, client = behind(place, PublicAddress())
    site.paces = Paces(of_address=1)
    assert client.get("/enter", headers={"x-forwarded-for": "1.1.1.1"}).status_code == 200
    answer = client.post("/enter", data={"code": place.codes["ada"]}, headers={"x-forwarded-proto": "https"})
    assert "secure" not in answer.headers["set-cookie"].lower()


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("https://pips.example.org", "https://pips.example.org/"),
        ("https://example.org:443/a/b", "https://example.org/a/b/"),
        ("http://127.0.0.1:81/pips/", "http://127.0.0.1:81/pips/"),
        ("https://Pips.Example.org/~Ada", "https://pips.example.org/~Ada/"),
    ],
)
def test_a_public_address_ends_with_a_slash(written: str, read: str) -> None:
    assert PlaceEntry(public_url=written).public_url == read


@pytest.mark.parametrize(
    "wrong",
    [
        "pips.example.org",
        "ftp://a/",
        "https://a/?b",
        "https://a/night/",
        "https:///x",
        "",
        "https://me@a/",
        "https://\u0142.org/",
        "https://a/%7Eada/",
        "https://a//b/",
        "https://a/../b/",
        "https://a/b c/",
        "https://[::1",
    ],
)
def test_a_public_address_that_is_none_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="should be such as"):
        PlaceEntry(public_url=wrong)
    with pytest.raises(ValueError, match="should be such as"):
        PlaceEntry(trusted_proxies=(wrong,))


def test_a_proxy_signs_people_in_by_the_id_of_the_roster(place: Place) -> None:
    people = [Invited("Cy", "cy", id="Cy@x.org"), Invited("Dee", "dee", id="7"), Invited("Eli", "eli", id="7")]
    place.people.invite(people)
    public = PublicAddress("https://example.org/", header="X-Remote-User")
    site = PlaceSite(place.desk, "Class", public=public)
    app = site.app(pages_of(site, HandInPages(site, place.desk)))

    def entered(who: str, peer: str = "127.0.0.1", cookies: dict[str, str] | None = None) -> tuple[str, str]:
        """Where a visit of `/enter` leads, and what is on the page that it ends at."""
        client = TestClient(app, client=(peer, 1234), base_url="https://example.org", cookies=cookies or {})
        headers = {"x-remote-user": who} if who else {}
        first = client.get("/enter", headers=headers, follow_redirects=False)
        return first.headers.get("location", ""), client.get("/mine", headers=headers).text

    assert entered("cy@X.org")[0] == "/mine" and "My bot: cy" in entered("cy@X.org")[1]
    for who, peer in (("cy@X.org", "10.0.0.9"), ("7", "127.0.0.1"), ("nobody", "127.0.0.1"), ("", "127.0.0.1")):
        where, page = entered(who, peer)
        assert where == "" and "My bot" not in page, "not by a visitor's own word, or where it is not clear"
    cookie = place.people.enter_as("cy@x.org")
    assert "My bot: cy" in entered("", cookies={"pips-place": cookie})[1]
    assert "My bot" not in entered("7", cookies={"pips-place": cookie})[1], "another sits at this browser now"
    plain = PlaceSite(place.desk, "Class", public=PublicAddress("https://example.org/"))
    app = plain.app(pages_of(plain, HandInPages(plain, place.desk)))
    assert entered("cy@x.org")[0] == "", "only where the league says so"


def test_a_form_is_that_of_whoever_the_proxy_says(place: Place) -> None:
    """Not of whose cookie the browser has kept, and not of a token's owner."""
    cy, dee = [each for each, _ in place.people.invite([Invited("Cy", "cy", id="cy"), Invited("Dee", "dee", id="dee")])]
    site = PlaceSite(place.desk, "Class", public=PublicAddress("https://example.org/", header="X-Remote-User"))
    app = site.app(pages_of(site, HandInPages(site, place.desk)))
    cookie = place.people.enter_as("cy")
    client = TestClient(app, client=("127.0.0.1", 5), base_url="https://example.org", cookies={"pips-place": cookie})

    def rename(mark: str, **headers: str) -> int:
        sent = {"x-remote-user": "cy", "origin": "https://example.org", **headers}
        answer = client.post("/mine/name", data={"form": mark, "bot": "x"}, headers=sent, follow_redirects=False)
        return int(answer.status_code)

    token = {"authorization": f"Bearer {place.people.new_token(dee.id)}"}
    assert rename(form_mark(cookie), **{"x-remote-user": "dee"}) == rename(form_mark(cookie), **token) == 401
    assert form_mark(cookie) not in client.get("/enter", headers={"x-remote-user": "bo"}).text
    assert place.people.person(cy.id).bot == "cy" and place.people.person(dee.id).bot == "dee"
    assert rename(form_mark(cookie)) == 303 and place.people.person(cy.id).bot == "x"
    client.cookies.clear()
    assert rename(form_mark(""), **token) == rename("", **token) == 401, "a token has no form"


def test_a_revoked_invite_is_not_opened_by_the_proxy(place: Place) -> None:
    people = place.people
    (cy, _), (dee, _) = people.invite([Invited("Cy", "cy", id="7"), Invited("Dee", "dee", id="7")])
    with pytest.raises(PeopleError, match="2 people here have the id 7"):
        people.enter_as("7")
    people.revoke(cy.id)
    assert people.visitor(people.enter_as("7")) == dee
    people.revoke(dee.id)
    with pytest.raises(PeopleError, match="nobody with an invite is known here as 7"):
        people.enter_as("7")
    assert people.of_token(people.new_token(dee.id)) is None
