#!/usr/bin/env python3
"""Makes a tree like a container image's file system: the same tree for the
same seed and sizes.

    workload.py DIR --files 10000 --bytes 300000000 --seed 1
"""
import argparse
import os
import random
import sys

# Shares of the files, and the sizes they have relative to each other: many
# small texts and scripts, modules, libraries, a few large binaries.
SIZES = ((0.04, 0, 0), (0.30, 100, 2_000), (0.36, 2_000, 12_000),
         (0.21, 12_000, 60_000), (0.08, 60_000, 300_000),
         (0.01, 300_000, 6_000_000))
TOPS = ("usr/bin", "usr/lib", "usr/lib/python3/dist-packages", "usr/share/doc",
        "usr/share/locale", "usr/include", "etc", "opt/app/node_modules",
        "opt/app/static", "var/lib/dpkg/info")
ENDS = (".so", ".py", ".js", ".txt", ".h", ".json", "", ".gz", ".mo", ".png")


def size(text):
    """A number of bytes, as 300M or 1.5G."""
    scale = {"K": 10 ** 3, "M": 10 ** 6, "G": 10 ** 9}.get(text[-1:].upper())
    return int(float(text[:-1]) * scale) if scale else int(text)


def _pool(rnd):
    """Eight megabytes of which lz4 leaves about the half: runs of text made
    of few words between runs of noise, as code and data alternate."""
    words = [rnd.randbytes(rnd.randint(3, 11)) for _ in range(600)]
    parts, total = [], 0
    while total < 8_000_000:
        text = b"".join(rnd.choices(words, k=rnd.randint(300, 1500)))
        noise = rnd.randbytes(rnd.randint(100, 1500))
        parts += [text, noise]
        total += len(text) + len(noise)
    return b"".join(parts)


def _sizes(rnd, n_files, n_bytes):
    shares = [s[0] for s in SIZES]
    raw = [rnd.randint(*s[1:]) for s in rnd.choices(SIZES, shares, k=n_files)]
    scale = n_bytes / max(1, sum(raw))
    return [int(n * scale) for n in raw]


def _directories(root, rnd, count):
    dirs = [os.path.join(root, top) for top in TOPS]
    while len(dirs) < count:
        parent = rnd.choice(dirs)
        if parent.count("/") - root.count("/") > 8:
            continue
        dirs.append("%s/%s-%d" % (parent, rnd.choice(
            ("lib", "core", "test", "data", "locale", "util")), len(dirs)))
    for path in dirs:
        os.makedirs(path, 0o755, exist_ok=True)
    return dirs


def _write(path, pool, at, n):
    with open(path, "wb", 0) as out:
        while n > 0:
            part = memoryview(pool)[at:at + n]
            n -= out.write(part)
            at = 0


def make(root, n_files, n_bytes, seed=1):
    """Makes `root`, which must not exist: regular files, and a symbolic and a
    hard link for every 60 and 200 of them."""
    os.umask(0o022)
    root = os.path.abspath(root)
    os.makedirs(root)
    rnd = random.Random(seed)
    pool = _pool(rnd)
    dirs = _directories(root, rnd, max(len(TOPS), n_files // 12))
    paths = []
    for i, n in enumerate(_sizes(rnd, n_files, n_bytes)):
        path = "%s/f%06d%s" % (rnd.choice(dirs), i, rnd.choice(ENDS))
        _write(path, pool, rnd.randrange(len(pool)), n)
        os.chmod(path, rnd.choices((0o644, 0o755, 0o600), (80, 18, 2))[0])
        paths.append(path)
        if i % 60 == 59:
            os.symlink(os.path.basename(path), path + ".link")
        if i % 200 == 199:
            os.link(rnd.choice(paths), path + ".same")
    # Names behind each other backwards: children before their directory, the
    # same order on every file system.
    for path in sorted((os.path.join(here, name)
                        for here, names, files in os.walk(root)
                        for name in names + files), reverse=True):
        stamp = rnd.randrange(1_500_000_000, 1_700_000_000)
        os.utime(path, (stamp, stamp), follow_symlinks=False)
    os.utime(root, (1_700_000_000, 1_700_000_000))


def main():
    cmd = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    cmd.add_argument("dir")
    cmd.add_argument("--files", type=int, default=10_000)
    cmd.add_argument("--bytes", type=size, default=300_000_000)
    cmd.add_argument("--seed", type=int, default=1)
    args = cmd.parse_args()
    if os.path.exists(args.dir):
        sys.exit(args.dir + " exists")
    make(args.dir, args.files, args.bytes, args.seed)


if __name__ == "__main__":
    main()
