"""The command line: usage, help, several URLs, schemes, exit codes, and the
messages that say what was met."""
import os

import time

import pytest

from faulty_server import pattern
import program
from program import QUICK, RETRY
import tree

DATA = pattern(300_000)


# ---- usage ----

USAGE = {
    "nothing": [],
    "unknown_command": ["frobnicate"],
    "no_url": ["get"],
    "unknown_option": ["get", "--frobnicate", "http://127.0.0.1:1/a"],
    "unknown_letter": ["get", "-Z", "http://127.0.0.1:1/a"],
    "missing_value": ["get", "http://127.0.0.1:1/a", "-C"],
    "not_a_size": ["get", "--memory=lots", "http://127.0.0.1:1/a"],
    "not_a_count": ["get", "--connections=-1", "http://127.0.0.1:1/a"],
    "too_many_connections": ["get", "--connections=257",
                             "http://127.0.0.1:1/a"],
    "not_a_time": ["get", "--retry-wait=soon", "http://127.0.0.1:1/a"],
    "not_a_compression": ["get", "--compression=rar", "http://127.0.0.1:1/a"],
    "not_a_progress": ["get", "--progress=dance", "http://127.0.0.1:1/a"],
    "not_a_digest": ["get", "--digest=md5:00", "http://127.0.0.1:1/a"],
    "short_digest": ["get", "--digest=sha256:00", "http://127.0.0.1:1/a"],
    "not_a_status": ["get", "--exit-status-codes=7", "http://127.0.0.1:1/a"],
    "value_for_a_flag": ["get", "--insecure=yes", "http://127.0.0.1:1/a"],
    "ambiguous_prefix": ["get", "--m=1", "http://127.0.0.1:1/a"],
    "two_targets": ["get", "-O", "-C", "x", "http://127.0.0.1:1/a"],
    "two_targets_with_a_file": ["get", "-O", "-o", "x",
                                "http://127.0.0.1:1/a"],
    "one_file_for_two_urls": ["get", "-o", "x", "http://127.0.0.1:1/a",
                              "http://127.0.0.1:1/b"],
    "other_scheme": ["get", "ftp://127.0.0.1:1/a"],
    "empty_url": ["get", ""],
}


@pytest.mark.parametrize("name", USAGE)
def test_wrong_use_is_64_and_asks_nobody(tarn, tmp_path, name):
    res = tarn(*USAGE[name], cwd=tmp_path).expect(64)
    assert res.out == b"" and res.err.strip()
    assert os.listdir(tmp_path) == []


def test_an_unknown_option_is_named(tarn):
    assert "frobnicate" in tarn("get", "--frobnicate", "u").expect(64).err


def test_a_forgotten_command_is_answered_with_the_one_meant(tarn):
    res = tarn("http://127.0.0.1:1/a.tar").expect(64)
    assert "tarn get" in res.err


def test_tars_letters_are_answered_with_the_command_meant(tarn):
    res = tarn("-xf", "a.tar").expect(64)
    assert "extract" in res.err


def test_version_names_the_libraries(tarn):
    res = tarn("--version").expect(0)
    text = res.out.decode()
    assert "tarn 0." in text and res.err == ""
    for name in ("curl", "uv", "lz4", "zlib"):
        assert name in text.lower()


def test_help_is_on_stdout(tarn):
    assert b"get" in tarn("--help").expect(0).out
    short = tarn("get", "--help").expect(0)
    long = tarn("get", "--help=all").expect(0)
    assert short.err == long.err == ""
    assert b"--directory" in short.out and b"--retry-count" not in short.out
    assert len(long.out) > len(short.out)


FASTAR = """download-workers chunk-size to-stdout write-workers
strip-components compression retry-count retry-wait max-wait min-speed
min-speed-wait connection-timeout ignore-node-files overwrite headers
use-fips-endpoint disable-http2 use-get-for-size exit-status-codes""".split()


def test_help_all_has_every_name_of_fastars(tarn):
    text = tarn("get", "--help=all").expect(0).out.decode()
    assert [n for n in FASTAR if "--" + n not in text] == []


def test_fastars_options_are_accepted(tarn, server):
    url = server.add("/a", DATA)
    res = tarn("get", url, "-O", "--raw", "--download-workers", "2",
               "--chunk-size", "200", "--write-workers", "8",
               "--retry-count", "3", "--retry-wait", "1", "--max-wait", "10",
               "--min-speed", "1K", "--min-speed-wait", "5",
               "--connection-timeout", "60", "--ignore-node-files",
               "--overwrite", "-H", "A:b", "--use-fips-endpoint",
               "--disable-http2", "--use-get-for-size")
    assert res.expect(0).out == DATA


def test_long_options_can_be_shortened_and_take_both_forms(tarn, server):
    url = server.add("/a", DATA)
    for args in (["--to-std", "--raw"], ["--raw", "-O", "--connections", "2"],
                 ["--raw", "-O", "--download-w=2"], ["-O", "--raw", "--", ]):
        assert tarn("get", *args, url).expect(0).out == DATA


def test_options_may_stand_behind_the_url(tarn, server):
    url = server.add("/a", DATA)
    assert tarn("get", url, "--raw", "-O").expect(0).out == DATA
    # Behind -- it is a URL, not an option.
    res = tarn("get", "-O", "--raw", "--retry-count=0", "--", url, "--raw")
    assert "https://--raw" in res.expect(113).err


@pytest.mark.parametrize("size", ("1M", "1Mi", "64K", "64Ki", "1G", "1"))
def test_sizes_take_units(tarn, server, size):
    url = server.add("/a", DATA)
    res = tarn("get", url, "-O", "--raw", "--chunk-size", size)
    assert res.expect(0).out == DATA


def test_a_bare_chunk_size_is_in_megabytes(tarn, server):
    data = pattern(2_500_000)
    url = server.add("/a", data)
    assert tarn("get", url, "-O", "--raw", "--chunk-size=1").expect(0).out == \
        data
    lengths = [e["end"] + 1 - e["start"] for e in server.requests()]
    assert max(lengths) <= 1_000_000 and len(lengths) >= 3


@pytest.mark.needs("zstd")
def test_a_small_memory_budget_is_enough(tarn, server, small_tree, tmp_path):
    for coder in ("none", "gz", "lz4", "zst", "xz", "bz2"):
        url = server.add("/" + coder, small_tree.bytes("pax", coder))
        target = tmp_path / coder
        tarn("get", url, "-C", target, "--memory=2Mi", *RETRY).expect(0)
        assert tree.differences(small_tree.expected(), target) == []


# ---- URLs ----

def test_no_scheme_means_https_and_is_said(tarn):
    res = tarn("get", "127.0.0.1:1/a", "-O", "--raw", *QUICK,
               "--retry-count=0").expect(113)
    assert "https" in res.err


def test_a_file_url(tarn, tmp_path, small_tree):
    (tmp_path / "a b.tar.gz").write_bytes(small_tree.bytes("pax", "gz"))
    url = "file://%s/a%%20b.tar.gz" % tmp_path
    tarn("get", url, "-C", tmp_path / "o").expect(0)
    assert tree.differences(small_tree.expected(), tmp_path / "o") == []
    tarn("get", "file://%s/none" % tmp_path, "-O", "--raw").expect((2, 66))


def test_several_urls_are_several_jobs_in_order(tarn, server, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).write_text(name)
    urls = [server.add("/%s.tar" % n, tree.pack(tmp_path / n))
            for n in ("one", "two")]
    tarn("get", *urls, "-C", tmp_path / "o").expect(0)
    assert sorted(os.listdir(tmp_path / "o")) == ["one", "two"]
    assert [e["path"] for e in server.requests()] == ["/one.tar", "/two.tar"]


def test_of_several_urls_the_first_error_gives_the_code(tarn, server,
                                                        tmp_path):
    good = server.add("/good", DATA)
    gone = server.add("/gone", rules=[{"status": 404}])
    shut = server.add("/shut", rules=[{"status": 403}])
    tarn("get", good, gone, shut, "-o", "%s/" % tmp_path, *RETRY).expect(2)
    tarn("get", shut, gone, good, "-o", "%s/" % tmp_path, *RETRY).expect(13)
    assert (tmp_path / "good").read_bytes() == DATA


@pytest.mark.parametrize("codes", ("500", "418,500", "500,503"))
def test_listed_statuses_end_the_job_at_once(tarn, server, codes):
    url = server.add("/a", DATA, rules=[{"status": 500}])
    tarn("get", url, "-O", "--raw", *RETRY, "--exit-status-codes",
         codes).expect(5)
    assert len(server.requests()) == 1


def test_a_listed_throttling_status_keeps_its_code(tarn, server):
    url = server.add("/a", DATA, rules=[{"status": 503}])
    tarn("get", url, "-O", "--raw", *RETRY,
         "--exit-status-codes=503").expect(16)
    assert len(server.requests()) == 1


def test_secrets_of_a_url_are_not_shown(tarn, server):
    server.add("/a", DATA, rules=[{"status": 403}])
    url = "http://me:HIDDENPW@127.0.0.1:%d/a?sig=HIDDENSIG" % server.port
    for args in ([], ["-v"], ["--progress=json"], ["--trace=all"]):
        res = tarn("get", url, "-O", "--raw", *RETRY, *args).expect(13)
        assert "HIDDEN" not in res.err


# ---- what is not an archive ----

HTML = b"<!DOCTYPE html>\n<html><body>Log in</body></html>\n"


@pytest.mark.parametrize("body, kind, words", (
    (HTML, "text/html", ("an HTML page", "text/html", "200", "login")),
    (b"PK\x03\x04" + bytes(2000), "application/zip", ("zip", "-o")),
    (os.urandom(5000), "application/octet-stream", ("archive",))))
def test_what_is_not_an_archive_is_named(tarn, server, tmp_path, body, kind,
                                         words):
    url = server.add("/a.tar.gz", body, content_type=kind)
    res = tarn("get", url, "-C", tmp_path / "o", *RETRY).expect(65)
    for word in words:
        assert word in res.err
    assert list(tmp_path.glob("o/*")) == []


def test_an_error_has_no_final_period_and_names_the_url(tarn, server):
    url = server.add("/a", rules=[{"status": 404}])
    res = tarn("get", url, "-O", "--raw").expect(2)
    lines = res.err.strip().splitlines()
    assert len(lines) <= 3 and "/a" in res.err and "404" in res.err
    assert not lines[0].endswith(".")


# ---- where it goes ----

def test_the_default_target_is_here_and_is_made_when_named(
        tarn, server, small_tree, tmp_path):
    url = server.add("/a.tar.lz4", small_tree.bytes("pax", "lz4"))
    (tmp_path / "here").mkdir()
    tarn("get", url, cwd=tmp_path / "here").expect(0)
    assert tree.differences(small_tree.expected(), tmp_path / "here") == []
    tarn("get", url, "-C", tmp_path / "a/b/c").expect(0)
    assert tree.differences(small_tree.expected(), tmp_path / "a/b/c") == []


def test_a_target_that_cannot_be_made_is_66(tarn, server, small_tree,
                                            tmp_path):
    (tmp_path / "file").write_text("")
    url = server.add("/a.tar", small_tree.bytes())
    tarn("get", url, "-C", tmp_path / "file/below", *RETRY).expect(66)
    tarn("get", url, "-C", tmp_path / "file", *RETRY).expect(66)
    tarn("get", url, "-o", tmp_path / "none/file", *RETRY).expect(66)


# ---- fastar's own scripts ----

def test_as_fastars_min_speed_script(tarn, server):
    data = pattern(1_000_000)
    url = server.add("/foo", data, rules=[{"rate": 100_000}])
    tarn("get", url, "-O", "--raw", "--min-speed", "4096M", *QUICK,
         "--retry-count=1").expect(5)


def test_as_fastars_not_found_script(tarn, server):
    tarn("get", server.url("/not-there"), "-O").expect(2)


def test_as_fastars_throttled_script(tarn, server):
    url = server.add("/foo", DATA, rules=[{"status": 503}])
    tarn("get", url, "-O", *RETRY).expect(16)


def test_as_fastars_e2e_script(tarn, server, small_tree, tmp_path):
    url = server.add("/image.tar.lz4", small_tree.bytes("gnu", "lz4"))
    tarn("get", url, cwd=tmp_path).expect(0)
    assert tree.differences(small_tree.expected("gnu"), tmp_path) == []


def test_proxy_variables_of_the_environment_do_not_hurt(tarn, server):
    url = server.add("/a", DATA)
    env = program.environment(no_proxy="*", http_proxy="http://127.0.0.1:1")
    assert tarn("get", url, "-O", "--raw", env=env).expect(0).out == DATA


@pytest.mark.parametrize("channel", ("curl", "transfer", "decode", "state",
                                     "tree", "disk"))
def test_each_trace_channel_says_something_and_nothing_else(
        tarn, server, small_tree, tmp_path, channel):
    url = server.add("/a.tar.gz", small_tree.bytes("pax", "gz"))
    res = tarn("get", url, "-C", tmp_path / "o", "--trace=" + channel,
               "--progress=none", "--memory=2Mi", *RETRY).expect(0)
    lines = [line for line in res.err.splitlines() if line]
    assert lines and all((" %s: " % channel) in line for line in lines)


def test_the_memory_channel_tells_of_a_budget_that_refuses(server):
    url = server.add("/a", pattern(20_000_000))
    proc = program.start("get", url, "-O", "--raw", "--trace=memory",
                         "--memory=2Mi", *RETRY)
    time.sleep(1)  # nobody reads: the pipe and then the budget are full
    res = program.finish(proc).expect(0)
    assert " memory: input: " in res.err
