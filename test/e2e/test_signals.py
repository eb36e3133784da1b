"""D8 and SIGUSR1: interrupted, terminated, asked for progress, read no more.
"""
import os
import signal
import subprocess
import time

import pytest

from faulty_server import pattern
import program
from program import RETRY
import tree

DATA = pattern(2_000_000)


def await_bytes(server, count, seconds=20):
    """Returns when the server has sent `count` bytes."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if sum(e["sent"] for e in list(server.log)) >= count:
            return
        time.sleep(0.02)
    raise AssertionError("the server was not asked: %s" % server.log)


@pytest.fixture
def big_archive(tmp_path):
    """A tar of one small and one large file."""
    root = tmp_path / "src"
    root.mkdir()
    (root / "a-small").write_bytes(b"small")
    (root / "b-large").write_bytes(os.urandom(4_000_000))
    return tree.pack(root)


@pytest.mark.parametrize("sig, code", ((signal.SIGINT, 130),
                                       (signal.SIGTERM, 143)))
def test_a_signal_removes_the_unfinished_file(server, big_archive, tmp_path,
                                              sig, code):
    url = server.add("/x.tar", big_archive, rules=[{"stall_after": 1_000_000}])
    proc = program.start("get", url, "-C", tmp_path / "o",
                         "--connections=1", "--min-speed=0")
    await_bytes(server, 1_000_000)
    time.sleep(0.5)
    began = time.monotonic()
    program.send(proc, sig)
    res = program.finish(proc, 30)
    res.expect(code)
    assert time.monotonic() - began < 5
    assert not (tmp_path / "o/b-large").exists()
    left = [f for f in os.listdir(tmp_path / "o") if f != "a-small"]
    assert left == []


@pytest.mark.parametrize("sig, code", ((signal.SIGINT, 130),
                                       (signal.SIGTERM, 143)))
def test_a_signal_leaves_no_file_under_the_final_name(server, tmp_path, sig,
                                                      code):
    url = server.add("/x", DATA, rules=[{"stall_after": 200_000}])
    proc = program.start("get", url, "-o", tmp_path / "file",
                         "--min-speed=0")
    await_bytes(server, 200_000)
    time.sleep(0.3)
    program.send(proc, sig)
    program.finish(proc, 30).expect(code)
    assert not (tmp_path / "file").exists()


def test_a_signal_while_waiting_for_a_retry_ends_at_once(server):
    url = server.add("/x", DATA, rules=[{"status": 503, "retry_after": 60}])
    proc = program.start("get", url, "-O", "--raw")
    until = time.monotonic() + 20
    while not server.log and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.5)
    program.send(proc, signal.SIGINT)
    assert program.finish(proc, 30).expect(130).seconds < 20


def test_a_second_signal_ends_as_well(server):
    url = server.add("/x", DATA, rules=[{"stall_after": 1000}])
    proc = program.start("get", url, "-O", "--raw", "--min-speed=0")
    await_bytes(server, 1000)
    time.sleep(0.2)
    program.send(proc, signal.SIGINT)
    program.send(proc, signal.SIGINT)
    res = program.finish(proc, 30)
    assert res.code in (130, -signal.SIGINT)


def test_sigusr1_prints_progress_at_once(server):
    url = server.add("/x", DATA, rules=[{"rate": 1_000_000}])
    proc = program.start("get", url, "-O", "--raw", "--progress=plain",
                         stdout=subprocess.DEVNULL)
    await_bytes(server, 200_000)
    program.send(proc, signal.SIGUSR1)
    time.sleep(0.3)
    program.send(proc, signal.SIGUSR1)
    noisy = program.finish(proc).expect(0)
    quiet = program.run("get", url, "-O", "--raw", "--progress=plain",
                        stdout=subprocess.DEVNULL).expect(0)
    assert len(noisy.err.splitlines()) >= len(quiet.err.splitlines()) + 2


def test_a_stopped_process_does_not_count_as_slow(server):
    url = server.add("/x", DATA[:400_000], rules=[{"rate": 200_000}])
    proc = program.start("get", url, "-O", "--raw", *RETRY,
                         "--retry-count=0", "--min-speed=10K")
    await_bytes(server, 50_000)
    program.send(proc, signal.SIGSTOP)
    time.sleep(3)
    program.send(proc, signal.SIGCONT)
    assert program.finish(proc).expect(0).out == DATA[:400_000]


# ---- stdout that closes ----

@pytest.mark.parametrize("args", ([], ["--raw"]))
def test_a_closed_stdout_is_141_and_silent(server, small_tree, args):
    data = pattern(30_000_000) if args else small_tree.bytes()
    rules = [] if args else [{"rate": 200_000}]
    url = server.add("/x", data, rules=rules)
    proc = program.start("get", url, "-O", *args)
    proc.stdout.read(1000)
    proc.stdout.close()
    proc.stdout = None
    res = program.finish(proc).expect(141)
    assert res.err == ""


def test_head_gets_its_line_and_the_pipe_ends(server):
    url = server.add("/x", b"line\n" * 4_000_000)
    head = subprocess.Popen(["head", "-n1"], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE)
    proc = program.start("get", url, "-O", "--raw", stdout=head.stdin)
    head.stdin.close()
    res = program.finish(proc).expect(141)
    assert head.stdout.read() == b"line\n" and head.wait() == 0
    head.stdout.close()
    assert res.err == ""


def test_a_full_disk_is_28_and_leaves_no_partial_file(server, big_archive,
                                                      tmp_path):
    mounted = tmp_path / "small"
    mounted.mkdir()
    inner = ('mount -t tmpfs -o size=1m none "$1" && shift && '
             '"$@"; code=$?; ls -A "%s/o" 2>/dev/null | tr "\\n" " "; '
             'exit $code' % mounted)
    probe = subprocess.run(
        ["unshare", "-Urm", "sh", "-c", inner, "sh", mounted, "true"],
        stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    if probe.returncode != 0:
        pytest.skip("no mounts in a user namespace here")
    url = server.add("/x.tar", big_archive)
    for args in (["-C", mounted / "o"], ["-o", mounted / "file"]):
        done = subprocess.run(
            ["unshare", "-Urm", "sh", "-c", inner, "sh", mounted,
             program.program(), "get", url, *args],
            env=program.environment(), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=120)
        text = done.stderr.decode()
        assert done.returncode == 28, text
        assert b"b-large" not in done.stdout
        assert "space" in text.lower()


@pytest.mark.parametrize("reader", ("none", "asleep"))
@pytest.mark.parametrize("sig, code", ((signal.SIGINT, 130),
                                       (signal.SIGTERM, 143)))
def test_a_fifo_that_is_not_read_does_not_keep_a_signal_waiting(
        server, tmp_path, reader, sig, code):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    url = server.add("/a", DATA)
    fd = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK) if reader == "asleep" else -1
    proc = program.start("get", url, "-o", fifo, *RETRY)
    await_bytes(server, 1_000_000)
    time.sleep(0.2)
    began = time.monotonic()
    program.send(proc, sig)
    program.finish(proc).expect(code)
    assert time.monotonic() - began < 3
    if fd >= 0:
        os.close(fd)


def test_a_fifo_waits_for_its_reader(server, tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    proc = program.start("get", server.add("/a", DATA), "-o", fifo, *RETRY)
    time.sleep(0.5)
    assert fifo.read_bytes() == DATA
    program.finish(proc).expect(0)
