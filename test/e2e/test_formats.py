"""C1, A1, D3: trees packed by GNU tar in each format and compression come
out as GNU tar restores them; -O gives what the decoder gives; --raw the file.
"""
import io
import os
import shutil
import subprocess
import tarfile
import time

import pytest

import program
from program import RETRY
import tree

MEMORY_LIMIT = 128 << 20


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """Two trees: the larger for gnu and pax, one with short names for ustar."""
    top = tmp_path_factory.mktemp("formats")
    n_files, n_bytes = 2000, 30_000_000
    if program.SANITIZED:
        n_files, n_bytes = 800, 12_000_000
    tree.build(top / "short", n_files, n_bytes)
    tree.build(top / "long", n_files, n_bytes, seed=2)
    tree.add_long_names(top / "long")
    short, long = tree.Packed(top / "short"), tree.Packed(top / "long")
    yield {"ustar": short, "gnu": long, "pax": long}
    shutil.rmtree(top, ignore_errors=True)


@pytest.mark.parametrize("coder", tree.CODERS)
@pytest.mark.parametrize("fmt", tree.FORMATS)
def test_a_tree_comes_out_as_gnu_tar_restores_it(tarn, server, packed,
                                                 tmp_path, fmt, coder):
    url = server.add("/x", packed[fmt].bytes(fmt, coder))
    tarn("get", url, "-C", tmp_path / "out", *RETRY).expect(0)
    assert tree.differences(packed[fmt].expected(fmt), tmp_path / "out") == []


@pytest.mark.parametrize("coder", tree.CODERS)
def test_decoded_and_raw_bytes(tarn, server, packed, coder):
    data = packed["pax"].bytes("pax", coder)
    url = server.add("/x", data)
    res = tarn("get", url, "-O", *RETRY).expect(0)
    assert res.out == packed["pax"].bytes("pax")
    assert tarn("get", url, "-O", "--raw", *RETRY).expect(0).out == data


@pytest.mark.parametrize("coder, option", (
    ("none", "tar"), ("gz", "gzip"), ("lz4", "lz4"), ("zst", "zstd"),
    ("xz", "xz"), ("bz2", "bzip2")))
def test_compression_by_name_and_by_flag(tarn, server, small_tree, tmp_path,
                                         coder, option):
    data = small_tree.bytes("pax", coder)
    suffix = ".tar" if coder == "none" else ".tar." + coder
    for i, (name, args) in enumerate((
            ("/rand" + suffix, []), ("/randTAR", []),
            ("/rand" + suffix, ["--compression", option]),
            ("/randTAR", ["--compression", option]))):
        target = tmp_path / str(i)
        url = server.add(name, data)
        tarn("get", url, "-C", target, *args, *RETRY).expect(0)
        assert tree.differences(small_tree.expected(), target) == []


def test_the_wrong_compression_is_refused(tarn, server, small_tree, tmp_path):
    url = server.add("/a.tar.gz", small_tree.bytes("pax", "gz"))
    tarn("get", url, "-C", tmp_path / "o", "--compression=lz4",
         *RETRY).expect(65)


@pytest.mark.needs("zstd")
def test_the_first_bytes_count_and_not_the_name(tarn, server, small_tree):
    url = server.add("/a.tar.gz", small_tree.bytes("pax", "zst"))
    res = tarn("get", url, "-O", *RETRY).expect(0)
    assert res.out == small_tree.bytes("pax")


@pytest.mark.parametrize("coder", ("gz", "lz4", "zst", "xz", "bz2"))
def test_members_and_frames_in_a_row_are_one_stream(tarn, server, small_tree,
                                                    coder):
    plain = small_tree.bytes("pax")
    third = len(plain) // 3
    data = b"".join(tree.encode(part, coder) for part in (
        plain[:third], b"", plain[third:]))
    url = server.add("/x", data + bytes(1000))
    assert tarn("get", url, "-O", *RETRY).expect(0).out == plain
    url = server.add("/y", data + b"rubbish behind the end")
    tarn("get", url, "-O", *RETRY).expect(65)


@pytest.mark.parametrize("coder", ("gz", "lz4", "zst", "xz", "bz2"))
def test_damage_and_truncation_are_refused(tarn, server, small_tree, tmp_path,
                                           coder):
    data = small_tree.bytes("pax", coder)
    flipped = bytearray(data)
    # In lz4 a changed distance can point at equal bytes: not every flipped bit
    # is damage there, but the content checksum behind the data always counts.
    flipped[-2 if coder == "lz4" else len(data) * 2 // 3] ^= 0x10
    cases = {"flip": bytes(flipped), "half": data[:len(data) // 2],
             "short": data[:-1], "start": data[:3]}
    for name, bad in cases.items():
        url = server.add("/" + name, bad)
        res = tarn("get", url, "-C", tmp_path / name, *RETRY).expect(65)
        assert res.err.strip(), name


def test_a_tar_that_ends_early_keeps_no_partial_file(tarn, server, tmp_path):
    root = tmp_path / "src"
    root.mkdir()
    (root / "a").write_bytes(b"a" * 1000)
    (root / "b").write_bytes(os.urandom(2_000_000))
    data = tree.pack(root)
    url = server.add("/x.tar", data[:1_000_000])
    tarn("get", url, "-C", tmp_path / "out", *RETRY).expect(65)
    assert (tmp_path / "out/a").read_bytes() == b"a" * 1000
    assert not (tmp_path / "out/b").exists()


def test_a_tar_without_end_blocks_is_accepted_where_the_length_is_proven(
        tarn, server, tmp_path, small_tree):
    data = small_tree.bytes("ustar").rstrip(b"\0")
    data += bytes(-len(data) % 512)
    url = server.add("/proven", data)
    res = tarn("get", url, "-C", tmp_path / "a", *RETRY).expect(0)
    assert res.err.strip()
    assert tree.differences(small_tree.expected("ustar"), tmp_path / "a") == []
    url = server.add("/unproven", data, rules=[
        {"ranges": "ignore", "framing": "close"}])
    tarn("get", url, "-C", tmp_path / "b", *RETRY).expect(65)


def test_concatenated_archives_need_ignore_zeros(tarn, server, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).write_text(name)
    url = server.add("/x.tar", tree.pack(tmp_path / "one") +
                     tree.pack(tmp_path / "two"))
    tarn("get", url, "-C", tmp_path / "a", *RETRY).expect(0)
    assert os.listdir(tmp_path / "a") == ["one"]
    tarn("get", url, "-C", tmp_path / "b", "--ignore-zeros",
         *RETRY).expect(0)
    assert sorted(os.listdir(tmp_path / "b")) == ["one", "two"]


# ---- existing trees, limits and names ----

def test_a_second_run_replaces_what_the_first_made(tarn, server, small_tree,
                                                   tmp_path):
    url = server.add("/x", small_tree.bytes("pax", "lz4"))
    for args in ([], ["--overwrite"]):
        tarn("get", url, "-C", tmp_path / "o", *args, *RETRY).expect(0)
        assert tree.differences(small_tree.expected(), tmp_path / "o") == []


def test_strip_components(tarn, server, tmp_path):
    (tmp_path / "src/a/b").mkdir(parents=True)
    (tmp_path / "src/a/b/f").write_text("f")
    data = subprocess.run(["tar", "-C", tmp_path / "src", "-cf", "-", "a"],
                          check=True, stdout=subprocess.PIPE).stdout
    url = server.add("/x.tar", data)
    tarn("get", url, "-C", tmp_path / "o", "--strip-components=1",
         *RETRY).expect(0)
    assert (tmp_path / "o/b/f").read_text() == "f"
    assert os.listdir(tmp_path / "o") == ["b"]


def test_node_files_can_be_ignored(tarn, server, small_tree, tmp_path):
    url = server.add("/x", small_tree.bytes("pax"))
    tarn("get", url, "-C", tmp_path / "o", "--ignore-node-files",
         *RETRY).expect(0)
    want = dict(small_tree.expected())
    del want[b"fifo"]
    assert tree.differences(want, tmp_path / "o") == []


@pytest.mark.parametrize("option", ("--max-size=10K", "--max-files=5"))
@pytest.mark.needs("zstd")
def test_limits_end_the_job(tarn, server, small_tree, tmp_path, option):
    url = server.add("/x", small_tree.bytes("pax", "zst"))
    tarn("get", url, "-C", tmp_path / "o", option, *RETRY).expect(65)


def test_a_ratio_limit_ends_a_bomb(tarn, server, tmp_path):
    root = tmp_path / "src"
    root.mkdir()
    with open(root / "zeros", "wb") as out:
        out.truncate(50_000_000)
    url = server.add("/x", tree.pack(root, coder="gz"))
    tarn("get", url, "-C", tmp_path / "o", "--max-ratio=20",
         *RETRY).expect(65)


def test_nothing_is_written_outside_the_target(tarn, server, tmp_path):
    import io
    import tarfile
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        def add(name, kind=tarfile.REGTYPE, link="", body=b"x"):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, link
            info.size = len(body) if kind == tarfile.REGTYPE else 0
            tar.addfile(info, io.BytesIO(body) if info.size else None)
        add("../escaped")
        add("a/../../escaped")
        add("out", tarfile.SYMTYPE, "..")
        add("out/escaped")
        add("hard", tarfile.LNKTYPE, "../victim")
        add("good")
    (tmp_path / "victim").write_text("v")
    url = server.add("/x.tar", raw.getvalue())
    res = tarn("get", url, "-C", tmp_path / "o", *RETRY).expect(1)
    assert not (tmp_path / "escaped").exists()
    assert (tmp_path / "victim").stat().st_nlink == 1
    assert (tmp_path / "o/good").read_text() == "x"
    assert "escaped" in res.err


# ---- memory ----

def within_memory(res):
    if not program.SANITIZED:
        assert res.maxrss <= MEMORY_LIMIT, "%d MiB" % (res.maxrss >> 20)


def test_a_slow_reader_stops_the_sockets(tarn, server):
    data = os.urandom(300_000_000 if not program.SANITIZED else 150_000_000)
    url = server.add("/x", data)
    proc = program.start("get", url, "-O", "--raw", "--min-speed-wait=1",
                         "--retry-count=1")
    until = time.monotonic() + 4
    read = 0
    while time.monotonic() < until:
        part = proc.stdout.read(100_000)
        assert part == data[read:read + len(part)]
        read += len(part)
        time.sleep(0.1)
    sent = sum(e["sent"] for e in server.log)
    assert sent < read + (128 << 20)
    res = program.finish(proc).expect(0)
    assert res.out == data[read:]
    within_memory(res)


@pytest.fixture(scope="module")
def deep_tree(tmp_path_factory):
    top = tmp_path_factory.mktemp("deep") / "tree"
    tree.build(top, n_files=30_000, n_bytes=1_000_000_000, seed=3)
    tree.add_long_names(top)
    yield top
    shutil.rmtree(top, ignore_errors=True)


@pytest.mark.deep
@pytest.mark.parametrize("coder", ("none", "gz", "lz4", "zst", "xz", "bz2"))
def test_deep_large_tree(tarn, nginx, deep_tree, tmp_path, coder):
    nginx.put("deep", tree.pack(deep_tree, "pax", coder))
    res = tarn("get", nginx.url("deep"), "-C", tmp_path / "o", timeout=600)
    within_memory(res.expect(0))
    assert tree.differences(deep_tree, tmp_path / "o") == []
    (nginx.root / "deep").unlink()


@pytest.mark.deep
@pytest.mark.parametrize("coder", ("gz", "lz4", "zst"))
def test_deep_a_large_member_of_zeros(nginx, tmp_path, coder):
    size = 8 << 30
    (tmp_path / "src").mkdir()
    with open(tmp_path / "src/zeros", "wb") as out:
        out.truncate(size)
    with open(nginx.root / "zeros", "wb") as out:
        tar = subprocess.Popen(["tar", "-C", tmp_path / "src", "-cf", "-",
                                "zeros"], stdout=subprocess.PIPE)
        subprocess.run(tree.CODERS[coder] + ["-c"], stdin=tar.stdout,
                       stdout=out, check=True)
        tar.stdout.close()
        assert tar.wait() == 0
    counter = subprocess.Popen(["wc", "-c"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)
    proc = program.start("get", nginx.url("zeros"), "-O",
                         stdout=counter.stdin)
    counter.stdin.close()
    within_memory(program.finish(proc, timeout=600).expect(0))
    assert int(counter.stdout.read()) >= size
    assert counter.wait() == 0
    counter.stdout.close()


@pytest.mark.deep
def test_deep_stdout_read_at_a_megabyte_a_second(nginx):
    data = os.urandom(60_000_000)
    nginx.put("slowly", data)
    proc = program.start("get", nginx.url("slowly"), "-O", "--raw")
    got = []
    for _ in range(30):
        got.append(proc.stdout.read(1_000_000))
        time.sleep(1)
    res = program.finish(proc, timeout=120).expect(0)
    assert b"".join(got) + res.out == data
    within_memory(res)
