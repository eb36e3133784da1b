#!/usr/bin/env python3
"""Writes the seeds of the codecs' corpora with the usual programs.

Usage: seed_codec.py, needs gzip, lz4, zstd, xz and bzip2. The first byte of a
seed is what fuzz_codec.c says: how the input is cut.
"""
import gzip
import pathlib
import struct
import subprocess
import zlib

TEXT = b"".join(b"line %d of some text\n" % (i * i % 97) for i in range(60))
NOISE = bytes(n * n * n % 251 for n in range(90))
SKIPPABLE = struct.pack("<II", 0x184D2A53, 5) + b"skip!"


def run(*command, text=TEXT):
    return subprocess.run(command, input=text, stdout=subprocess.PIPE,
                          check=True).stdout


def gzip_with_all_fields():
    body = gzip.compress(TEXT, mtime=0)[10:]
    head = b"\x1f\x8b\x08\x1e\0\0\0\0\0\x03"
    head += struct.pack("<H", 4) + b"ab\0\0" + b"name\0" + b"comment\0"
    return head + struct.pack("<H", zlib.crc32(head) & 0xFFFF) + body


def seeds():
    """The targets' names, the seeds' names and the streams."""
    member = run("gzip", "-nc")
    yield "gzip", "member", member
    yield "gzip", "members", member + member + bytes(7)
    yield "gzip", "fields", gzip_with_all_fields()
    yield "gzip", "stored", gzip.compress(NOISE, 0, mtime=0)
    yield "gzip", "fixed", gzip.compress(b"aaaaaaaaaaaa", mtime=0)
    yield "gzip", "empty", gzip.compress(b"", mtime=0) + member
    frame = run("lz4", "-c")
    bare = run("lz4", "-c", "--no-frame-crc")
    yield "lz4", "frame", frame
    yield "lz4", "bare", bare
    yield "lz4", "linked", run("lz4", "-BD", "-BX", "-B4", "--content-size")
    yield "lz4", "linked_bare", run("lz4", "-BD", "-B7", "--no-frame-crc")
    yield "lz4", "stored", run("lz4", "-c", "--no-frame-crc", text=NOISE)
    yield "lz4", "frames", SKIPPABLE + frame + SKIPPABLE + bare + bytes(3)
    yield "lz4", "empty", run("lz4", "-c", text=b"") + bare
    legacy = run("lz4", "-lc")
    yield "lz4_legacy", "frame", legacy
    yield "lz4_legacy", "then", legacy + legacy + frame + SKIPPABLE + legacy
    yield "lz4_legacy", "blocks", legacy + legacy[4:] + bytes(5)
    yield "lz4_legacy", "empty", legacy[:4] + legacy[:4] + legacy
    frame = run("zstd", "-c")
    yield "zstd", "frame", frame
    yield "zstd", "plain", run("zstd", "-c", "--no-check", "-1")
    yield "zstd", "frames", SKIPPABLE + frame + frame + bytes(5)
    yield "zstd", "long", run("zstd", "-c", "--long=28")
    yield "zstd", "stored", run("zstd", "-c", "--no-check", text=NOISE)
    yield "zstd", "run", run("zstd", "-c", "--no-check", text=bytes(5000))
    stream = run("xz", "-0c")
    yield "xz", "stream", stream
    yield "xz", "none", run("xz", "-0c", "--check=none")
    yield "xz", "crc32", run("xz", "-0c", "--check=crc32")
    yield "xz", "sha256", run("xz", "-0c", "--check=sha256")
    yield "xz", "bcj", run("xz", "-c", "--x86", "--lzma2=preset=0")
    yield "xz", "delta", run("xz", "-c", "--check=none", "--delta=dist=4",
                             "--lzma2=preset=0")
    yield "xz", "blocks", run("xz", "-0c", "--check=none", "--block-size=300")
    yield "xz", "streams", stream + bytes(4) + stream + bytes(8)
    stream = run("bzip2", "-1c")
    yield "bzip2", "stream", stream
    yield "bzip2", "streams", stream + stream + bytes(2)
    yield "bzip2", "empty", run("bzip2", "-c", text=b"") + stream
    yield "bzip2", "run", run("bzip2", "-9c", text=bytes(3000))


def main():
    corpora = pathlib.Path(__file__).parent / "corpus"
    for n, (target, name, data) in enumerate(seeds()):
        where = corpora / ("fuzz_" + target)
        where.mkdir(parents=True, exist_ok=True)
        first = bytes([(n * 5 % 8) << 3 | (n % 4) << 6])
        (where / name).write_bytes(first + data)
        damaged = bytearray(data)
        damaged[len(data) * 2 // 3] ^= 0x55
        (where / (name + "_damaged")).write_bytes(first + damaged)
        (where / (name + "_cut")).write_bytes(first + data[:len(data) * 3 // 4])


main()
