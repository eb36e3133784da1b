"""T1 to T7 and T9: a server that misbehaves. Each fault has one expected
outcome: recovered with the right bytes, or refused without one wrong byte. The
server's log proves what was asked for."""
import gzip
import hashlib

import pytest

from faulty_server import pattern
from program import QUICK, RETRY
import tree

DATA = pattern(3_000_000)
CHUNK = "--chunk-size=256Ki"
LATER = {"from": 1}  # any range but the first
STAMPS = ("Mon, 02 Nov 2020 10:00:00 GMT", "Tue, 03 Nov 2020 10:00:00 GMT")


def get_raw(tarn, url, *args, connections=4):
    return tarn("get", url, "-O", "--raw", CHUNK,
                "--connections=%d" % connections, *RETRY, *args)


def tiles(log, size):
    """Asserts that the bodies sent in ranges cover every byte once."""
    parts = sorted((e["start"] or 0, e["sent"]) for e in log
                   if e["status"] in (200, 206) and e["sent"])
    at = 0
    for start, sent in parts:
        assert start == at, "a gap or an overlap at %d: %s" % (at, parts)
        at += sent
    assert at == size


# name: (rules, options of the resource)
RECOVERED = {
    "nothing_wrong": ([], {}),
    "ranges_ignored": ([{"ranges": "ignore"}], {}),
    "accept_ranges_absent": ([{"ranges": "silent"}], {}),
    "head_refused": ([{"methods": ["HEAD"], "status": 405}], {}),
    "short_206": ([{"short": 100_000}], {}),
    "short_206_of_one_byte_once": ([{"times": 2, "short": 1}], {}),
    "content_range_absent_on_the_first": (
        [{"times": 1, "content_range": "missing"}], {}),
    "wrong_start_once": ([{"times": 1, "content_range": "start", **LATER}],
                         {}),
    "wrong_total_once": ([{"times": 1, "content_range": "total", **LATER}],
                         {}),
    "content_range_absent_once": (
        [{"times": 1, "content_range": "missing", **LATER}], {}),
    "content_range_is_rubbish_once": (
        [{"times": 1, "content_range": "bytes 7-x/y", **LATER}], {}),
    "status_500_once": ([{"times": 1, "status": 500}], {}),
    "status_502_on_a_later_range": ([{"times": 1, "status": 502, **LATER}],
                                    {}),
    "status_408_once": ([{"times": 1, "status": 408}], {}),
    "reset_in_the_first_range": ([{"times": 1, "reset_after": 70_000}], {}),
    "reset_in_mid_range": ([{"skip": 1, "times": 2, "reset_after": 50_000}],
                           {}),
    "early_close": ([{"skip": 1, "times": 2, "close_after": 50_000}], {}),
    "close_behind_the_header": ([{"times": 1, "close_after": 0}], {}),
    "close_without_a_reply": ([{"times": 2, "drop": "close"}], {}),
    "reset_without_a_reply": ([{"times": 2, "drop": "reset"}], {}),
    "stalled_body": ([{"times": 1, "stall_after": 10_000}], {}),
    "stalled_body_of_a_later_range": (
        [{"times": 1, "stall_after": 10_000, **LATER}], {}),
    "stalled_header": ([{"times": 1, "stall_header": 20}], {}),
    "no_reply_at_all": ([{"times": 1, "stall_header": True, **LATER}], {}),
    "throttled_by_503_three_times": ([{"times": 3, "status": 503}], {}),
    "throttled_by_429_three_times": ([{"times": 3, "status": 429}], {}),
    "conditions_mishandled": ([{"conditions": "refuse"}], {}),
    "conditions_ignored": ([{"conditions": "ignore"}], {}),
    "weak_tag": ([], {"etag": 'W/"w"'}),
    "weak_tags_that_differ": ([{"etag": 'W/"x"', **LATER}],
                              {"etag": 'W/"w"'}),
    "no_tag": ([], {"etag": None}),
    "only_a_date": ([], {"etag": None, "last_modified": STAMPS[0]}),
    "the_tag_counts_and_not_the_date": (
        [{"last_modified": STAMPS[1], **LATER}],
        {"last_modified": STAMPS[0]}),
    "tag_absent_in_later_replies": ([{"etag": None, **LATER}], {}),
    "closes_after_each_reply": ([{"close": True}], {}),
    "closes_after_each_reply_without_a_word": ([{"close": "silent"}], {}),
    "long_headers": ([{"long_header": 20_000}], {}),
    "early_hints_before_the_reply": ([{"early": [100, 103, 103]}], {}),
    "small_writes": ([{"write_size": 1461}], {}),
    "slow_but_steady": ([{"rate": 2_000_000}], {}),
    "chunked_ranges": ([{"framing": "chunked"}], {}),
    "chunked_without_ranges": (
        [{"ranges": "ignore", "framing": "chunked"}], {}),
    "ranges_that_end_with_the_connection": ([{"framing": "close"}], {}),
}


@pytest.mark.parametrize("connections", (1, 4))
@pytest.mark.parametrize("name", RECOVERED)
def test_recovered(tarn, server, name, connections):
    rules, options = RECOVERED[name]
    url = server.add("/obj", DATA, rules=rules, **options)
    res = get_raw(tarn, url, connections=connections).expect(0)
    assert res.out == DATA
    first = server.requests()[0]
    assert first["method"] == "GET" and first["start"] == 0
    assert first["headers"].get("accept-encoding") == "identity"


@pytest.mark.parametrize("size", (1, 5000))
def test_one_byte_writes_are_put_together(tarn, server, size):
    url = server.add("/obj", DATA[:size], rules=[{"write_size": 1}])
    assert get_raw(tarn, url).expect(0).out == DATA[:size]


# name: (exit code, rules, options)
REFUSED = {
    "wrong_start_for_ever": (5, [{"content_range": "start", **LATER}], {}),
    "wrong_start_from_the_first": (5, [{"content_range": "start"}], {}),
    "wrong_total_for_ever": (5, [{"content_range": "total", **LATER}], {}),
    "content_range_absent_for_ever": (
        5, [{"content_range": "missing", **LATER}], {}),
    "tag_changed": (65, [{"etag": '"v2"', "data_xor": 255, "conditions":
                          "ignore", **LATER}], {}),
    "tag_changed_answered_by_412": (
        65, [{"etag": '"v2"', "data_xor": 255, **LATER}], {}),
    "date_changed_and_no_tag": (
        65, [{"last_modified": STAMPS[1], "data_xor": 255, **LATER}],
        {"etag": None, "last_modified": STAMPS[0]}),
    "total_changed_and_no_validator": (
        (5, 65), [{"size_lie": 5, "data_xor": 255, **LATER}],
        {"etag": None}),
    "ranges_gone_and_object_changed": (
        (5, 65), [{"ranges": "ignore", "etag": '"v2"', "data_xor": 255,
                   "conditions": "ignore", **LATER}], {}),
    "throttled_by_503_for_ever": (16, [{"status": 503}], {}),
    "throttled_by_429_for_ever": (16, [{"status": 429, **LATER}], {}),
    "not_found": (2, [{"status": 404}], {}),
    "gone": (2, [{"status": 410}], {}),
    "not_found_in_a_later_range": (2, [{"status": 404, **LATER}], {}),
    "unauthorized": (13, [{"status": 401}], {}),
    "forbidden": (13, [{"status": 403}], {}),
    "teapot": (5, [{"status": 418}], {}),
    "status_500_for_ever": (5, [{"status": 500}], {}),
    "bad_request_for_a_later_range": (5, [{"status": 400, **LATER}], {}),
    "reset_for_ever": (5, [{"reset_after": 0, **LATER}], {}),
    "early_close_for_ever": (5, [{"close_after": 0, **LATER}], {}),
    "chunked_without_its_end": (
        5, [{"ranges": "ignore", "framing": "chunked-cut"}], {}),
    "not_http": (5, [{"headers": {"Content-Length": "x"}}], {}),
    "no_length_and_raw": (
        65, [{"ranges": "ignore", "framing": "close"}], {}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_without_a_wrong_byte(tarn, server, tmp_path, name):
    code, rules, options = REFUSED[name]
    url = server.add("/obj", DATA, rules=rules, **options)
    res = get_raw(tarn, url).expect(code)
    assert DATA.startswith(res.out)
    assert res.err.strip()
    # The rules that count have done so: serve the same to a file.
    url = server.add("/again", DATA, rules=rules, **options)
    target = tmp_path / "file"
    tarn("get", url, "-o", target, CHUNK, *RETRY).expect(code)
    assert not target.exists()


@pytest.mark.parametrize("status", (404, 410))
def test_not_found_is_not_asked_for_again(tarn, server, status):
    url = server.add("/obj", DATA, rules=[{"status": status}])
    get_raw(tarn, url).expect(2)
    assert len(server.requests()) == 1


def test_without_faults_every_byte_is_asked_for_once(tarn, server):
    url = server.add("/obj", DATA)
    get_raw(tarn, url).expect(0)
    log = server.requests()
    assert len(log) >= len(DATA) // (256 * 1024)
    tiles(log, len(DATA))
    assert all(e["status"] == 206 for e in log)


def test_ranges_ignored_is_one_stream_without_a_restart(tarn, server):
    url = server.add("/obj", DATA, rules=[{"ranges": "ignore"}])
    get_raw(tarn, url).expect(0)
    assert len(server.requests()) == 1


@pytest.mark.parametrize("fault", ("reset_after", "close_after"))
@pytest.mark.parametrize("kept", (0, 1, 12_345, 200_000))
def test_a_retry_asks_for_the_exact_next_byte(tarn, server, fault, kept):
    url = server.add("/obj", DATA, rules=[{"skip": 1, "times": 1,
                                           fault: kept}])
    assert get_raw(tarn, url, connections=1).expect(0).out == DATA
    log = server.requests()
    tiles(log, len(DATA))
    failed = log[1]
    assert failed["sent"] == kept
    assert log[2]["start"] == failed["start"] + kept
    assert log[2]["conn"] != failed["conn"]


@pytest.mark.parametrize("rule", (
    {"status": 503}, {"status": 500}, {"content_range": "start"}))
def test_a_retry_uses_a_fresh_connection(tarn, server, rule):
    url = server.add("/obj", DATA, rules=[dict(rule, skip=1, times=1)])
    assert get_raw(tarn, url, connections=1).expect(0).out == DATA
    log = server.requests()
    assert log[2]["start"] == log[1]["start"]
    assert log[2]["conn"] not in (log[0]["conn"], log[1]["conn"])


def test_a_stalled_range_is_asked_for_from_the_next_byte(tarn, server):
    url = server.add("/obj", DATA, rules=[{"skip": 1, "times": 1,
                                           "stall_after": 10_000}])
    res = get_raw(tarn, url, connections=1).expect(0)
    assert res.out == DATA
    log = server.requests()
    assert log[2]["start"] == log[1]["start"] + 10_000
    assert log[2]["time"] - log[1]["time"] < 6


def test_a_silent_server_is_given_up(tarn, server):
    url = server.add("/obj", DATA, rules=[{"stall_after": 10_000}])
    res = tarn("get", url, "-O", "--raw", *QUICK, "--retry-count=2")
    res.expect(5)
    assert DATA.startswith(res.out)
    assert res.seconds < 30


def test_a_trickle_is_too_slow(tarn, server):
    url = server.add("/obj", DATA, rules=[{"rate": 200}])
    res = tarn("get", url, "-O", "--raw", *QUICK, "--retry-count=1",
               "--min-speed=10K").expect(5)
    assert DATA.startswith(res.out)


def test_slow_but_above_the_least_speed_is_left_alone(tarn, server):
    url = server.add("/obj", DATA[:100_000], rules=[{"rate": 40_000}])
    res = tarn("get", url, "-O", "--raw", *RETRY, "--min-speed=1K").expect(0)
    assert res.out == DATA[:100_000]
    tiles(server.requests(), 100_000)


def test_the_number_of_retries_is_the_one_given(tarn, server):
    url = server.add("/obj", DATA, rules=[{"status": 503}])
    for count in (0, 1, 3):
        before = len(server.requests())
        tarn("get", url, "-O", "--raw", *QUICK, "--retry-count=%d" % count,
             "--connections=1").expect(16)
        assert len(server.requests()) - before == count + 1


def test_progress_resets_the_count_of_failures(tarn, server):
    data = pattern(8_000_000)
    url = server.add("/obj", data, rules=[
        {"skip": 0, "close_after": 1_500_000}])
    res = tarn("get", url, "-O", "--raw", "--connections=1", *QUICK,
               "--retry-count=1", "--chunk-size=8")
    assert res.expect(0).out == data


@pytest.mark.parametrize("wait, least", ((1, 0.95), ("date:3", 0.95)))
@pytest.mark.parametrize("status", (429, 503))
def test_retry_after_gates_the_whole_host(tarn, server, wait, least, status):
    url = server.add("/obj", DATA, rules=[
        {"skip": 2, "times": 1, "status": status, "retry_after": wait}])
    assert get_raw(tarn, url).expect(0).out == DATA
    log = server.requests()
    refused = next(e for e in log if e["status"] == status)
    later = [e["time"] - refused["time"] for e in log
             if e["time"] > refused["time"] + 0.3]
    assert later and min(later) >= least


# ---- ranges that the server does not want ----

@pytest.mark.parametrize("status", (400, 405, 416, 501))
def test_a_first_range_that_is_refused_is_asked_for_plainly(tarn, server,
                                                           status):
    url = server.add("/obj", DATA, rules=[{"ranged": True, "status": status}])
    assert get_raw(tarn, url).expect(0).out == DATA
    assert [e["start"] for e in server.requests()] == [0, None]


def test_an_empty_object_answers_416(tarn, server, tmp_path):
    url = server.add("/obj", b"")
    assert get_raw(tarn, url).expect(0).out == b""
    tarn("get", url, "-o", tmp_path / "file", *RETRY).expect(0)
    assert (tmp_path / "file").read_bytes() == b""
    tarn("get", url, "-C", tmp_path / "dir", *RETRY).expect(65)


def test_an_empty_object_answers_200(tarn, server):
    url = server.add("/obj", b"", rules=[{"ranges": "ignore"}])
    assert get_raw(tarn, url).expect(0).out == b""


def test_a_total_of_star_is_read_one_range_after_another(tarn, server,
                                                        small_tree, tmp_path):
    data = small_tree.bytes("pax", "gz")
    url = server.add("/a.tar.gz", data, rules=[{"content_range": "star"}])
    tarn("get", url, "-C", tmp_path / "d", "--chunk-size=64Ki",
         *RETRY).expect(0)
    assert tree.differences(small_tree.expected(), tmp_path / "d") == []
    log = server.requests()
    assert len(log) > 2
    for one, two in zip(log, log[1:]):
        assert two["start"] == one["start"] + one["sent"]
        assert two["time"] >= one["end_time"] - 0.05
    get_raw(tarn, url).expect(65)


# ---- validators ----

def test_a_strong_tag_is_sent_as_if_match(tarn, server):
    url = server.add("/obj", DATA)
    get_raw(tarn, url).expect(0)
    log = server.requests()
    assert log[0]["if_match"] is None
    assert {e["if_match"] for e in log[1:]} == {'"v1"'}
    assert all("if-range" not in e["headers"] for e in log)


def test_a_weak_tag_is_not_sent(tarn, server):
    url = server.add("/obj", DATA, etag='W/"v1"')
    get_raw(tarn, url).expect(0)
    assert {e["if_match"] for e in server.requests()} == {None}


def test_after_a_wrong_412_no_condition_is_sent(tarn, server):
    url = server.add("/obj", DATA, rules=[{"conditions": "refuse"}])
    assert get_raw(tarn, url, connections=1).expect(0).out == DATA
    log = server.requests()
    assert len([e for e in log if e["status"] == 412]) == 1
    assert {e["if_match"] for e in log[2:]} == {None}


def test_a_412_is_asked_again_once_without_the_condition(tarn, server):
    url = server.add("/obj", DATA, rules=[
        {"from": 1, "etag": '"v2"', "data_xor": 255}])
    res = get_raw(tarn, url, connections=1).expect(65)
    assert DATA.startswith(res.out)
    log = server.requests()
    assert [e["status"] for e in log[1:]] == [412, 206]
    assert log[2]["if_match"] is None


def test_ranges_that_vanish_are_never_spliced(tarn, server):
    url = server.add("/obj", DATA, rules=[{"from": 1, "ranges": "ignore"}])
    res = get_raw(tarn, url)
    if res.code == 0:
        assert res.out == DATA
    res.expect((0, 5, 65))
    assert DATA.startswith(res.out)


# ---- no length, no ranges ----

@pytest.mark.parametrize("first", (
    {"framing": "chunked-cut", "close_after": 900_000},
    {"reset_after": 900_000}, {"close_after": 900_000}))
def test_without_ranges_a_retry_drops_the_same_prefix(tarn, server, first):
    url = server.add("/obj", DATA, rules=[
        dict(first, ranges="ignore", times=1), {"ranges": "ignore"}])
    assert get_raw(tarn, url).expect(0).out == DATA


@pytest.mark.parametrize("second, options", (
    ({"data_xor": 255}, {}),
    ({"etag": '"v2"'}, {}),
    ({}, {"etag": None})))
def test_without_ranges_another_prefix_is_refused(tarn, server, second,
                                                 options):
    url = server.add("/obj", DATA, rules=[
        {"ranges": "ignore", "close_after": 2_000_000, "times": 1},
        dict(second, ranges="ignore")], **options)
    res = get_raw(tarn, url).expect((5, 65))
    assert DATA.startswith(res.out)


NO_LENGTH = [{"ranges": "ignore", "framing": "close"}]


@pytest.mark.needs("digests")
def test_raw_bytes_without_a_length_are_unproven(tarn, server):
    url = server.add("/obj", DATA, rules=NO_LENGTH)
    get_raw(tarn, url).expect(65)
    res = get_raw(tarn, url, "--allow-unproven").expect(0)
    assert res.out == DATA
    digest = hashlib.sha256(DATA).hexdigest()
    res = get_raw(tarn, url, "--digest=sha256:" + digest).expect(0)
    assert res.out == DATA


@pytest.mark.parametrize("coder", ("none", "gz", "lz4", "zst", "xz", "bz2"))
def test_the_formats_own_end_proves_a_stream_without_length(
        tarn, server, small_tree, tmp_path, coder):
    data = small_tree.bytes("pax", coder)
    url = server.add("/whole", data, rules=NO_LENGTH)
    tarn("get", url, "-C", tmp_path / "a", *RETRY).expect(0)
    assert tree.differences(small_tree.expected(), tmp_path / "a") == []
    url = server.add("/cut", data[:len(data) * 3 // 4], rules=NO_LENGTH)
    tarn("get", url, "-C", tmp_path / "b", *RETRY).expect(65)


# ---- coded replies ----

def test_a_coded_reply_is_kept_raw_and_peeled_otherwise(tarn, server,
                                                       small_tree, tmp_path):
    data = small_tree.bytes("pax")
    url = server.add("/a.tar", data, rules=[{"coding": "gzip"}])
    coded = gzip.compress(data, 1, mtime=0)
    assert get_raw(tarn, url).expect(0).out == coded
    assert tarn("get", url, "-O", CHUNK, *RETRY).expect(0).out == data
    tarn("get", url, "-C", tmp_path / "d", CHUNK, *RETRY).expect(0)
    assert tree.differences(small_tree.expected(), tmp_path / "d") == []


def test_a_coding_is_peeled_once_and_only_if_the_magic_agrees(
        tarn, server, small_tree):
    plain = small_tree.bytes("pax")
    packed = small_tree.bytes("pax", "gz")
    label = {"headers": {"Content-Encoding": "gzip"}}
    for path, data, rule in (
            ("/twice.tar.gz", packed, {"coding": "gzip"}),
            ("/mislabelled.tar.gz", packed, label),
            ("/lie.tar", plain, label)):
        url = server.add(path, data, rules=[rule])
        res = tarn("get", url, "-O", CHUNK, *RETRY)
        assert res.expect(0).out == plain, path


def test_a_coded_206_is_ranged_on_only_with_a_strong_tag(tarn, server):
    coded = gzip.compress(DATA, 1, mtime=0)
    url = server.add("/strong", DATA, rules=[{"coding": "gzip"}])
    assert get_raw(tarn, url).expect(0).out == coded
    assert len(server.requests("/strong")) > 3
    for path, tag in (("/none", None), ("/weak", 'W/"v1"')):
        url = server.add(path, DATA, etag=tag, rules=[{"coding": "gzip"}])
        assert get_raw(tarn, url).expect(0).out == coded
        log = server.requests(path)
        assert [e["start"] for e in log] == [0, None]
