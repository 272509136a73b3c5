"""Everything that is drawn from the secret, and that nothing drawn from it links two
matches.
"""

from __future__ import annotations

import hmac
from hashlib import sha256
from pathlib import Path

import pytest

from pips_tourney.secret import Secret, SecretError, canonical, read_secret

SECRET = Secret(bytes(range(32)))
PLAYERS = (("ada", "f1"), ("bo", "f2"))


def test_what_is_drawn_is_documented_and_can_be_drawn_again_by_anybody() -> None:
    what = b'["seed","serpent",{"max_tiebreaks":10},[["ada","f1"],["bo","f2"]],"00ff"]'
    assert SECRET.deal_seed("serpent", {"max_tiebreaks": 10}, PLAYERS, "00ff") == hmac.digest(
        SECRET.key, what, "sha256"
    )
    assert SECRET.nonce("m") == hmac.digest(SECRET.key, b'["nonce","m"]', "sha256")
    assert SECRET.rng_seed("m", 1) == hmac.digest(SECRET.key, b'["bot","m",1]', "sha256")
    assert SECRET.commitment == sha256(bytes(range(32))).hexdigest()


def test_nothing_that_is_drawn_is_equal_to_anything_else() -> None:
    drawn = [
        *(SECRET.rng_seed(match, seat) for match in "mn" for seat in (0, 1)),
        *(draw(match) for match in "mn" for draw in (SECRET.nonce, SECRET.play_order)),
        *(SECRET.deal_seed("serpent", {}, players, "00") for players in (PLAYERS, PLAYERS[::-1])),
        SECRET.deal_seed("serpent", {}, PLAYERS, "01"),
        SECRET.deal_seed("serpent", {"max_tiebreaks": 1}, PLAYERS, "00"),
        SECRET.deal_seed("wichita", {}, PLAYERS, "00"),
    ]
    assert len(set(drawn)) == len(drawn)


def test_canonical_json_has_one_way_to_write_a_value() -> None:
    assert canonical({"b": [1, "é"], "a": None}) == '{"a":null,"b":[1,"é"]}'.encode()


def test_a_drawn_secret_is_new_each_time() -> None:
    assert Secret.draw() != Secret.draw()
    assert len(Secret.draw().key) == 32


def test_a_secret_file_holds_64_hexadecimal_digits(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text(SECRET.key.hex() + "\n", encoding="ascii")
    assert read_secret(path) == SECRET


@pytest.mark.parametrize("text", ["", "abcd", "x" * 64])
def test_another_file_is_refused_with_the_way_to_make_one(tmp_path: Path, text: str) -> None:
    path = tmp_path / "secret"
    path.write_text(text, encoding="ascii")
    with pytest.raises(SecretError, match=r"64 hexadecimal digits; make one with: python -c"):
        read_secret(path)


def test_a_secret_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SecretError, match="No such file"):
        read_secret(tmp_path / "nowhere")
