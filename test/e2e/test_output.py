"""Where bytes go: -o in all its forms, -O, digests, terminals; and what is
said on the way: -q, -v, progress in JSON, the closing line."""
import base64
import hashlib
import json
import os
import pty
import select
import stat
import threading
import time

import pytest

from faulty_server import pattern
import program
from program import QUICK, RETRY
import tree

DATA = pattern(700_000)


# ---- -o ----

def test_a_file_is_written_whole_and_nothing_is_left_beside_it(
        tarn, server, tmp_path):
    url = server.add("/a.bin", DATA)
    tarn("get", url, "-o", tmp_path / "file").expect(0)
    assert (tmp_path / "file").read_bytes() == DATA
    assert os.listdir(tmp_path) == ["file"]
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o644


def test_a_directory_with_a_slash_takes_several_urls(tarn, server, tmp_path):
    urls = [server.add("/x/%s" % n, DATA[i:]) for i, n in enumerate("abc")]
    tarn("get", *urls, "-o", "%s/dir/" % tmp_path).expect(0)
    for i, name in enumerate("abc"):
        assert (tmp_path / "dir" / name).read_bytes() == DATA[i:]


def test_a_files_name_comes_from_the_path_of_the_url(tarn, server, tmp_path):
    server.add("/d/a%20b", DATA)
    tarn("get", server.url("/d/a%20b") + "?q=1/2", "-o",
         "%s/" % tmp_path).expect(0)
    assert (tmp_path / "a b").read_bytes() == DATA


def test_a_dash_is_raw_standard_output(tarn, server, small_tree):
    data = small_tree.bytes("pax", "gz")
    url = server.add("/a.tar.gz", data)
    assert tarn("get", url, "-o", "-").expect(0).out == data


def test_dev_null_is_written_and_stays(tarn, server):
    url = server.add("/a", DATA)
    tarn("get", url, "-o", "/dev/null").expect(0)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert sum(e["sent"] for e in server.requests()) == len(DATA)


def test_dev_stdout_is_standard_output(tarn, server):
    url = server.add("/a", DATA)
    assert tarn("get", url, "-o", "/dev/stdout").expect(0).out == DATA


def test_a_fifo_is_written_in_order_and_stays(tarn, server, tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    got = []
    reader = threading.Thread(target=lambda: got.append(fifo.read_bytes()),
                              daemon=True)
    reader.start()
    url = server.add("/a", DATA)
    tarn("get", url, "-o", fifo, "--chunk-size=64Ki").expect(0)
    reader.join(10)
    assert got == [DATA]
    assert stat.S_ISFIFO(fifo.stat().st_mode)


def test_through_a_symlink_its_target_is_replaced(tarn, server, tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    url = server.add("/a", DATA)
    tarn("get", url, "-o", tmp_path / "link").expect(0)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == DATA


@pytest.mark.needs("digests")
def test_an_existing_file_stays_when_the_download_fails(tarn, server,
                                                        tmp_path):
    target = tmp_path / "file"
    target.write_text("old")
    url = server.add("/cut", DATA, rules=[{"from": 1, "status": 500},
                                          {"close_after": 1000}])
    tarn("get", url, "-o", target, *RETRY).expect(5)
    assert target.read_text() == "old"
    url = server.add("/good", DATA)
    tarn("get", url, "-o", target, "--digest=sha256:" + "0" * 64,
         *RETRY).expect(65)
    assert target.read_text() == "old"
    tarn("get", url, "-o", target).expect(0)
    assert target.read_bytes() == DATA


def test_a_hard_linked_old_file_is_replaced_and_not_written(tarn, server,
                                                            tmp_path):
    (tmp_path / "file").write_text("old")
    os.link(tmp_path / "file", tmp_path / "other")
    url = server.add("/a", DATA)
    tarn("get", url, "-o", tmp_path / "file").expect(0)
    assert (tmp_path / "other").read_text() == "old"


# ---- -O ----

def test_stdout_to_a_file_is_whole(tarn, server, tmp_path):
    url = server.add("/a", DATA)
    with open(tmp_path / "f", "wb") as out:
        out.write(b"before ")
        out.flush()
        tarn("get", url, "-O", "--raw", stdout=out).expect(0)
    assert (tmp_path / "f").read_bytes() == b"before " + DATA


def on_terminal(*args, feed_stdout=False, env=None):
    """Runs with stderr, and maybe stdout, on a terminal. The exit code and
    what the terminal got."""
    master, slave = pty.openpty()
    env = env or program.environment(TERM="xterm")
    proc = program.start(*args, env=env, stderr=slave,
                         **({"stdout": slave} if feed_stdout else {}))
    os.close(slave)
    got = b""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        ready, _, _ = select.select([master], [], [], 0.2)
        if ready:
            try:
                part = os.read(master, 65536)
            except OSError:
                break
            if not part:
                break
            got += part
        elif proc.poll() is not None:
            break
    if proc.poll() is None:
        proc.kill()
    out = proc.stdout.read() if proc.stdout else b""
    if proc.stdout:
        proc.stdout.close()
    os.close(master)
    return proc.wait(10), got, out


def test_stdout_on_a_terminal_is_refused(tarn, server):
    url = server.add("/a", DATA)
    for args in (["-O"], ["-O", "--raw"], ["-o", "-"]):
        code, got, _ = on_terminal("get", url, *args, feed_stdout=True)
        assert code == 64, got
    assert server.requests() == []


def test_control_bytes_are_escaped_on_a_terminal(tarn, server, tmp_path):
    root = tmp_path / "src"
    root.mkdir()
    (root / "evil\x1b]0;title\x07\x1b[2J").write_text("x")
    url = server.add("/a.tar", tree.pack(root))
    code, got, _ = on_terminal("get", url, "-C", tmp_path / "o", "-v",
                               "--progress=plain")
    assert code == 0, got
    assert b"\x1b]0;" not in got and b"\x07" not in got
    assert b"\x1b[2J" not in got and b"033" in got


@pytest.mark.needs("zstd")
def test_the_closing_line_stays_on_a_terminal(tarn, server, small_tree,
                                              tmp_path):
    url = server.add("/a.tar.zst", small_tree.bytes("pax", "zst"))
    code, got, _ = on_terminal("get", url, "-C", tmp_path / "o")
    assert code == 0, got
    last = got.strip().splitlines()[-1]
    assert os.fsencode(str(tmp_path / "o")) in last and b"/s" in last


# ---- digests ----

@pytest.mark.parametrize("name", ("sha256", "sha512"))
def test_a_digest_is_of_the_bytes_as_served(tarn, server, small_tree,
                                            tmp_path, name):
    data = small_tree.bytes("pax", "gz")
    url = server.add("/a.tar.gz", data)
    right = hashlib.new(name, data).hexdigest()
    wrong = ("0" if right[0] != "0" else "1") + right[1:]
    for text, code in ((right, 0), (right.upper(), 0), (wrong, 65)):
        digest = "--digest=%s:%s" % (name, text)
        for i, args in enumerate((["-O"], ["-O", "--raw"],
                                  ["-o", tmp_path / "f"],
                                  ["-C", tmp_path / "d"])):
            tarn("get", url, digest, *args, *RETRY).expect(code)
    assert (tmp_path / "f").read_bytes() == data


@pytest.mark.needs("digests")
def test_a_wrong_digest_leaves_no_file(tarn, server, tmp_path):
    url = server.add("/a", DATA)
    res = tarn("get", url, "-o", tmp_path / "f",
               "--digest=sha256:" + "0" * 64).expect(65)
    assert not (tmp_path / "f").exists()
    assert "digest" in res.err


# ---- what is said ----

def test_quiet_says_nothing_but_errors(tarn, server, small_tree, tmp_path):
    url = server.add("/a.tar", small_tree.bytes())
    res = tarn("get", url, "-C", tmp_path / "o", "-q").expect(0)
    assert res.err == "" and res.out == b""
    res = tarn("get", server.url("/none"), "-C", tmp_path / "o", "-q")
    assert res.expect(2).err.strip()


def test_verbose_names_each_entry_and_where_the_time_went(
        tarn, server, small_tree, tmp_path):
    url = server.add("/a.tar", small_tree.bytes())
    res = tarn("get", url, "-C", tmp_path / "o", "-v").expect(0)
    assert "odd/with space" in res.err and "modes/4755" in res.err
    tail = "\n".join(res.err.strip().splitlines()[-6:])
    assert "busy" in tail and "wait" in tail
    assert res.out == b""


def test_verbose_tells_of_retries(tarn, server):
    url = server.add("/a", DATA, rules=[{"times": 1, "status": 503}])
    res = tarn("get", url, "-O", "--raw", "-v", *RETRY).expect(0)
    assert "503" in res.err


FIELDS = {  # docs/progress-json.md
    "start": "jobs url target path wire_total compression",
    "progress": "seconds wire_bytes wire_total decoded_bytes files failed "
                "retries memory_peak wire_speed decoded_speed connections "
                "memory limit eta",
    "retry": "text error http_status errno attempt wait_ms",
    "warning": "text error http_status errno",
    "entry": "path",
    "done": "url exit error http_status errno at text seconds wire_bytes "
            "wire_total decoded_bytes files failed retries memory_peak "
            "resident_peak digest network_busy decode_busy disk_busy "
            "network_wait_in decode_wait_in disk_wait_in network_wait_out "
            "decode_wait_out disk_wait_out"}


def events(text):
    """Parses JSON lines; each must be whole and have its fields."""
    out = [json.loads(line) for line in text.splitlines()]
    for event in out:
        assert event["version"] == 1 and event["job"] >= 1
        missing = set(FIELDS[event["event"]].split()) - event.keys()
        assert not missing, event
    return out


def test_progress_in_json(tarn, server, small_tree, tmp_path):
    data = small_tree.bytes("pax", "lz4")
    url = server.add("/a.tar.lz4", data, rules=[{"times": 1, "status": 503}])
    res = tarn("get", url, "-C", tmp_path / "o", "--progress=json", "-v",
               *RETRY).expect(0)
    told = events(res.err)
    kinds = [e["event"] for e in told]
    assert set(kinds) >= {"start", "retry", "entry", "done"}
    assert kinds[-1] == "done" and kinds.count("done") == 1
    done = told[-1]
    assert done["exit"] == 0
    assert done["wire_bytes"] == len(data)
    assert done["retries"] >= 1
    assert done["files"] >= 25
    assert 0 <= done["seconds"] < 60
    assert done["error"] is None and done["memory_peak"] <= 96 << 20
    start = told[kinds.index("start")]
    assert start["wire_total"] == len(data)
    assert start["compression"] in ("lz4", None)
    names = [e["path"] for e in told if e["event"] == "entry"]
    assert any(n.endswith("modes/4755") for n in names)


def test_progress_in_json_of_a_failure(tarn, server):
    url = server.add("/a", DATA, rules=[{"status": 404}])
    res = tarn("get", url, "-O", "--raw", "--progress=json").expect(2)
    done = [e for e in events(res.err) if e["event"] == "done"]
    assert len(done) == 1 and done[0]["exit"] == 2
    assert done[0]["error"] == "TARN_ENOTFOUND"
    assert done[0]["http_status"] == 404 and "404" in done[0]["text"]


def test_progress_goes_to_another_descriptor(tarn, server):
    url = server.add("/a", DATA)
    reader, writer = os.pipe()
    proc = program.start("get", url, "-O", "--raw", "--progress=json",
                         "--progress-fd=%d" % writer, pass_fds=[writer])
    os.close(writer)
    res = program.finish(proc).expect(0)
    with os.fdopen(reader, "rb") as pipe:
        told = events(pipe.read().decode())
    assert told[-1]["event"] == "done" and res.out == DATA
    assert "{" not in res.err


def test_a_progress_descriptor_nobody_reads_stops_nothing(tarn, server,
                                                          small_tree,
                                                          tmp_path):
    url = server.add("/a", DATA)
    reader, writer = os.pipe()
    os.close(reader)
    proc = program.start("get", url, "-O", "--raw", "--progress=json",
                         "--progress-fd=%d" % writer, pass_fds=[writer])
    os.close(writer)
    assert program.finish(proc).expect(0).out == DATA


def test_names_in_json_are_valid_json_whatever_their_bytes(tarn, server,
                                                           small_tree,
                                                           tmp_path):
    url = server.add("/a.tar", small_tree.bytes())
    res = tarn("get", url, "-C", tmp_path / "o", "--progress=json",
               "-v").expect(0)
    names = [base64.b64decode(e["path_b64"]) if "path_b64" in e
             else e["path"].encode()
             for e in events(res.err) if e["event"] == "entry"]
    assert len(names) > 40
    for name in tree.ODD_NAMES:
        assert any(n.endswith(b"odd/" + name) for n in names), name


@pytest.mark.needs("zstd")
def test_progress_lines_come_once_a_second(tarn, server):
    url = server.add("/a", DATA, rules=[{"rate": 250_000}])
    digest = "sha256:" + hashlib.sha256(DATA).hexdigest()
    res = tarn("get", url, "-O", "--raw", "--progress=json",
               "--connections=1", "--digest", digest).expect(0)
    told = events(res.err)
    seen = [e["wire_bytes"] for e in told if e["event"] == "progress"]
    assert 1 <= len(seen) <= 6 and seen == sorted(seen)
    assert told[-1]["digest"] == digest
    assert told[-1]["seconds"] > 1


def test_no_progress_is_silent(tarn, server):
    url = server.add("/a", DATA)
    res = tarn("get", url, "-O", "--raw", "--progress=none").expect(0)
    assert res.out == DATA


def test_an_entry_that_fails_is_named_and_the_code_is_1(tarn, server,
                                                        tmp_path):
    (tmp_path / "src/a").mkdir(parents=True)
    (tmp_path / "src/a/inside").write_text("x")
    (tmp_path / "src/b").write_text("y")
    data = tree.pack(tmp_path / "src")
    (tmp_path / "o").mkdir()
    (tmp_path / "o/b").mkdir()
    (tmp_path / "o/b/full").write_text("z")
    url = server.add("/a.tar", data)
    res = tarn("get", url, "-C", tmp_path / "o", *QUICK).expect(1)
    assert "b" in res.err
    assert (tmp_path / "o/a/inside").read_text() == "x"
    assert (tmp_path / "o/b/full").read_text() == "z"
