#!/usr/bin/env python3
"""Writes the seeds of corpus/fuzz_codec with the usual programs.

Usage: seed_codec.py, needs gzip, lz4, zstd, xz and bzip2. The first byte of a
seed is what fuzz_codec.c says: the codec and how the input is cut.
"""
import gzip
import pathlib
import struct
import subprocess
import zlib

NONE, GZIP, LZ4, ZSTD, XZ, BZIP2 = range(6)
TEXT = b"".join(b"line %d of some text\n" % (i * i % 97) for i in range(60))
SKIPPABLE = struct.pack("<II", 0x184D2A53, 5) + b"skip!"


def run(*command):
    return subprocess.run(command, input=TEXT, stdout=subprocess.PIPE,
                          check=True).stdout


def gzip_with_all_fields():
    body = gzip.compress(TEXT, mtime=0)[10:]
    head = b"\x1f\x8b\x08\x1e\0\0\0\0\0\x03"
    head += struct.pack("<H", 4) + b"ab\0\0" + b"name\0" + b"comment\0"
    return head + struct.pack("<H", zlib.crc32(head) & 0xFFFF) + body


def seeds():
    member = run("gzip", "-nc")
    yield "plain", NONE, TEXT[:200]
    yield "gzip", GZIP, member
    yield "gzip_members", GZIP, member + member + bytes(7)
    yield "gzip_fields", GZIP, gzip_with_all_fields()
    frame = run("lz4", "-c")
    yield "lz4", LZ4, frame
    yield "lz4_linked", LZ4, run("lz4", "-BD", "-BX", "-B4", "--content-size")
    yield "lz4_frames", LZ4, SKIPPABLE + frame + SKIPPABLE + frame + bytes(3)
    legacy = run("lz4", "-lc")
    yield "lz4_legacy", LZ4, legacy
    yield "lz4_legacy_then", LZ4, legacy + legacy + frame + SKIPPABLE + legacy
    frame = run("zstd", "-c")
    yield "zstd", ZSTD, frame
    yield "zstd_plain", ZSTD, run("zstd", "-c", "--no-check", "-1")
    yield "zstd_frames", ZSTD, SKIPPABLE + frame + frame + bytes(5)
    yield "zstd_long", ZSTD, run("zstd", "-c", "--long=28")
    stream = run("xz", "-0c")
    yield "xz", XZ, stream
    yield "xz_sha256", XZ, run("xz", "-0c", "--check=sha256")
    yield "xz_bcj", XZ, run("xz", "-c", "--x86", "--lzma2=preset=0")
    yield "xz_streams", XZ, stream + bytes(4) + stream + bytes(6)
    stream = run("bzip2", "-1c")
    yield "bzip2", BZIP2, stream
    yield "bzip2_streams", BZIP2, stream + stream + bytes(2)


def main():
    where = pathlib.Path(__file__).parent / "corpus" / "fuzz_codec"
    where.mkdir(parents=True, exist_ok=True)
    for n, (name, codec, data) in enumerate(seeds()):
        first = codec | (n * 5 % 8) << 3 | (n % 4) << 6
        (where / name).write_bytes(bytes([first]) + data)
        damaged = bytearray(data)
        damaged[len(data) * 2 // 3] ^= 0x55
        (where / (name + "_damaged")).write_bytes(bytes([first]) + damaged)
        (where / (name + "_cut")).write_bytes(
            bytes([first]) + data[:len(data) * 3 // 4])


main()
