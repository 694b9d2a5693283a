"""Certificates for servers on the loopback, made when they are needed."""

import ssl
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Signed(NamedTuple):
    """A certificate and its key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @property
    def text(self):
        """The certificate in the format of files."""
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    def context(self, folder):
        """Return the context of a server that shows this certificate; its files are written into the folder."""
        file = folder / "certificate.pem"
        form = serialization.PrivateFormat.PKCS8
        key = self.key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
        file.write_bytes(self.text + key)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context


def certificate(name, *, last_year=2099, by=None):
    """Return a certificate for a name or an IP address, from 2020 to the end of a year.

    Args:
        name: The name. If the certificate is not for a host, it can issue others.
        last_year: The year in which it expires.
        by: What it is signed with; itself by default.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    own = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    issues = " " in name
    made = (
        x509.CertificateBuilder()
        .subject_name(own)
        .issuer_name(by.certificate.subject if by else own)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(last_year, 12, 31, tzinfo=UTC))
        .add_extension(x509.BasicConstraints(ca=issues, path_length=None), critical=True)
    )
    if not issues:
        is_address = name.replace(".", "").isdigit()
        host = x509.IPAddress(ip_address(name)) if is_address else x509.DNSName(name)
        made = made.add_extension(x509.SubjectAlternativeName([host]), critical=False)
    return Signed(made.sign(by.key if by else key, hashes.SHA256()), key)
