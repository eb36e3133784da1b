"""Sizes around the chunk, all numbers of connections: the bytes are exactly
the object's and each was asked for once."""
import random

import pytest

from faulty_server import pattern
from program import RETRY

CHUNK = 65_536
SIZES = (0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 7 * CHUNK + 13)


def check(tarn, server, size, chunk, connections, rules=()):
    data = pattern(size, seed=size)
    path = "/%d-%d-%d" % (size, chunk, connections)
    url = server.add(path, data, rules=rules)
    res = tarn("get", url, "-O", "--raw",
               "--chunk-size=%dKi" % (chunk // 1024),
               "--connections=%d" % connections, *RETRY).expect(0)
    assert res.out == data
    return server.requests(path)


def asked_once(log, size):
    """Each byte lies in the asked range of exactly one answered request."""
    ranges = sorted((e["start"], min(e["end"] + 1, size)) for e in log)
    at = 0
    for start, end in ranges:
        assert start == at and (end > start or size == 0), ranges
        at = end
    assert at == size


@pytest.mark.parametrize("connections", range(1, 6))
@pytest.mark.parametrize("size", SIZES)
def test_bytes_are_exact_and_asked_for_once(tarn, server, size, connections):
    log = check(tarn, server, size, CHUNK, connections)
    asked_once(log, size)
    assert max(e["end"] + 1 - e["start"] for e in log) <= CHUNK
    assert len({e["conn"] for e in log}) <= connections


@pytest.mark.parametrize("seed", range(12))
def test_random_sizes_and_chunks(tarn, server, seed):
    rnd = random.Random(seed)
    chunk = rnd.randint(4, 300) * 1024
    size = rnd.choice((rnd.randint(0, 2_000_000), chunk * rnd.randint(1, 6),
                       chunk * rnd.randint(1, 6) + rnd.choice((-1, 1))))
    log = check(tarn, server, size, chunk, rnd.randint(1, 5))
    asked_once(log, size)


@pytest.mark.parametrize("seed", range(12))
def test_random_faults_leave_no_wrong_byte(tarn, server, seed):
    rnd = random.Random(1000 + seed)
    chunk = rnd.randint(16, 200) * 1024
    size = rnd.randint(1, 1_500_000)
    rules = []
    for _ in range(rnd.randint(1, 4)):
        fault = rnd.choice(("reset_after", "close_after", "short", "status",
                            "drop", "content_range", "write_size", "delay"))
        value = {"status": rnd.choice((429, 500, 503)), "drop": "close",
                 "short": rnd.randint(1, chunk), "content_range": "start",
                 "write_size": 1000, "delay": 0.1}.get(
                     fault, rnd.randint(0, chunk))
        rules.append({"skip": rnd.randint(0, 6), "times": rnd.randint(1, 2),
                      fault: value})
    check(tarn, server, size, chunk, rnd.randint(1, 5), rules)


@pytest.mark.parametrize("size", (0, 1, 1_048_575, 1_048_576, 1_048_577,
                                  4_194_303, 4_194_304, 4_194_305))
def test_sizes_around_a_megabyte_and_four(tarn, server, size):
    data = pattern(size)
    url = server.add("/source", data)
    res = tarn("get", url, "--raw", "-O", "--chunk-size", "1",
               "--download-workers", "4", *RETRY).expect(0)
    assert res.out == data
