"""Faults in unlucky places: each of these once gave a wrong answer, a wrong
exit code, or no end at all."""
import gzip
import io
import os
import random
import tarfile

import pytest

from faulty_server import pattern
from program import QUICK, RETRY

DATA = pattern(1_000_000)
CHUNK = "--chunk-size=256Ki"
TEXT = b"abcdefghij" * 100


def get_raw(tarn, url, *args, **kwargs):
    return tarn("get", url, "-O", "--raw", CHUNK, *args, **kwargs)


def archive(members, with_end=True):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w",
                      format=tarfile.USTAR_FORMAT) as tar:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        end = tar.offset
    return out.getvalue() if with_end else out.getvalue()[:end]


# ---- never exit 0 without a proof ----

@pytest.mark.parametrize("size, code", [(500, 5), (1000, 0), (1010, 5)])
def test_a_stream_begun_anew_without_a_length_must_have_the_one_told(
        tarn, server, size, code):
    body = (TEXT + TEXT)[:size].decode()
    url = server.add("/a", TEXT, rules=[
        {"times": 1, "ranges": "ignore", "reset_after": 400},
        {"status": 200, "body": body, "framing": "chunked",
         "headers": {"ETag": '"v1"'}}])
    res = get_raw(tarn, url, *RETRY).expect(code)
    assert TEXT.startswith(res.out)
    assert (res.out == TEXT) == (code == 0) or size > 1000


def test_a_frame_end_does_not_prove_an_archive_without_end_blocks(
        tarn, server, tmp_path):
    """A stream of several frames may have been cut behind any of them."""
    frame = gzip.compress(archive([("a", b"1" * 1000)], False))
    cut = server.add("/cut.tar.gz", frame, rules=[
        {"ranges": "ignore", "framing": "close"}])
    whole = server.add("/whole.tar.gz", frame)
    tarn("get", cut, "-C", tmp_path / "1", *RETRY).expect(65)
    tarn("get", whole, "-C", tmp_path / "2", *RETRY).expect(0)


def test_an_entity_tag_of_any_length_tells_two_objects_apart(tarn, server):
    tag = '"%s"' % ("e" * 10_000)
    same = server.add("/same", DATA, etag=tag)
    other = server.add("/other", DATA, etag=tag, rules=[
        {"from": 1, "etag": tag[:-2] + 'f"', "data_xor": 1}])
    assert get_raw(tarn, same, *RETRY).expect(0).out == DATA
    assert not [e for e in server.requests("/same") if e["if_match"]]
    get_raw(tarn, other, *RETRY).expect(65)


# ---- the first refusal stands, whatever becomes of its body ----

@pytest.mark.parametrize("fault", ["stall_after", "close_after",
                                   "reset_after"])
@pytest.mark.parametrize("sent", [0, 3])
def test_a_404_is_final_even_if_its_body_never_ends(tarn, server, fault, sent):
    url = server.add("/a", DATA, rules=[{"status": 404, fault: sent}])
    get_raw(tarn, url, *RETRY).expect(2)
    assert len(server.requests("/a")) == 1


@pytest.mark.parametrize("framing", ["length", "chunked", "close"])
def test_a_redirect_may_have_a_body_of_any_framing(tarn, server, framing):
    server.add("/there", DATA)
    url = server.add("/a", rules=[{"redirect": "/there",
                                   "framing": framing}])
    assert get_raw(tarn, url, *RETRY).expect(0).out == DATA


# ---- no end ----

@pytest.mark.parametrize("value", ["999999", "date:999999"])
def test_a_pause_longer_than_the_patience_ends_the_job(tarn, server, value):
    url = server.add("/a", DATA, rules=[{"status": 503,
                                         "retry_after": value}])
    res = get_raw(tarn, url, *QUICK, timeout=20).expect(16)
    assert "pause" in res.err


@pytest.mark.parametrize("value", ["-9223372036854775808", "-1",
                                   "99999999999999999999", "soon", ""])
def test_a_pause_that_makes_no_sense_is_not_kept(tarn, server, value):
    url = server.add("/a", DATA, rules=[{"times": 1, "status": 503,
                                         "retry_after": value}])
    assert get_raw(tarn, url, *QUICK, timeout=20).expect(0).out == DATA


def test_a_reply_that_goes_on_behind_its_last_byte_is_an_error(tarn, server):
    url = server.add("/a", TEXT, rules=[
        {"status": 206, "body": "a" * 1000 + "b" * 20, "write_size": 1000,
         "framing": "chunked",
         "headers": {"ETag": '"v1"', "Content-Range": "bytes 0-999/1000"}}])
    res = get_raw(tarn, url, *RETRY).expect(5)
    assert "more bytes than it said" in res.err
    assert len(server.requests("/a")) == 1


@pytest.mark.parametrize("memory", ["2Mi", "4Mi"])
def test_two_decoders_do_not_starve_each_other(tarn, server, tmp_path, memory):
    """A coding around a compressed archive that grows much: the outer
    decoder's bytes must not take all the memory the inner one needs."""
    noise = random.Random(1)
    members = [("f%d" % i, b"".join(noise.randbytes(64) * 30
                                    for _ in range(1000)))
               for i in range(50)]
    data = gzip.compress(gzip.compress(archive(members), 1), 1)
    url = server.add("/a.tar.gz", data, rules=[
        {"headers": {"Content-Encoding": "gzip"}}])
    tarn("get", url, "-C", tmp_path, "--memory=" + memory, *RETRY,
         timeout=30).expect(0)
    for name, want in members:
        assert (tmp_path / name).read_bytes() == want


@pytest.mark.parametrize("url", ["/a", "/a.tar.gz"])
def test_ranges_of_one_byte_at_the_least_memory(tarn, server, tmp_path, url):
    server.add("/a", TEXT[:200])
    server.add("/a.tar.gz", gzip.compress(archive([("x", b"q" * 100)])))
    where = ["-O", "--raw"] if url == "/a" else ["-C", tmp_path]
    res = tarn("get", server.url(url), *where, "--chunk-size=1",
               "--memory=2Mi", "--connections=64").expect(0)
    assert res.out == (TEXT[:200] if url == "/a" else b"")
    assert url == "/a" or (tmp_path / "x").read_bytes() == b"q" * 100


def link_with_content(name, target, body):
    """A pax hard link that brings content, as POSIX's -o linkdata writes."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w",
                      format=tarfile.PAX_FORMAT) as tar:
        first = tarfile.TarInfo("own")
        first.size = 3
        first.mode = 0o444
        first.mtime = 1000000000.5
        tar.addfile(first, io.BytesIO(b"old"))
        info = tarfile.TarInfo(name)
        info.type = tarfile.LNKTYPE
        info.linkname = target
        info.pax_headers = {"comment": "x", "size": str(len(body))}
        tar.addfile(info)
        tar.fileobj.write(body.ljust(512, b"\0"))
        tar.offset += 512
    return packed.getvalue()


def test_content_of_a_hard_link_goes_into_a_file_of_the_archive(tarn, server,
                                                               tmp_path):
    url = server.add("/x.tar", link_with_content("name", "own", b"x"))
    tarn("get", url, "-C", tmp_path / "o", *RETRY).expect(0)
    assert (tmp_path / "o/own").read_bytes() == b"x"
    st = os.stat(tmp_path / "o/own")
    assert os.path.samefile(tmp_path / "o/own", tmp_path / "o/name")
    assert st.st_mode & 0o777 == 0o444
    assert st.st_mtime_ns == 1000000000500000000


def test_content_of_a_hard_link_never_goes_into_a_file_that_was_there(
        tarn, server, tmp_path):
    (tmp_path / "victim").write_bytes(b"precious")
    (tmp_path / "o").mkdir()
    os.link(tmp_path / "victim", tmp_path / "o/laid")
    url = server.add("/x.tar", link_with_content("name", "laid", b"evil"))
    res = tarn("get", url, "-C", tmp_path / "o", *RETRY).expect(1)
    assert "what this archive has not made" in res.err
    assert (tmp_path / "victim").read_bytes() == b"precious"
