"""The faulty server itself: what a test blames on the program must not be
the server's. These tests need no program."""
import gzip
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from faulty_server import pattern

DATA = pattern(200_000)


def fetch(url, rng=None, **headers):
    if rng:
        headers["Range"] = "bytes=" + rng
    req = urllib.request.Request(url, headers=headers)
    with urllib.request.urlopen(req, timeout=10) as reply:
        return reply.status, reply.headers, reply.read()


def raw(server, path, rng=None, extra=""):
    """All bytes of a reply up to the end of the connection, and the error."""
    with socket.create_connection(("127.0.0.1", server.port), 10) as sock:
        line = "Range: bytes=%s\r\n" % rng if rng else ""
        sock.sendall(("GET %s HTTP/1.1\r\nHost: x\r\n%s%s\r\n" % (
            path, line, extra)).encode())
        out = b""
        sock.settimeout(1)
        try:
            while True:
                got = sock.recv(65536)
                if not got:
                    return out, "end"
                out += got
        except ConnectionResetError:
            return out, "reset"
        except TimeoutError:
            return out, "silent"


def body(reply):
    return reply.partition(b"\r\n\r\n")[2]


def test_a_resource_without_rules_is_served_right(server):
    url = server.add("/a", DATA)
    status, headers, got = fetch(url)
    assert (status, got, headers["ETag"]) == (200, DATA, '"v1"')
    status, headers, got = fetch(url, "5-9")
    assert (status, got) == (206, DATA[5:10])
    assert headers["Content-Range"] == "bytes 5-9/200000"
    assert [e["range"] for e in server.log] == [None, "bytes=5-9"]
    assert server.requests()[1]["sent"] == 5


def test_two_requests_share_a_connection(server):
    server.add("/a", b"12345")
    with socket.create_connection(("127.0.0.1", server.port), 10) as sock:
        for _ in range(2):
            sock.sendall(b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
            got = b""
            while not got.endswith(b"12345"):
                got += sock.recv(4096)
    assert server.log[0]["conn"] == server.log[1]["conn"]


def test_times_and_skip_count_the_requests_that_fit(server):
    url = server.add("/a", DATA, rules=[
        {"skip": 1, "times": 2, "from": 10, "status": 503}])
    seen = []
    for rng in ("0-9", "10-19", "20-29", "30-39", "40-49"):
        try:
            seen.append(fetch(url, rng)[0])
        except urllib.error.HTTPError as err:
            seen.append(err.code)
    assert seen == [206, 206, 503, 503, 206]


@pytest.mark.parametrize("rule, text", [
    ({"content_range": "start"}, "bytes 1-10/200000"),
    ({"content_range": "total"}, "bytes 0-9/200001"),
    ({"content_range": "star"}, "bytes 0-9/*"),
    ({"content_range": "missing"}, None),
    ({"content_range": "bytes x"}, "bytes x"),
    ({"short": 4}, "bytes 0-3/200000")])
def test_content_range_is_as_scripted(server, rule, text):
    url = server.add("/a", DATA, rules=[rule])
    assert fetch(url, "0-9")[1]["Content-Range"] == text


def test_reset_comes_after_the_bytes_that_were_promised(server):
    server.add("/a", DATA, rules=[{"reset_after": 1000}])
    got, ending = raw(server, "/a")
    assert (body(got), ending) == (DATA[:1000], "reset")
    assert server.requests()[0]["ending"] == "reset"


def test_close_and_stall_come_after_the_bytes_that_were_promised(server):
    server.add("/c", DATA, rules=[{"close_after": 1000}])
    got, ending = raw(server, "/c")
    assert (body(got), ending) == (DATA[:1000], "end")
    server.add("/s", DATA, rules=[{"stall_after": 1000}])
    got, ending = raw(server, "/s")
    assert (body(got), ending) == (DATA[:1000], "silent")
    server.add("/h", DATA, rules=[{"stall_header": 20}])
    assert raw(server, "/h") == (b"HTTP/1.1 200 OK\r\nCon", "silent")
    server.add("/d", DATA, rules=[{"drop": "close"}])
    assert raw(server, "/d") == (b"", "end")


def test_framings(server):
    for framing in ("chunked", "close"):
        url = server.add("/a", DATA, rules=[{"framing": framing}])
        assert fetch(url)[2] == DATA
    server.add("/a", b"abc", rules=[{"framing": "chunked-cut"}])
    got, ending = raw(server, "/a")
    assert (body(got), ending) == (b"3\r\nabc\r\n", "end")


def test_a_coded_reply_is_gzip_in_whole_and_in_part(server):
    url = server.add("/a", DATA, rules=[{"coding": "gzip"}])
    _, headers, whole = fetch(url)
    assert headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(whole) == DATA
    assert fetch(url, "3-50")[2] == whole[3:51]


def test_conditions(server):
    url = server.add("/a", DATA, rules=[{"from": 9, "conditions": "refuse"}])
    assert fetch(url, "0-1", **{"If-Match": '"v1"'})[0] == 206
    for rng, tag in (("0-1", '"v2"'), ("9-10", '"v1"')):
        with pytest.raises(urllib.error.HTTPError) as err:
            fetch(url, rng, **{"If-Match": tag})
        assert err.value.code == 412


def test_a_token_expires(server):
    server.add("/obj", DATA, tokens=True)
    url = server.add("/in", rules=[{"redirect": "/obj", "token_uses": 1}])
    assert fetch(url)[2] == DATA
    target = server.requests("/obj")[0]["target"]
    with pytest.raises(urllib.error.HTTPError) as err:
        fetch(server.url(target))
    assert err.value.code == 403
    assert fetch(url)[2] == DATA


def test_rate_is_kept(server):
    url = server.add("/a", DATA[:50_000], rules=[{"rate": 100_000}])
    began = time.monotonic()
    assert fetch(url)[2] == DATA[:50_000]
    assert 0.4 < time.monotonic() - began < 3


def test_early_replies_and_long_headers(server):
    server.add("/a", b"abc", rules=[{
        "early": [100, 103], "long_header": 5000, "close": True}])
    got, _ = raw(server, "/a")
    assert got.startswith(b"HTTP/1.1 100 Early\r\n\r\nHTTP/1.1 103 Early\r\n")
    assert got.count(b"x" * 5000) == 3 and got.endswith(b"\r\n\r\nabc")


def test_the_program_takes_rules_from_a_script_and_the_query(tmp_path):
    (tmp_path / "s").write_text(json.dumps({"resources": [
        {"path": "/a", "text": "hello", "rules": [{"short": 2}]}]}))
    here = os.path.dirname(os.path.abspath(__file__))
    proc = subprocess.Popen(
        [sys.executable, os.path.join(here, "../support/faulty_server.py"),
         "--script", tmp_path / "s", "--log", tmp_path / "log",
         "--until-eof"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        base = "http://127.0.0.1:%d" % int(proc.stdout.readline())
        assert fetch(base + "/a", "0-4")[2] == b"he"
        assert fetch(base + "/bytes/1000?short=7", "0-99")[2] == pattern(7)
        # A request is logged when its reply is over, a moment after we have it.
        until = time.monotonic() + 10
        while (len((tmp_path / "log").read_text().splitlines()) < 2 and
               time.monotonic() < until):
            time.sleep(0.01)
    finally:
        proc.stdin.close()
        assert proc.wait(10) == 0
        proc.stdout.close()
    lines = (tmp_path / "log").read_text().splitlines()
    assert [json.loads(s)["path"] for s in lines] == ["/a", "/bytes/1000"]
