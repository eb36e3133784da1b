#!/usr/bin/env python3
"""Writes the seeds of fuzz_fa1. The first byte of a seed is what fuzz_fa1.c
says: with 0 every checksum has to be 0.
"""
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "support"))

from fa1 import Archive, MODE_DIR, MODE_SETUID, MODE_SYMLINK, SUM  # noqa


def seeds():
    def empty():
        return Archive()

    def zero(a):
        return a.block(SUM, b"", bytes(8))

    yield "empty", zero(empty())
    yield "whole", zero(empty().dir(b"d").whole(b"d/a", b"some text", size=4))
    a = empty().file(b"a", 0o755 | MODE_SETUID).file(b"b").data(b"a", b"one")
    a.data(b"b", b"two").dir(b"a").data(b"a", b"").end(b"a")
    yield "mixed", zero(zero(a).data(b"b", b"more").end(b"b"))
    a = empty().file(b"l", 0o644 | MODE_SYMLINK).data(b"l", b"x").end(b"l")
    a.file(b"nul\0").data(b"nul\0", b"x").end(b"nul\0").dir(b"")
    yield "refused", zero(a.file(b"d", MODE_DIR).end(b"d"))
    yield "open", zero(empty().file(b"a"))
    yield "twice", empty().file(b"a").file(b"a")
    yield "not_open", empty().data(b"a", b"x")
    yield "end_of_none", empty().end(b"a")
    yield "unknown", empty().block(5, b"a")
    yield "named_sum", empty().block(SUM, b"a", bytes(8))
    rnd = random.Random(1)
    a = empty()
    for i in range(300):
        a.file(b"%d" % rnd.randrange(10 ** 6))
    yield "many", a


def main():
    corpus = HERE / "corpus" / "fuzz_fa1"
    corpus.mkdir(parents=True, exist_ok=True)
    for name, a in seeds():
        data = a.bytes()
        (corpus / name).write_bytes(b"\0" + data)
        (corpus / (name + "_cut")).write_bytes(b"\0" + data[:-3])
    a = Archive().whole(b"a", b"text").sum()
    (corpus / "wrong_sum").write_bytes(b"\1" + a.bytes())


main()
