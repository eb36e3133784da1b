"""T7, T9, T11, T12: how many connections, who waits for whom; faults below a
decoder and below a file."""
import subprocess
import time

import pytest

from faulty_server import pattern
import program
from program import QUICK, RETRY
import tree

DATA = pattern(3_000_000)
CHUNK = "--chunk-size=256Ki"


def most_at_once(log):
    """How many replies were under way at the same time. The server notes the
    end of one a little after the client has it all."""
    moves = sorted([(e["time"], 1) for e in log] +
                   [(max(e["time"], e["end_time"] - 0.03), -1) for e in log])
    now = most = 0
    for _, step in moves:
        now += step
        most = max(most, now)
    return most


@pytest.mark.parametrize("count", (1, 3, 6))
def test_the_number_of_connections_is_the_one_given(tarn, server, count):
    url = server.add("/a", DATA, rules=[{"rate": 600_000}])
    res = tarn("get", url, "-O", "--raw", CHUNK, "--connections=%d" % count)
    assert res.expect(0).out == DATA
    assert most_at_once(server.requests()) == count


def test_without_a_number_there_are_several_connections(tarn, server):
    url = server.add("/a", DATA, rules=[{"rate": 400_000}])
    res = tarn("get", url, "-O", "--raw", CHUNK).expect(0)
    assert res.out == DATA
    assert most_at_once(server.requests()) >= 4


def test_one_slow_range_does_not_fail_a_job_that_moves(tarn, server):
    url = server.add("/a", DATA, rules=[
        {"skip": 1, "times": 1, "rate": 60_000}])
    res = tarn("get", url, "-O", "--raw", CHUNK, "--connections=4", *QUICK,
               "--retry-count=0", "--min-speed=1K").expect(0)
    assert res.out == DATA


def test_a_drop_while_the_reader_sleeps_is_no_failure(server):
    data = pattern(30_000_000)
    url = server.add("/a", data, rules=[
        {"ranges": "ignore", "times": 1, "send_timeout": 1},
        {"ranges": "ignore"}])
    proc = program.start("get", url, "-O", "--raw", "--memory=4Mi", *QUICK,
                         "--retry-count=0")
    first = proc.stdout.read(1000)
    time.sleep(3)
    res = program.finish(proc).expect(0)
    assert first + res.out == data
    assert server.requests()[0]["ending"] == "send timeout"


FAULTS = {
    "reset": [{"skip": 1, "times": 3, "reset_after": 5000}],
    "early_close": [{"times": 3, "close_after": 9000}],
    "stall": [{"skip": 1, "times": 1, "stall_after": 3000}],
    "short": [{"short": 10_001}],
    "throttled": [{"times": 3, "status": 503}],
    "wrong_range": [{"skip": 1, "times": 2, "content_range": "start"}],
    "conditions": [{"conditions": "refuse"}],
    "no_ranges": [{"ranges": "ignore", "times": 1, "reset_after": 90_000},
                  {"ranges": "ignore"}],
    "status_500": [{"skip": 2, "times": 1, "status": 500}],
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_decoder_sees_nothing_of_a_fault(tarn, server, small_tree, tmp_path,
                                           name):
    url = server.add("/a.tar.lz4", small_tree.bytes("pax", "lz4"),
                     rules=FAULTS[name])
    tarn("get", url, "-C", tmp_path / "o", "--chunk-size=32Ki",
         *RETRY).expect(0)
    assert tree.differences(small_tree.expected(), tmp_path / "o") == []


@pytest.mark.parametrize("name", FAULTS)
def test_a_file_sees_nothing_of_a_fault(tarn, server, tmp_path, name):
    url = server.add("/a", DATA, rules=FAULTS[name])
    tarn("get", url, "-o", tmp_path / "f", "--chunk-size=128Ki",
         *RETRY).expect(0)
    assert (tmp_path / "f").read_bytes() == DATA


def test_a_reset_is_never_reported_as_a_damaged_archive(tarn, server,
                                                        small_tree, tmp_path):
    url = server.add("/a.tar.gz", small_tree.bytes("pax", "gz"), rules=[
        {"from": 1, "drop": "reset"}, {"close_after": 50_000}])
    res = tarn("get", url, "-C", tmp_path / "o", *RETRY).expect(5)
    assert "damaged" not in res.err and "truncated" not in res.err


def test_standard_output_may_be_a_slow_pipe(server):
    url = server.add("/a", DATA)
    slow = subprocess.Popen(["sh", "-c", "sleep 1; cksum"],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    proc = program.start("get", url, "-O", "--raw", stdout=slow.stdin)
    slow.stdin.close()
    program.finish(proc).expect(0)
    want = subprocess.run(["cksum"], input=DATA, stdout=subprocess.PIPE)
    assert slow.stdout.read() == want.stdout and slow.wait() == 0
    slow.stdout.close()


def test_a_connection_is_judged_over_its_ranges_not_one_by_one(tarn, server):
    """Each range ends well within the window, and is far too slow."""
    url = server.add("/a", pattern(60_000), rules=[{"rate": 2000}])
    res = tarn("get", url, "-O", "--raw", "--chunk-size=1000", *QUICK,
               "--connections=1", "--retry-count=1", "--min-speed=20K")
    assert "slower than" in res.expect(5).err
