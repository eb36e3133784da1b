"""T3, T11, T13 against nginx: a server that is right, with TLS, HTTP/2,
authorization, a Unix socket, IPv6 and a limited rate."""
import os
import threading
import time

import pytest

from faulty_server import pattern
import program
from program import QUICK, RETRY

DATA = pattern(3_000_000)
CHUNK = "--chunk-size=256Ki"


@pytest.fixture(autouse=True)
def object_in_place(nginx):
    if not (nginx.root / "obj").exists():
        nginx.put("obj", DATA)
        nginx.put("empty", b"")


def fetch(tarn, url, *args, **kw):
    return tarn("get", url, "-O", "--raw", CHUNK, *RETRY, *args, **kw)


def fresh(nginx, before):
    return nginx.log()[before:]


def test_ranges_over_http_1_1(tarn, nginx):
    before = len(nginx.log())
    assert fetch(tarn, nginx.url("obj")).expect(0).out == DATA
    log = fresh(nginx, before)
    assert {e["status"] for e in log} == {206}
    assert {e["method"] for e in log} == {"GET"}
    assert {e["protocol"] for e in log} == {"HTTP/1.1"}
    assert sum(e["sent"] for e in log) == len(DATA)


def test_an_empty_file(tarn, nginx):
    assert fetch(tarn, nginx.url("empty")).expect(0).out == b""


def test_a_missing_file(tarn, nginx):
    res = fetch(tarn, nginx.url("no-such")).expect(2)
    assert "404" in res.err


def test_ipv6(tarn, nginx):
    assert fetch(tarn, nginx.url("obj", "ipv6")).expect(0).out == DATA


def test_a_unix_socket(tarn, nginx):
    res = fetch(tarn, nginx.url("obj", "unix"), "--unix-socket",
                nginx.socket).expect(0)
    assert res.out == DATA
    fetch(tarn, nginx.url("obj", "unix"), "--unix-socket=/nonexistent",
          ).expect((66, 113))


def test_a_limited_rate(tarn, nginx):
    nginx.put("half", DATA[:600_000])
    res = fetch(tarn, nginx.url("half", "slow")).expect(0)
    assert res.out == DATA[:600_000]


def test_an_object_replaced_midway_is_never_mixed(tarn, nginx):
    nginx.put("mutable", DATA)
    proc = program.start("get", nginx.url("mutable", "slow"), "-O", "--raw",
                         CHUNK, "--connections=1", *RETRY)
    time.sleep(1.5)
    (nginx.root / "new").write_bytes(DATA[::-1])
    os.rename(nginx.root / "new", nginx.root / "mutable")
    res = program.finish(proc).expect(65)
    assert DATA.startswith(res.out)


# ---- TLS ----

def test_the_right_authority(tarn, nginx):
    before = len(nginx.log())
    res = fetch(tarn, nginx.url("obj", "tls"), "--cacert",
                nginx.dir / "ca.pem").expect(0)
    assert res.out == DATA
    assert {e["protocol"] for e in fresh(nginx, before)} == {"HTTP/1.1"}


def test_no_authority(tarn, nginx):
    res = tarn("get", nginx.url("obj", "tls"), "-O", "--raw", *QUICK,
               "--retry-count=1").expect(113)
    assert res.out == b"" and "certificate" in res.err.lower()


def test_the_wrong_authority(tarn, nginx):
    res = tarn("get", nginx.url("obj", "tls"), "-O", "--raw", *QUICK,
               "--retry-count=1", "--cacert", nginx.dir / "client.pem")
    res.expect(113)
    assert res.out == b""


def test_insecure(tarn, nginx):
    res = fetch(tarn, nginx.url("obj", "tls"), "--insecure").expect(0)
    assert res.out == DATA


def test_an_authority_file_that_is_missing(tarn, nginx):
    fetch(tarn, nginx.url("obj", "tls"), "--cacert=/nonexistent",
          ).expect((66, 113))


def test_a_client_certificate(tarn, nginx):
    url, ca = nginx.url("obj", "mutual"), nginx.dir / "ca.pem"
    res = fetch(tarn, url, "--cacert", ca, "--cert",
                nginx.dir / "client.pem", "--key", nginx.dir / "client.key")
    assert res.expect(0).out == DATA
    res = tarn("get", url, "-O", "--raw", *QUICK, "--retry-count=1",
               "--cacert", ca)
    assert res.code != 0 and res.out == b""


# The store of certificates is made with libcrypto, as digests are.
@pytest.mark.needs("digests")
def test_the_certificates_are_read_once_for_all_connections(tarn, nginx,
                                                            tmp_path):
    """What a FIFO gives can be read one time only."""
    fifo = tmp_path / "ca"
    os.mkfifo(fifo)
    pem = (nginx.dir / "ca.pem").read_bytes()
    writer = threading.Thread(target=fifo.write_bytes, args=(pem,), daemon=True)
    writer.start()
    before = len(nginx.log())
    res = fetch(tarn, nginx.url("obj", "tls"), "--cacert", fifo)
    assert res.expect(0).out == DATA
    assert len({e["conn"] for e in fresh(nginx, before)}) > 1


def test_http2(tarn, nginx):
    before = len(nginx.log())
    res = fetch(tarn, nginx.url("obj", "tls"), "--http2", "--cacert",
                nginx.dir / "ca.pem").expect(0)
    assert res.out == DATA
    log = fresh(nginx, before)
    assert {e["protocol"] for e in log} == {"HTTP/2.0"}
    assert sum(e["sent"] for e in log) == len(DATA)
    # Streams would share a connection; a range has one of its own.
    assert len({e["conn"] for e in log}) > 1


def test_http2_can_be_disabled(tarn, nginx):
    before = len(nginx.log())
    res = fetch(tarn, nginx.url("obj", "tls"), "--disable-http2",
                "--insecure").expect(0)
    assert res.out == DATA
    assert {e["protocol"] for e in fresh(nginx, before)} == {"HTTP/1.1"}


# ---- who asks ----

def test_user_and_password(tarn, nginx):
    url = nginx.url("obj", "auth")
    assert fetch(tarn, url, "--user=ali:opens:esame").expect(0).out == DATA
    fetch(tarn, url).expect(13)
    res = fetch(tarn, url, "--user=ali:SECRETWORD").expect(13)
    assert "SECRETWORD" not in res.err


def test_user_and_password_in_the_url(tarn, nginx):
    url = nginx.url("obj", "auth")
    res = fetch(tarn, url.replace("//", "//ali:opens%3Aesame@")).expect(0)
    assert res.out == DATA
    res = fetch(tarn, url.replace("//", "//ali:SECRETWORD@")).expect(13)
    assert "SECRETWORD" not in res.err


def test_netrc(tarn, nginx, tmp_path):
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine 127.0.0.1 login ali password opens:esame\n")
    netrc.chmod(0o600)
    env = program.environment(home=tmp_path)
    url = nginx.url("obj", "auth")
    assert fetch(tarn, url, "--netrc", env=env).expect(0).out == DATA
    fetch(tarn, url, env=env).expect(13)


def test_a_header_from_a_file(tarn, server, tmp_path):
    url = server.add("/obj", DATA)
    secret = tmp_path / "headers"
    secret.write_text("X-Secret: from-a-file\n")
    fetch(tarn, url, "-H", "@%s" % secret).expect(0)
    assert {e["headers"].get("x-secret") for e in server.requests()} == {
        "from-a-file"}


def test_a_redirect_from_http_to_https_finds_its_certificates(tarn, server,
                                                              nginx):
    url = server.add("/in", rules=[{"redirect": nginx.url("obj", "tls")}])
    res = fetch(tarn, url, "--cacert", nginx.dir / "ca.pem")
    assert res.expect(0).out == DATA
    res = tarn("get", url, "-O", "--raw", *QUICK, "--retry-count=1")
    assert res.expect(113).out == b""
