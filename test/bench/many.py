#!/usr/bin/env python3
"""Very many names: extracts archives of millions of members from a pipe, checks
what came out, and prints time and peak memory, and how much of it each name
costs.

    TARN=build/release/tarn test/bench/many.py [--dir DIR] [--scale F] [KIND...]

KIND is files (2,000,000 of 100 bytes), dirs (1,000,000) or links (500,000 files
with a hard link each); all by default. The archive is made while it is read
and never stored. Memory is a child's ru_maxrss, at the usual budget. What a name
costs is told by two more runs with a budget of 4 MiB, which both fill it: the
difference of their memory divided by that of their names.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

BLOCK = 512
BODY = b"x" * 100


def header(name, kind, size=0, link=b""):
    fields = (name.ljust(100, b"\0") + b"0000755\0" + b"0000000\0" * 2 +
              b"%011o\0" % size + b"%011o\0" % 1000000000 + b" " * 8 + kind +
              link.ljust(100, b"\0") + b"ustar\x0000")
    block = fields.ljust(BLOCK, b"\0")
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


def files(n):
    body = BODY.ljust(BLOCK, b"\0")
    for i in range(n):
        if i % 1000 == 0:
            yield header(b"d%05d/" % (i // 1000), b"5")
        yield header(b"d%05d/file-%07d" % (i // 1000, i), b"0", len(BODY)) + body


def dirs(n):
    for i in range(n):
        if i % 1000 == 0:
            yield header(b"d%05d/" % (i // 1000), b"5")
        else:
            yield header(b"d%05d/dir-%07d/" % (i // 1000, i), b"5")


def links(n):
    body = BODY.ljust(BLOCK, b"\0")
    for i in range(n):
        if i % 1000 == 0:
            yield header(b"d%05d/" % (i // 1000), b"5")
        name = b"d%05d/file-%07d" % (i // 1000, i)
        yield header(name, b"0", len(BODY)) + body
        yield header(b"d%05d/link-%07d" % (i // 1000, i), b"1", 0, name)


KINDS = {"files": (files, 2000000, 12), "dirs": (dirs, 1000000, 11),
         "links": (links, 500000, 12)}


def feed(pipe, members):
    gathered, size = [], 0
    with pipe:
        for member in members:
            gathered.append(member)
            size += len(member)
            if size > 1 << 20:
                pipe.write(b"".join(gathered))
                gathered, size = [], 0
        pipe.write(b"".join(gathered) + bytes(2 * BLOCK))


def extract(tarn, target, members, memory):
    """Seconds and peak memory of one run."""
    begin = time.monotonic()
    child = subprocess.Popen([tarn, "extract", "-", "-C", target, "--quiet",
                              "--memory=" + memory],
                             stdin=subprocess.PIPE)
    feeder = threading.Thread(target=feed, args=(child.stdin, members))
    feeder.start()
    _, status, usage = os.wait4(child.pid, 0)
    feeder.join()
    if status != 0:
        sys.exit("tarn ended with wait status %d" % status)
    return time.monotonic() - begin, usage.ru_maxrss * 1024


def check(kind, target, n):
    """Counts what is there, and looks at each name's kind and size."""
    found = 0
    for top in os.scandir(target):
        assert top.is_dir(follow_symlinks=False), top.path
        found += kind == "dirs"
        for entry in os.scandir(top.path):
            found += 1
            if kind == "dirs":
                assert entry.is_dir(follow_symlinks=False), entry.path
            elif found % 97 == 0:
                st = entry.stat(follow_symlinks=False)
                assert st.st_size == len(BODY), entry.path
                assert st.st_nlink == 1 + (kind == "links"), entry.path
    wanted = 2 * n if kind == "links" else n
    assert found == wanted, "%d names instead of %d" % (found, wanted)


def run(tarn, base, kind, n, memory):
    target = tempfile.mkdtemp(prefix="many-", dir=base)
    try:
        seconds, peak = extract(tarn, target, KINDS[kind][0](n), memory)
        check(kind, target, n)
    finally:
        shutil.rmtree(target)
    return seconds, peak


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dir", default=None,
                        help="where to extract (default: the temporary one)")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    args = parser.parse_args()
    tarn = os.environ.get("TARN", "build/release/tarn")
    print("%-6s %9s %8s %9s %10s  %s" % ("kind", "members", "seconds",
                                         "peak MiB", "bytes/name", "name"))
    for kind in args.kinds or KINDS:
        n = max(1000, int(KINDS[kind][1] * args.scale))
        seconds, peak = run(tarn, args.dir, kind, n, "96Mi")
        _, few = run(tarn, args.dir, kind, n // 10, "4Mi")
        _, many = run(tarn, args.dir, kind, n, "4Mi")
        each = (many - few) / (n - n // 10)
        print("%-6s %9d %8.1f %9.1f %10.1f  %d" %
              (kind, n, seconds, peak / (1 << 20), each, KINDS[kind][2]),
              flush=True)


if __name__ == "__main__":
    main()
