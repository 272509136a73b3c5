"""A certificate authority of one's own, and the referee's certificate.

Both are made on first use.

The referee's certificate is for the name `pips-referee`, not for an address. So a bot
that has the authority from its invite knows the referee at any address.

The authority also signs for pages, by their addresses. It could sign for any name: no
browser should keep it longer than it is needed.
"""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final, NamedTuple

from pips_tourney.errors import TourneyError
from pips_tourney.people.codes import mark_of
from pips_tourney.people.store import People

TLS_NAME: Final = "pips-referee"
AUTHORITY, AUTHORITY_KEY, CERTIFICATE, KEY = "authority.pem", "authority.key", "referee.pem", "referee.key"
SITE, SITE_KEY = "site.pem", "site.key"
AUTHORITY_DAYS: Final = 3650
DAYS: Final = 365
RENEWED_DAYS: Final = 30
"""A certificate that is valid for less time is made anew."""


class CertificateError(TourneyError):
    """There is no certificate to listen with."""


class Files(NamedTuple):
    """A certificate and its key."""

    certificate: Path
    key: Path

    @property
    def in_der(self) -> bytes:
        """The certificate in DER."""
        return ssl.PEM_cert_to_DER_cert(self.certificate.read_text("ascii"))


def own_files(folder: Path) -> Files:
    """The files in a folder, made if they are not there.

    The certificate is signed by itself: Node trusts no other without its issuer. It is
    valid for as long as an authority: invites hold its mark.
    """
    if not _is_good(folder):
        _write_certificate(folder, None, TLS_NAME, [_x509().DNSName(TLS_NAME)], CERTIFICATE, KEY)
    return Files(folder / CERTIFICATE, folder / KEY)


def host_folder(league: Path) -> Path:
    """The folder of a league's invites and certificates, for its owner alone.

    It is `night.host` beside `night.toml`.
    """
    folder = league.with_suffix(".host")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise CertificateError(f"{folder}: {error.strerror}") from None
    return folder


def host_people(folder: Path) -> People:
    """The people of a host, whose codes have the mark of its certificate."""
    return People(folder, mark_of(own_files(folder).in_der))


def site_files(folder: Path, hosts: Sequence[str]) -> Files:
    """A certificate for pages at these names and addresses, of the same authority.

    It is made at every start: addresses change.
    """
    x509, names = _x509(), []
    for host in dict.fromkeys(hosts):
        try:
            names.append(x509.IPAddress(ip_address(host)))
        except ValueError:
            names.append(x509.DNSName(host))
    _write_certificate(folder, _authority(folder), hosts[0], names, SITE, SITE_KEY)
    return Files(folder / SITE, folder / SITE_KEY)


def _authority(folder: Path) -> Any:
    """The authority of a folder, made if it is not there."""
    if not (folder / AUTHORITY).is_file() or not (folder / AUTHORITY_KEY).is_file():
        _write_authority(folder)
    return _x509().load_pem_x509_certificate((folder / AUTHORITY).read_bytes())


def _x509() -> Any:
    from cryptography import x509

    return x509


def _is_good(folder: Path) -> bool:
    """Whether there is a certificate that stays valid for a while."""
    from cryptography.exceptions import InvalidSignature

    try:
        found = _x509().load_pem_x509_certificate((folder / CERTIFICATE).read_bytes())
        found.verify_directly_issued_by(found)
    except (OSError, ValueError, InvalidSignature):
        return False
    left: timedelta = found.not_valid_after_utc - datetime.now(UTC)
    return (folder / KEY).is_file() and left > timedelta(days=RENEWED_DAYS)


def _write_authority(folder: Path) -> None:
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = _name("Pips")
    built = _begun(name, name, key.public_key(), AUTHORITY_DAYS)
    built = built.add_extension(_x509().BasicConstraints(ca=True, path_length=0), critical=True)
    _write_pair(folder, AUTHORITY, AUTHORITY_KEY, built, key, key)


def _write_certificate(
    folder: Path, authority: Any, common: str, names: Sequence[Any], certificate: str, key_file: str
) -> None:
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    x509, key = _x509(), ec.generate_private_key(ec.SECP256R1())
    own = _name(common[:64])
    issuer, days = (own, AUTHORITY_DAYS) if authority is None else (authority.subject, DAYS)
    built = _begun(own, issuer, key.public_key(), days)
    built = built.add_extension(x509.SubjectAlternativeName(names), critical=False)
    built = built.add_extension(x509.ExtendedKeyUsage([x509.oid.ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    signing = key if authority is None else load_pem_private_key((folder / AUTHORITY_KEY).read_bytes(), None)
    _write_pair(folder, certificate, key_file, built, key, signing)


def _name(common: str) -> Any:
    x509 = _x509()
    return x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, common)])


def _begun(subject: Any, issuer: Any, public: Any, days: int) -> Any:
    x509, now = _x509(), datetime.now(UTC)
    built = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(public)
    built = built.serial_number(x509.random_serial_number())
    return built.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=days))


def _write_pair(folder: Path, certificate: str, key: str, built: Any, private: Any, signing: Any) -> None:
    from cryptography.hazmat.primitives import hashes, serialization

    signed = built.sign(signing, hashes.SHA256())
    secret = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / key).touch(0o600)
    (folder / key).write_bytes(secret)
    (folder / certificate).write_bytes(signed.public_bytes(serialization.Encoding.PEM))
