"""`tarn list`: names, columns, JSON; over a URL, a file, standard input."""
import base64
import datetime
from fractions import Fraction
import io
import json
import os
import re
import signal
import subprocess
import tarfile
import time

import pytest

from local import Writer, in_terminal
import program
from program import RETRY
import tree

TYPES = {tarfile.REGTYPE: "file", tarfile.AREGTYPE: "file",
         tarfile.DIRTYPE: "directory", tarfile.SYMTYPE: "symlink",
         tarfile.LNKTYPE: "hardlink", tarfile.CHRTYPE: "char",
         tarfile.BLKTYPE: "block", tarfile.FIFOTYPE: "fifo",
         tarfile.GNUTYPE_SPARSE: "file"}
ESCAPES = {b"n": b"\n", b"t": b"\t", b"a": b"\a", b"b": b"\b", b"f": b"\f",
           b"r": b"\r", b"v": b"\v", b"\\": b"\\"}


def unescaped(text):
    """What GNU tar prints, as bytes of the archive."""
    def plain(match):
        word = match.group(1)
        return ESCAPES.get(word) or bytes([int(word, 8)])
    return re.sub(rb"\\([0-7]{3}|[ntabfrv\\])", plain, text)


def by_gnu(data, *options, tz="UTC"):
    return unescaped(subprocess.run(
        ["tar", "-tf", "-", *options], input=data, check=True,
        env=dict(os.environ, TZ=tz, LC_ALL="C.UTF-8"),
        stdout=subprocess.PIPE).stdout)


def made(*infos):
    """An archive of TarInfos, by Python."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for info in infos:
            if isinstance(info, str):
                info = tarfile.TarInfo(info)
            tar.addfile(info, io.BytesIO(bytes(info.size)))
    return out.getvalue()


def many(count, name="directory/with-a-long-name/file-%06d"):
    return made(*(name % i for i in range(count)))


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """A tree with every kind of entry and of name; devices for root."""
    top = tmp_path_factory.mktemp("listed") / "tree"
    tree.build(top, n_files=40, n_bytes=300_000)
    tree.add_long_names(top)
    if os.geteuid() == 0:
        try:
            os.mknod(top / "null", 0o20666, os.makedev(1, 3))
            os.mknod(top / "disk", 0o60660, os.makedev(259, 1048575))
        except PermissionError:
            pass
    with open(top / "sparse", "wb") as out:
        out.seek(1_000_000)
        out.write(b"x")
    return tree.Packed(top)


@pytest.mark.parametrize("fmt", ("gnu", "pax"))
@pytest.mark.parametrize("options", ([], ["-v"], ["-vv", "--full-time"],
                                     ["-v", "--numeric-owner", "--utc"]))
def test_lines_are_those_of_gnu_tar(tarn, packed, fmt, options):
    data = packed.bytes(fmt)
    proc = program.start("list", "-", *options, stdin=subprocess.PIPE,
                         env=program.environment(TZ="Asia/Kathmandu"))
    with Writer(os.dup(proc.stdin.fileno()), data):
        proc.stdin.close()
        res = program.finish(proc).expect(0)
    want = by_gnu(data, *options, tz="Asia/Kathmandu")
    assert res.out.split(b"\n") == want.split(b"\n")
    assert res.err == ""


@pytest.mark.parametrize("coder", ("none", "gz", "lz4", "zst", "xz", "bz2"))
def test_a_file_in_any_compression_is_listed(tarn, packed, tmp_path, coder):
    path = tmp_path / "archive"
    path.write_bytes(packed.bytes(coder=coder))
    assert tarn("list", path).expect(0).out == by_gnu(packed.bytes())


def test_a_url_is_listed_by_ranges(tarn, nginx, packed):
    url = nginx.put("listed.tar.gz", packed.bytes(coder="gz"))
    res = tarn("list", url, "--connections=4", "--chunk-size=64K").expect(0)
    assert res.out == by_gnu(packed.bytes())
    ranges = [e["range"] for e in nginx.log("listed.tar.gz")]
    assert len(ranges) > 1 and all(ranges)


def test_a_file_url_is_listed(tarn, packed, tmp_path):
    (tmp_path / "a.tar").write_bytes(packed.bytes())
    assert tarn("list", "file://%s/a.tar" % tmp_path).expect(0).out == \
        by_gnu(packed.bytes())


def test_a_server_that_hangs_up_is_asked_again(tarn, server, packed):
    url = server.add("/x.tar", packed.bytes(),
                     rules=[{"times": 2, "close_after": 70_000}])
    res = tarn("list", url, *RETRY).expect(0)
    assert res.out == by_gnu(packed.bytes())


def test_a_missing_url_is_2(tarn, server):
    assert tarn("list", server.url("/none")).expect(2).out == b""


def test_a_fifo_is_listed_when_its_writer_comes(packed, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    with Writer(tmp_path / "fifo", packed.bytes(), late=0.5):
        res = program.run("list", tmp_path / "fifo").expect(0)
    assert res.out == by_gnu(packed.bytes())


def test_names_of_a_cut_archive_are_printed_before_the_error(tarn, tmp_path):
    data = many(100)
    (tmp_path / "a.tar").write_bytes(data[:512 * 50 + 100])
    res = tarn("list", "a.tar", cwd=tmp_path).expect(65)
    lines = res.out.decode().splitlines()
    assert lines == ["directory/with-a-long-name/file-%06d" % i
                     for i in range(50)]
    assert res.err.startswith("tarn: a.tar: ")


def test_what_is_no_archive_is_said(tarn, tmp_path):
    (tmp_path / "a").write_bytes(b"<html>" + bytes(5000))
    res = tarn("list", "a", cwd=tmp_path).expect(65)
    assert res.out == b"" and "archive" in res.err


def test_members_can_be_chosen(tarn, tmp_path):
    (tmp_path / "a.tar").write_bytes(made("a/1", "a/2", "b/1"))
    res = tarn("list", "a.tar", "--include=a", "--exclude=2",
               cwd=tmp_path).expect(0)
    assert res.out == b"a/1\n"


def test_nothing_is_made_or_written_in_the_place_it_runs(tarn, packed,
                                                         tmp_path):
    (tmp_path / "a.tar").write_bytes(packed.bytes())
    tarn("list", "-v", "a.tar", cwd=tmp_path).expect(0)
    assert os.listdir(tmp_path) == ["a.tar"]


# ---- control bytes ----

EVIL = "\x1b]0;title\x07\n\x9b2J-\x7f-end"


def test_control_bytes_are_raw_in_a_pipe_and_escaped_on_a_terminal(tarn,
                                                                   tmp_path):
    link = tarfile.TarInfo("link")
    link.type, link.linkname = tarfile.SYMTYPE, EVIL
    link.uname = "us\x1ber"
    (tmp_path / "a.tar").write_bytes(made(EVIL, link))
    raw = EVIL.encode()
    assert tarn("list", "a.tar", cwd=tmp_path).out == raw + b"\nlink\n"
    code, text = in_terminal("list", "-v", "a.tar", cwd=tmp_path)
    assert code == 0 and text.count(b"\n") == 2
    assert not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", text)
    shown = rb"\033]0;title\007\012\302\2332J-\177-end"
    assert shown + b"\n" in text and b"link -> " + shown in text
    assert rb"us\033er" in text


def test_no_progress_runs_into_a_terminals_listing(server, tmp_path):
    url = server.add("/x.tar", many(300),
                     rules=[{"times": 1, "rate": 200_000}])
    code, text = in_terminal("list", url)
    assert code == 0 and b"\x1b" not in text and b"%" not in text
    assert text.splitlines()[-1].endswith(b"file-000299")


def test_a_url_listed_into_a_file_reports_progress(server, tmp_path):
    url = server.add("/x.tar", many(3000), rules=[{"rate": 1_000_000}])
    with open(tmp_path / "out", "wb") as out:
        proc = program.start("list", url, "--progress=json", stdout=out)
        res = program.finish(proc).expect(0)
    events = [json.loads(line) for line in res.err.splitlines()]
    assert events[0]["target"] == "list" and events[0]["path"] is None
    assert [e["event"] for e in events][-1] == "done"
    assert events[-1]["files"] == 3000
    assert len((tmp_path / "out").read_bytes().splitlines()) == 3000


# ---- JSON ----

def check_object(got, info):
    assert got["type"] == TYPES[info.type]
    assert got["path"].rstrip("/") == info.name
    assert got["mode"] == "%04o" % (info.mode & 0o7777)
    assert (got["uid"], got["gid"]) == (info.uid, info.gid)
    assert (got["uname"] or "", got["gname"] or "") == (info.uname, info.gname)
    assert got["size"] == info.size
    assert got["link"] == (info.linkname if info.issym() or info.islnk()
                           else None)
    mtime = Fraction(info.pax_headers.get("mtime", int(info.mtime)))
    assert got["mtime_sec"] + Fraction(got["mtime_nsec"], 10**9) == mtime
    when = datetime.datetime.fromtimestamp(got["mtime_sec"],
                                           datetime.timezone.utc)
    assert got["mtime"] == when.strftime("%Y-%m-%dT%H:%M:%S.") + \
        "%09dZ" % got["mtime_nsec"]
    device = (info.devmajor, info.devminor) if info.ischr() or info.isblk() \
        else (None, None)
    assert (got["dev_major"], got["dev_minor"]) == device


def test_json_is_what_python_reads(tarn, packed, tmp_path):
    data = packed.bytes("pax")
    (tmp_path / "a.tar").write_bytes(data)
    lines = tarn("list", "--json", tmp_path / "a.tar").expect(0).out
    objects = [json.loads(line) for line in lines.splitlines()]
    with tarfile.open(fileobj=io.BytesIO(data), encoding="utf-8",
                      errors="surrogateescape") as tar:
        infos = tar.getmembers()
    assert len(objects) == len(infos)
    for got, info in zip(objects, infos):
        assert data[got["offset"] + 257:got["offset"] + 262] == b"ustar"
        if "path_b64" in got:
            name = base64.b64decode(got["path_b64"]).rstrip(b"/")
            assert name == info.name.encode("utf-8", "surrogateescape")
            assert "\ufffd" in got["path"]
            got["path"] = info.name
        check_object(got, info)


def test_json_tells_the_holes_of_sparse_files(tarn, packed, tmp_path):
    with open(tmp_path / "s", "wb") as out:
        out.truncate(5_000_000)
        out.seek(4_000_000)
        out.write(b"x")
    for fmt in ("gnu", "pax"):
        data = subprocess.run(["tar", "-S", "--format=" + fmt, "-C",
                               str(tmp_path), "-cf", "-", "s"], check=True,
                              stdout=subprocess.PIPE).stdout
        (tmp_path / "a.tar").write_bytes(data)
        got = json.loads(tarn("list", "--json", tmp_path / "a.tar").out)
        assert (got["path"], got["size"], got["sparse"]) == \
            ("s", 5_000_000, True)


def test_a_name_that_is_no_utf8_is_there_in_base64(tarn, tmp_path):
    info = tarfile.TarInfo("l\udcff\n")
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT,
                      errors="surrogateescape") as tar:
        tar.addfile(info)
    (tmp_path / "a.tar").write_bytes(out.getvalue())
    res = tarn("list", "--json", tmp_path / "a.tar").expect(0)
    assert res.out.count(b"\n") == 1
    got = json.loads(res.out)
    assert got["path"] == "l\ufffd\n"
    assert base64.b64decode(got["path_b64"]) == b"l\xff\n"


# ---- standard output ----

def test_a_reader_that_goes_is_141_and_nothing_is_said(tmp_path):
    (tmp_path / "a.tar").write_bytes(many(20_000))
    proc = program.start("list", tmp_path / "a.tar")
    assert proc.stdout.readline() == b"directory/with-a-long-name/file-000000\n"
    proc.stdout.close()
    proc.stdout = None
    res = program.finish(proc).expect(141)
    assert res.err == ""


def test_a_reader_that_is_gone_before_the_last_line_is_141(tmp_path):
    (tmp_path / "a.tar").write_bytes(made("x"))
    ours, theirs = os.pipe()
    os.close(ours)
    proc = program.start("list", tmp_path / "a.tar", stdout=theirs)
    os.close(theirs)
    res = program.finish(proc).expect(141)
    assert res.err == ""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("count", (1, 20_000))
def test_a_full_output_is_28(tmp_path, count):
    (tmp_path / "a.tar").write_bytes(many(count))
    with open("/dev/full", "wb") as full:
        res = program.run("list", tmp_path / "a.tar", stdout=full).expect(28)
    assert res.err == "tarn: %s/a.tar: standard output: write: " \
        "No space left on device\n" % tmp_path


def test_a_closed_output_is_66(tmp_path):
    (tmp_path / "a.tar").write_bytes(made("x"))
    for words in ("list", "extract -n"):
        res = subprocess.run(
            ["sh", "-c", '"$0" %s "$1" >&-' % words, program.program(),
             str(tmp_path / "a.tar")], stderr=subprocess.PIPE)
        assert res.returncode == 66
        assert b"standard output is not open" in res.stderr


def test_a_reader_that_reads_late_gets_every_line(tmp_path):
    data = many(5000)
    (tmp_path / "a.tar").write_bytes(data)
    proc = program.start("list", tmp_path / "a.tar")
    time.sleep(0.7)
    assert program.finish(proc).expect(0).out == by_gnu(data)


@pytest.mark.parametrize("sig, code", ((signal.SIGINT, 130),
                                       (signal.SIGTERM, 143)))
def test_a_signal_ends_it_while_nobody_reads(tmp_path, sig, code):
    (tmp_path / "a.tar").write_bytes(many(20_000))
    proc = program.start("list", tmp_path / "a.tar")
    time.sleep(1.5 if program.SANITIZED else 0.5)
    assert proc.poll() is None
    program.send(proc, sig)
    until = time.monotonic() + 10
    while proc.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    assert proc.poll() == code
    for pipe in (proc.stdout, proc.stderr):
        pipe.close()


@pytest.mark.parametrize("sig, code", ((signal.SIGINT, 130),
                                       (signal.SIGTERM, 143)))
def test_a_signal_ends_it_while_only_the_last_line_waits(tmp_path, sig, code):
    """All is read and proven, but the reader does not read."""
    data = many(2500)
    assert 65536 < len(by_gnu(data)) < 2 * 65536
    (tmp_path / "a.tar").write_bytes(data)
    proc = program.start("list", tmp_path / "a.tar")
    time.sleep(1.5 if program.SANITIZED else 0.5)
    assert proc.poll() is None
    program.send(proc, signal.SIGUSR1)
    time.sleep(0.3)
    assert proc.poll() is None
    program.send(proc, sig)
    until = time.monotonic() + 10
    while proc.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    assert proc.poll() == code
    assert proc.stderr.read().endswith(
        b"interrupted\n" if code == 130 else b"terminated\n")
    for pipe in (proc.stdout, proc.stderr):
        pipe.close()


def test_a_signal_while_the_archive_comes_ends_it(server):
    url = server.add("/x.tar", many(5000), rules=[{"stall_after": 1_000_000}])
    proc = program.start("list", url, "--connections=1", "--min-speed=0")
    time.sleep(1.5)
    program.send(proc, signal.SIGINT)
    res = program.finish(proc, 20).expect(130)
    assert "interrupted" in res.err and "run the same command" not in res.err


def test_memory_does_not_grow_with_the_number_of_names(tarn, tmp_path):
    (tmp_path / "a.tar").write_bytes(many(1))
    small = tarn("list", tmp_path / "a.tar", "--memory=4Mi").expect(0).maxrss
    block = many(1)[:512]
    with open(tmp_path / "b.tar", "wb") as out:
        for _ in range(100):
            out.write(block * 2000)
        out.write(bytes(1024))
    with open("/dev/null", "wb") as null:
        res = program.run("list", tmp_path / "b.tar", "--memory=4Mi",
                          stdout=null).expect(0)
    if not program.SANITIZED:
        assert res.maxrss < small + (6 << 20)
