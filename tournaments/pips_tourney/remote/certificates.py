"""A private certificate authority, and the referee's certificate.

Both are made on first use.

The referee's certificate is for the name `pips-referee`, not for an address. So a bot
whose invite includes the authority's certificate recognises the referee at any address.

The authority also signs the pages' certificate, which names their addresses. It could
sign for any name, so no browser should trust it longer than needed.
"""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final, NamedTuple

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

from pips_tourney.errors import TourneyError
from pips_tourney.people.codes import mark_of
from pips_tourney.people.store import People
from pips_tourney.remote.road import TLS_NAME

AUTHORITY, AUTHORITY_KEY, CERTIFICATE, KEY = "authority.pem", "authority.key", "referee.pem", "referee.key"
SITE, SITE_KEY = "site.pem", "site.key"
AUTHORITY_DAYS: Final = 3650
DAYS: Final = 365
RENEWED_DAYS: Final = 30
"""A certificate is renewed if it expires within this many days."""


class CertificateError(TourneyError):
    """No certificate can be made or read."""


class Files(NamedTuple):
    """A certificate and its key."""

    certificate: Path
    key: Path

    @property
    def in_der(self) -> bytes:
        """The certificate's DER bytes."""
        return ssl.PEM_cert_to_DER_cert(self.certificate.read_text("ascii"))


def own_files(folder: Path) -> Files:
    """The certificate and key in a folder, made if they are missing.

    The certificate is self-signed: Node does not trust others without their issuer. It
    is valid as long as an authority, because invites contain its mark.
    """
    files = Files(folder / CERTIFICATE, folder / KEY)
    if not _is_good(folder):
        _write(files, TLS_NAME, AUTHORITY_DAYS, _of_server([x509.DNSName(TLS_NAME)]))
    return files


def host_folder(league: Path) -> Path:
    """The folder of a league's invites and certificates, readable by its owner only.

    It is `night.host` beside `night.toml`.
    """
    folder = league.with_suffix(".host")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise CertificateError(f"{folder}: {error.strerror}") from None
    return folder


def host_people(folder: Path) -> People:
    """The people invited by a host; their codes contain the mark of its certificate."""
    return People(folder, mark_of(own_files(folder).in_der))


def site_files(folder: Path, hosts: Sequence[str]) -> Files:
    """A certificate of the same authority for pages at these names and addresses.

    It is made at every start, because addresses change.
    """
    names: list[x509.GeneralName] = []
    for host in dict.fromkeys(hosts):
        try:
            names.append(x509.IPAddress(ip_address(host)))
        except ValueError:
            names.append(x509.DNSName(host))
    files = Files(folder / SITE, folder / SITE_KEY)
    _write(files, hosts[0], DAYS, _of_server(names), _issuer(folder))
    return files


def _issuer(folder: Path) -> tuple[x509.Name, Any]:
    """The authority's name and key; an authority is made if there is none."""
    if not (folder / AUTHORITY).is_file() or not (folder / AUTHORITY_KEY).is_file():
        limits = x509.BasicConstraints(ca=True, path_length=0)
        _write(Files(folder / AUTHORITY, folder / AUTHORITY_KEY), "Pips", AUTHORITY_DAYS, [(limits, True)])
    authority = x509.load_pem_x509_certificate((folder / AUTHORITY).read_bytes())
    return authority.subject, load_pem_private_key((folder / AUTHORITY_KEY).read_bytes(), None)


def _is_good(folder: Path) -> bool:
    """Whether there is a certificate that will not expire soon."""
    try:
        certificate = x509.load_pem_x509_certificate((folder / CERTIFICATE).read_bytes())
        certificate.verify_directly_issued_by(certificate)
    except (OSError, ValueError, InvalidSignature):
        return False
    left = certificate.not_valid_after_utc - datetime.now(UTC)
    return (folder / KEY).is_file() and left > timedelta(days=RENEWED_DAYS)


def _of_server(names: Sequence[x509.GeneralName]) -> list[tuple[x509.ExtensionType, bool]]:
    serves = x509.ExtendedKeyUsage([x509.oid.ExtendedKeyUsageOID.SERVER_AUTH])
    return [(x509.SubjectAlternativeName(names), False), (serves, False)]


def _write(
    files: Files,
    common: str,
    days: int,
    extensions: Sequence[tuple[x509.ExtensionType, bool]],
    issuer: tuple[x509.Name, Any] | None = None,
) -> None:
    """Make a certificate; each extension comes with whether it is critical.

    Without an `issuer` it is self-signed.
    """
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    own = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, common[:64])])
    by, signing = (own, key) if issuer is None else issuer
    built = x509.CertificateBuilder().subject_name(own).issuer_name(by).public_key(key.public_key())
    built = built.serial_number(x509.random_serial_number())
    built = built.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=days))
    for extension, critical in extensions:
        built = built.add_extension(extension, critical=critical)
    signed = built.sign(signing, hashes.SHA256())
    files.key.touch(0o600)
    files.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    files.certificate.write_bytes(signed.public_bytes(Encoding.PEM))
