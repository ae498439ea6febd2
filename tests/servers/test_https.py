"""The site behind nginx with https, as docs/operations.md sets it up."""

from __future__ import annotations

import datetime as dt
import re
import shlex
import socket
import ssl
import subprocess
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from deploy.nginx import Nginx
from deploy.part import CannotStart, Part, is_listening
from tests.conftest import skip_or_fail
from tests.helpers.servers.process import Server, own_port, serving
from tests.helpers.socket_player import SocketPlayer
from tests.multiprocess.test_two_processes import CASINO, play_a_round
from tests.test_docs import ROOT

OPERATIONS = (ROOT / "docs/operations.md").read_text()


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for localhost that is its own authority, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    chain, private = folder / "fullchain.pem", folder / "privkey.pem"
    chain.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )  # fmt: skip
    return chain, private


@dataclass
class Site:
    """nginx on two ports, and the server behind it."""

    url: str
    http_port: int
    https_port: int
    server: Server


class HttpsNginx(Part):
    """nginx with the files that the commands of the docs have written."""

    stop_signal = Nginx.stop_signal
    places = Nginx.places

    def __init__(self, folder: Path, port: int) -> None:
        super().__init__("nginx", folder)
        self.port = port

    def command(self) -> Sequence[str]:
        return (
            self.find_program("nginx"), "-p", str(self.folder), "-c", str(self.folder / "nginx.conf"),
            "-e", "stderr", "-g", "daemon off;",
        )  # fmt: skip

    def is_ready(self) -> bool:
        return is_listening(self.port)


def write_files(folder: Path, *, http: int, https: int, web: int) -> None:
    """Do what the docs say, with the folder and the ports of this test."""
    chain, private = make_certificate(folder)
    (command,) = re.findall(
        r"^sed .*?> /etc/nginx/nginx.conf$", OPERATIONS, re.MULTILINE | re.DOTALL
    )
    assert "\ncp deploy/nginx-https.conf /etc/nginx/ " in OPERATIONS
    words = shlex.split(command.replace("\\\n", "").split(" > ")[0])
    result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    texts = {"nginx.conf": result.stdout}
    texts["nginx-https.conf"] = (ROOT / "deploy/nginx-https.conf").read_text()
    for name, text in texts.items():
        for its, ours in (
            ("/run/", f"{folder}/"), ("listen 443 ssl", f"listen 127.0.0.1:{https} ssl"),
            ("listen 80 ", f"listen 127.0.0.1:{http} "),
            (
                "server 127.0.0.1:8001 max_fails=0; server 127.0.0.1:8002 max_fails=0;",
                f"server 127.0.0.1:{web};",
            ),
            ("/etc/letsencrypt/live/cards.example/fullchain.pem", str(chain)),
            ("/etc/letsencrypt/live/cards.example/privkey.pem", str(private)),
            ("https://cards.example", f"https://localhost:{https}"),
        ):  # fmt: skip
            text = text.replace(its, ours)
        (folder / name).write_text(text)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, prepared: Path) -> Iterator[Site]:
    try:
        Nginx.verify_installed()
    except CannotStart as missing:
        skip_or_fail(str(missing))
    tmp_path = tmp_path_factory.mktemp("https")
    http, https = own_port(), own_port()
    url = f"https://localhost:{https}"
    with serving(
        tmp_path, prepared, program="uvicorn", SITE_URL=url, TRUSTED_PROXIES="1"
    ) as server:
        folder = tmp_path / "nginx"
        folder.mkdir()
        write_files(folder, http=http, https=https, web=server.port)
        nginx = HttpsNginx(folder, https)
        nginx.start()
        try:
            nginx.wait_until_ready()
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("SSL_CERT_FILE", str(folder / "fullchain.pem"))
                yield Site(url, http, https, server)
        finally:
            nginx.stop()


async def test_friends_play_over_https(site: Site) -> None:
    ann, ben = SocketPlayer(site.url, "ann"), SocketPlayer(site.url, "ben")
    for player, seat in ((ann, 1), (ben, 2)):
        player.sign_up()
        (session,) = (cookie for cookie in player.cookies if cookie.name == "sessionid")
        assert session.secure
        await player.open(CASINO)
        assert player.socket.transport.get_extra_info("ssl_object").version() == "TLSv1.3"
        assert (await player.send(t="sit", seat=seat))["t"] == "done"
    await play_a_round(ann, ben)
    assert ann.table["round"] == 1
    for player in (ann, ben):
        await player.close()


def test_http_leads_to_https_where_browsers_are_told_to_stay(site: Site) -> None:
    page = urllib.request.urlopen(f"http://localhost:{site.http_port}/accounts/login/?next=/")
    assert page.url == f"{site.url}/accounts/login/?next=/"
    assert page.status == 200
    assert page.headers["Strict-Transport-Security"] == "max-age=31536000"


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")
def test_old_versions_of_tls_are_refused(site: Site) -> None:
    def connect(newest: ssl.TLSVersion) -> str:
        context = ssl.create_default_context()
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, newest
        with (
            socket.create_connection(("localhost", site.https_port)) as plain,
            context.wrap_socket(plain, server_hostname="localhost") as secured,
        ):
            cipher = secured.cipher()
            assert cipher
            return f"{secured.version()} {cipher[0]}"

    assert connect(ssl.TLSVersion.TLSv1_2).startswith("TLSv1.2 ECDHE-")
    with pytest.raises(ssl.SSLError, match=r"PROTOCOL_VERSION|protocol version"):
        connect(ssl.TLSVersion.TLSv1_1)
