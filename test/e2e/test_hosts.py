"""T7, T8, T13: redirects, what expires, where secrets go; hosts that cannot be
reached, proxies."""
import socket

import pytest

from faulty_server import pattern
from nginx import free_port
import program
from program import QUICK, RETRY

DATA = pattern(3_000_000)


def get_raw(tarn, url, *args, connections=4):
    return tarn("get", url, "-O", "--raw", "--chunk-size=256Ki",
                "--connections=%d" % connections, *RETRY, *args)


# ---- redirects ----

@pytest.mark.parametrize("status", (301, 302, 303, 307, 308))
def test_the_target_of_a_redirect_is_used_for_later_ranges(tarn, server,
                                                          status):
    server.add("/obj", DATA)
    url = server.add("/in", rules=[{"redirect": "/obj", "status": status}])
    assert get_raw(tarn, url).expect(0).out == DATA
    assert len(server.requests("/in")) == 1


@pytest.mark.parametrize("status, body", (
    (403, "no"), (401, "no"), (410, "no"),
    (400, "<Error><Code>ExpiredToken</Code></Error>")))
@pytest.mark.parametrize("connections", (1, 4))
def test_an_expired_redirect_is_refreshed_once_for_all(tarn, server, status,
                                                      body, connections):
    server.add("/obj", DATA, tokens=True, expired_status=status,
               expired_body=body)
    url = server.add("/in", rules=[{"redirect": "/obj", "token_uses": 4}])
    res = get_raw(tarn, url, connections=connections)
    assert res.expect(0).out == DATA
    assert 3 <= len(server.requests("/in")) <= 6


def test_a_target_that_refuses_at_once_is_fatal(tarn, server):
    server.add("/obj", DATA, tokens=True)
    url = server.add("/in", rules=[{"redirect": "/obj", "token_uses": 0}])
    assert get_raw(tarn, url).expect(13).out == b""
    assert len(server.requests("/in")) <= 2


def test_a_redirect_loop_ends(tarn, server):
    url = server.add("/a", rules=[{"redirect": "/b"}])
    server.add("/b", rules=[{"redirect": "/a"}])
    get_raw(tarn, url).expect(5)
    assert 10 <= len(server.requests()) <= 100


def test_ten_redirects_are_followed(tarn, server):
    for i in range(10):
        server.add("/r%d" % i, rules=[{"redirect": "/r%d" % (i + 1)}])
    server.add("/r10", DATA)
    assert get_raw(tarn, server.url("/r0")).expect(0).out == DATA


@pytest.mark.parametrize("target", (
    "file:///etc/passwd", "ftp://127.0.0.1/a", "gopher://127.0.0.1/"))
def test_a_redirect_to_another_scheme_is_refused(tarn, server, target):
    url = server.add("/in", rules=[{"redirect": target}])
    res = get_raw(tarn, url).expect((5, 13))
    assert res.out == b"" and "root:" not in res.err


def test_secrets_go_to_the_given_origin_only(tarn, server, other_server):
    target = other_server.add("/obj", DATA)
    url = server.add("/in", rules=[{"redirect": target}])
    for args in (["--user=me:pw"], ["--bearer=token"]):
        res = get_raw(tarn, url, "-H", "X-Secret: s", *args)
        assert res.expect(0).out == DATA
    given = server.requests()
    assert all("x-secret" in e["headers"] for e in given)
    assert all("authorization" in e["headers"] for e in given)
    for entry in other_server.requests():
        assert "x-secret" not in entry["headers"]
        assert "authorization" not in entry["headers"]


def test_headers_go_out_with_every_request_to_the_origin(tarn, server):
    url = server.add("/obj", DATA)
    get_raw(tarn, url, "-H", "X-One: 1", "-H", "X-Two:2").expect(0)
    for entry in server.requests():
        assert entry["headers"]["x-one"] == "1"
        assert entry["headers"]["x-two"] == "2"


# ---- hosts ----

def test_connection_refused(tarn):
    url = "http://127.0.0.1:%d/a" % free_port()
    res = tarn("get", url, "-O", "--raw", *QUICK, "--retry-count=2")
    res.expect(113)


def test_a_name_that_does_not_exist(tarn):
    res = tarn("get", "http://no-such-host.invalid/a", "-O", "--raw", *QUICK,
               "--retry-count=1", "--connection-timeout=5")
    res.expect(113)


def test_a_server_that_never_sends_a_byte(tarn):
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen(8)
        url = "http://127.0.0.1:%d/a" % sock.getsockname()[1]
        res = tarn("get", url, "-O", "--raw", *QUICK, "--retry-count=1")
    res.expect((5, 113))
    assert res.seconds < 30


def test_max_time_ends_a_job(tarn, server):
    url = server.add("/obj", DATA, rules=[{"rate": 100_000}])
    res = tarn("get", url, "-O", "--raw", "--max-time=1").expect(5)
    assert res.seconds < 10 and DATA.startswith(res.out)


def test_a_name_can_be_given_an_address(tarn, server):
    server.add("/obj", DATA)
    url = "http://files.test:%d/obj" % server.port
    res = get_raw(tarn, url,
                  "--resolve=files.test:%d:127.0.0.1" % server.port)
    assert res.expect(0).out == DATA
    host = server.requests()[0]["headers"]["host"]
    assert host == "files.test:%d" % server.port


def test_a_proxy_is_used_when_given_and_when_in_the_environment(tarn, server):
    server.add("/obj", DATA)
    proxy = "http://127.0.0.1:%d" % server.port
    url = "http://files.test/obj"
    assert get_raw(tarn, url, "--proxy", proxy).expect(0).out == DATA
    args = ("get", url, "-O", "--raw", *RETRY)
    res = tarn(*args, env=program.environment(http_proxy=proxy)).expect(0)
    assert res.out == DATA
    assert {e["target"] for e in server.requests()} == {url}
    dead = "http://127.0.0.1:%d" % free_port()
    get_raw(tarn, url, "--proxy", dead).expect(113)
    env = program.environment(http_proxy=dead, no_proxy="127.0.0.1")
    res = tarn("get", server.url("/obj"), "-O", "--raw", *RETRY, env=env)
    assert res.expect(0).out == DATA
