#!/usr/bin/env python3
"""Runs one example and judges what it did: run_example.py PROGRAM"""
import gzip
import io
import os
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "support"))
from faulty_server import FaultyServer, pattern  # noqa: E402


def make_tar(seed):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for i in range(20):
            info = tarfile.TarInfo("d%d/f%d" % (i % 3, i))
            info.size = i * 10007
            tar.addfile(info, io.BytesIO(pattern(info.size, seed)))
    return gzip.compress(out.getvalue(), 1)


def run_embed_uv(program):
    with FaultyServer() as server, tempfile.TemporaryDirectory() as top:
        args = [program]
        for seed in (1, 2):
            server.add("/%d.tar.gz" % seed, make_tar(seed),
                       rules=[{"times": 1, "reset_after": 50000}])
            args += [server.url("/%d.tar.gz" % seed),
                     os.path.join(top, str(seed))]
        done = subprocess.run(args, capture_output=True, text=True,
                              timeout=60)
        assert done.returncode == 0, done.stderr
        assert done.stdout.count(": done, 20 files") == 2, done.stdout
        for seed in (1, 2):
            for i in range(20):
                name = os.path.join(top, str(seed), "d%d/f%d" % (i % 3, i))
                with open(name, "rb") as got:
                    assert got.read() == pattern(i * 10007, seed), name
        args[1] = server.url("/missing")
        done = subprocess.run(args, capture_output=True, text=True,
                              timeout=60)
        assert done.returncode == 2, (done.returncode, done.stderr)


def run_embed_put(program):
    plain = pattern(9000000, 3)
    packed = gzip.compress(plain, 1)
    done = subprocess.run([program], input=packed, capture_output=True,
                          timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout == plain
    done = subprocess.run([program], input=packed[:-9], capture_output=True,
                          timeout=60)
    assert done.returncode == 65, (done.returncode, done.stderr)


def run_embed_list(program):
    with tempfile.TemporaryDirectory() as top:
        path = os.path.join(top, "x.tar.gz")
        packed = make_tar(1)
        with open(path, "wb") as out:
            out.write(packed)
        done = subprocess.run([program, path], capture_output=True, text=True,
                              timeout=60)
        assert done.returncode == 0, done.stderr
        with tarfile.open(path) as tar:
            wanted = sorted(tar.getmembers(), key=lambda m: -m.size)[:3]
        assert done.stdout.splitlines() == [
            "%d bytes at %d: %s" % (m.size, m.offset, m.name) for m in wanted]
        with open(path, "wb") as out:
            out.write(packed[:-9])
        done = subprocess.run([program, path], capture_output=True, text=True,
                              timeout=60)
        assert done.returncode == 65, (done.returncode, done.stderr)


if __name__ == "__main__":
    globals()["run_" + os.path.basename(sys.argv[1])](sys.argv[1])
