"""C1 to C5: streams as the usual programs and hostile ones write them."""
import os
import struct
import subprocess

import pytest

import tree

SKIPPABLE = struct.pack("<II", 0x184D2A5C, 300) + bytes(300)
LZ4_OPTIONS = [["-B%d" % size, *mode, *block, *content, *size_known]
               for size in (4, 5, 6, 7) for mode in ([], ["-BD"])
               for block in ([], ["-BX"])
               for content in ([], ["--no-frame-crc"])
               for size_known in ([], ["--content-size"])]


@pytest.fixture
def get(tarn, tmp_path):
    def run(data, *args, name="x"):
        (tmp_path / name).write_bytes(data)
        return tarn("get", "file://%s/%s" % (tmp_path, name), *args)
    return run


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The bytes of a tar: some that compress, some that do not."""
    top = tmp_path_factory.mktemp("codecs")
    (top / "src").mkdir()
    (top / "src/text").write_bytes(b"a line of text\n" * 20000)
    (top / "src/noise").write_bytes(os.urandom(200_000))
    return tree.pack(top / "src")


def piped(data, *argv):
    return subprocess.run(argv, input=data, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True).stdout


def lz4_file(top, data, options):
    """The size is known to the program of a file only."""
    (top / "in").write_bytes(data)
    subprocess.run(["lz4", "-q", "-f", *options, top / "in", top / "out"],
                   check=True)
    return (top / "out").read_bytes()


def test_lz4_frames_of_every_option_are_one_stream(get, plain, tmp_path):
    """All 64, each with a part of the archive, and skippable ones between."""
    step = -(-len(plain) // len(LZ4_OPTIONS))
    parts = [SKIPPABLE]
    for i, options in enumerate(LZ4_OPTIONS):
        parts.append(lz4_file(tmp_path, plain[i * step:(i + 1) * step],
                              options))
        parts.append(SKIPPABLE[:8].replace(b"\x2c\x01", b"\0\0"))
    assert get(b"".join(parts) + bytes(999), "-O").expect(0).out == plain


def test_legacy_lz4_frames_and_others_follow_one_another(get, plain, tmp_path):
    legacy = lz4_file(tmp_path, plain[:300_000], ["-l"])
    frame = lz4_file(tmp_path, plain[300_000:], [])
    data = legacy + frame
    assert get(data, "-O").expect(0).out == plain
    assert get(legacy + SKIPPABLE + frame, "-O").expect(0).out == plain
    get(legacy[:-1], "-O").expect(65)
    get(legacy + b"rubbish", "-O").expect(65)


@pytest.mark.needs("zstd")
@pytest.mark.parametrize("kind", ("lz4", "zstd"))
def test_skippable_frames_alone_are_a_stream_of_nothing(get, kind):
    data = SKIPPABLE + SKIPPABLE
    res = get(data, "-O", "--compression=" + kind).expect(0)
    assert res.out == b""
    get(data[:-1], "-O", "--compression=" + kind).expect(65)
    get(data, "-C", "o").expect(65)


@pytest.mark.needs("zstd")
def test_a_window_above_the_limit_is_refused_before_anything_is_written(
        get, plain, tmp_path):
    target = tmp_path / "o"
    data = piped(plain, "zstd", "-c", "--ultra", "--long=28", "--no-check")
    assert data[5] == (28 - 10) << 3
    res = get(data, "-C", target).expect(69)
    assert "268435456" in res.err and "--memory" in res.err
    assert not target.exists() or os.listdir(target) == []
    assert get(data, "-O").expect(69).out == b""
    assert get(data, "-O", "--memory=256Mi").expect(0).out == plain


@pytest.mark.needs("zstd")
def test_a_window_of_128_mib_needs_no_option(get, plain):
    data = piped(plain, "zstd", "-c", "--ultra", "--long=27")
    assert data[5] == (27 - 10) << 3
    assert get(data, "-O", "--memory=2Mi").expect(0).out == plain


@pytest.mark.needs("xz")
def test_a_large_dictionary_of_xz_needs_memory_too(get, plain, tmp_path):
    target = tmp_path / "o"
    data = piped(plain, "xz", "-c", "--lzma2=preset=0,dict=256MiB")
    res = get(data, "-C", target).expect(69)
    assert "--memory" in res.err
    assert not target.exists() or os.listdir(target) == []
    assert get(data, "-O", "--memory=256Mi").expect(0).out == plain


@pytest.mark.needs("zstd")
def test_a_frame_that_needs_a_dictionary_is_refused(get):
    lz4 = bytearray(piped(b"", "lz4", "-c"))
    lz4[4] |= 1
    zstd = b"\x28\xb5\x2f\xfd\x01\x20\x07\x01\0\0"
    for data in (bytes(lz4) + bytes(4), zstd):
        res = get(data, "-O").expect(69)
        assert "dictionary" in res.err


@pytest.mark.parametrize("coder", ("lzma", "alone"))
def test_lzma_of_the_old_format_is_named(get, plain, tmp_path, coder):
    data = piped(plain, "xz", "-c", "--format=" + coder)
    res = get(data, "-C", tmp_path / "o", name="x.tar.lzma").expect(65)
    assert "lzma data of the old format" in res.err


@pytest.mark.needs("xz")
@pytest.mark.parametrize("check", ("none", "crc32", "crc64", "sha256"))
def test_xz_of_every_check_in_many_blocks_is_read(get, plain, check):
    data = piped(plain, "xz", "-0", "-c", "-T2", "--block-size=50000",
                 "--check=" + check)
    half = len(plain) // 2
    two = b"".join(piped(part, "xz", "-0", "-c", "--check=" + check) + bytes(8)
                   for part in (plain[:half], plain[half:]))
    assert get(data, "-O").expect(0).out == plain
    assert get(two, "-O").expect(0).out == plain
    broken = two.replace(bytes(8) + b"\xfd7zXZ", bytes(7) + b"\xfd7zXZ")
    assert get(broken, "-O").expect(65).err.count("stream 1") == 1


@pytest.mark.parametrize("coder", ("gz", "lz4", "zst", "xz", "bz2"))
def test_an_end_that_is_missing_or_wrong_names_its_offset(get, plain, coder):
    data = tree.encode(plain, coder)
    for cut in (1, 4, 9, len(data) // 2, len(data) - 20):
        res = get(data[:-cut], "-O").expect(65)
        assert "byte %d" % (len(data) - cut) in res.err
    for tail in (b"x", bytes(1000) + b"x", data[:2], data[:-1]):
        res = get(data + tail, "-O").expect(65)
        assert " byte " in res.err
