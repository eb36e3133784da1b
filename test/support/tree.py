"""Builds trees of odd files, packs them with GNU tar, compares two trees.

    build(root, n_files=2000, n_bytes=30_000_000)
    packed = Packed(root)
    packed.bytes("pax", "lz4")       # the archive
    differences(a, b)                # [] when both trees are the same
"""
import hashlib
import os
import random
import stat
import subprocess

CODERS = {"none": None, "gz": ["gzip", "-1"], "lz4": ["lz4", "-1", "-q"],
          "zst": ["zstd", "-1", "-q"], "xz": ["xz", "-0"],
          "bz2": ["bzip2", "-1"]}
FORMATS = ("ustar", "gnu", "pax")
ODD_NAMES = [b"with space", b"tab\there", b"new\nline", b"-dash",
             "\u00fcn\u00efc\u00f6de-\u6f22\u5b57".encode(), b"latin1-\xe9\xff",
             b"back\\slash", b"star*?[x]", b"...", b"trailing.", b"\x01\x7f"]


def build(root, n_files=200, n_bytes=2_000_000, seed=1):
    """Makes `root` and fills it, the same for the same arguments."""
    top = os.fsencode(str(root))
    os.makedirs(top)
    rnd = random.Random(seed)
    pool = _pool(rnd)
    dirs = _directories(top, rnd, max(3, n_files // 40))
    n_large = max(1, n_files // 400)
    small = n_bytes // 2 // max(1, n_files)
    for i in range(n_files):
        if i < n_large:
            size = n_bytes // 2 // n_large
        else:
            size = rnd.choice((0, 1, 511, 512, 513, rnd.randint(0, 2 * small)))
        path = os.path.join(rnd.choice(dirs), b"file-%06d" % i)
        _file(path, pool, rnd, size)
    _specials(top, pool, rnd)
    _times(top, rnd)


def _pool(rnd):
    """A megabyte, half of it hard to compress."""
    words = [rnd.randbytes(rnd.randint(2, 9)) for _ in range(300)]
    text = b"".join(rnd.choice(words) for _ in range(60_000))
    return rnd.randbytes(500_000) + text


def _directories(top, rnd, count):
    dirs = [top]
    for i in range(count):
        parent = rnd.choice(dirs)
        if len(parent) - len(top) > 80:
            parent = top
        path = os.path.join(parent, b"dir-%d" % i)
        os.mkdir(path)
        dirs.append(path)
    return dirs


def _file(path, pool, rnd, size):
    with open(path, "wb") as out:
        while size > 0:
            at = rnd.randrange(len(pool) - 1000)
            part = pool[at:at + min(size, len(pool) - at)]
            out.write(part)
            size -= len(part)
    if os.geteuid() == 0 and rnd.random() < 0.2:
        os.chown(path, rnd.randint(20000, 60000), rnd.randint(20000, 60000))
    os.chmod(path, rnd.choice((0o644, 0o600, 0o755, 0o444, 0o000 if
                               os.geteuid() == 0 else 0o400)))


def _specials(top, pool, rnd):
    odd = os.path.join(top, b"odd")
    os.mkdir(odd)
    for name in ODD_NAMES:
        _file(os.path.join(odd, name), pool, rnd, 100)
    links = os.path.join(top, b"links")
    os.mkdir(links)
    for i, target in enumerate((b"../odd/-dash", b"missing", b"/etc/hostname",
                                b"..", b"x" * 90)):
        os.symlink(target, os.path.join(links, b"sym-%d" % i))
    first = os.path.join(links, b"hard-0")
    _file(first, pool, rnd, 70_000)
    for i in range(1, 4):
        os.link(first, os.path.join(links, b"hard-%d" % i))
    os.link(os.path.join(links, b"sym-1"), os.path.join(links, b"sym-hard"),
            follow_symlinks=False)
    modes = os.path.join(top, b"modes")
    os.mkdir(modes)
    for bits in (0o4755, 0o2755, 0o1755, 0o7777):
        path = os.path.join(modes, b"%o" % bits)
        _file(path, pool, rnd, 10)
        os.chmod(path, bits)
    for bits in (0o555, 0o700, 0o1777, 0o2775):
        path = os.path.join(modes, b"d%o" % bits)
        os.mkdir(path)
        _file(os.path.join(path, b"inside"), pool, rnd, 10)
        os.chmod(path, bits)
    os.mkdir(os.path.join(top, b"empty-dir"))
    os.mkfifo(os.path.join(top, b"fifo"))
    _file(os.path.join(top, b"n" * 100), pool, rnd, 10)


def add_long_names(root):
    """Names that only the gnu and pax formats hold."""
    deep = os.path.join(os.fsencode(str(root)), b"long")
    os.mkdir(deep)
    for i in range(4):
        deep = os.path.join(deep, (b"%d-" % i) + b"d" * 120)
        os.mkdir(deep)
    with open(os.path.join(deep, b"f" * 255), "wb") as out:
        out.write(b"long")
    os.symlink(b"t" * 300, os.path.join(deep, b"long-link"))


def _times(top, rnd):
    for here, dirs, files in os.walk(top, topdown=False):
        for name in files + dirs:
            stamp = rnd.randint(10 ** 9, 17 * 10 ** 8) * 10 ** 9
            stamp += rnd.choice((0, 1, 999_999_999, rnd.randrange(10 ** 9)))
            os.utime(os.path.join(here, name), ns=(stamp, stamp),
                     follow_symlinks=False)
    os.utime(top, ns=(1_600_000_000_123_456_789,) * 2)


def picture(root):
    """Every path below `root` with all that an archive restores."""
    top = os.fsencode(str(root))
    out, inodes = {}, {}
    for here, dirs, files in os.walk(top):
        names = [b""] if here == top else []
        for name in names + dirs + files:
            path = os.path.join(here, name) if name else here
            st = os.lstat(path)
            rel = os.path.relpath(path, top)
            body = None
            if stat.S_ISREG(st.st_mode):
                with open(path, "rb") as src:
                    body = hashlib.sha1(src.read()).hexdigest()
            elif stat.S_ISLNK(st.st_mode):
                body = os.readlink(path)
            if not stat.S_ISDIR(st.st_mode):
                inodes.setdefault((st.st_dev, st.st_ino), []).append(rel)
            out[rel] = {"mode": oct(st.st_mode), "uid": st.st_uid,
                        "gid": st.st_gid, "mtime": st.st_mtime_ns,
                        "body": body}
            if stat.S_ISREG(st.st_mode):
                out[rel]["size"] = st.st_size
            elif stat.S_ISCHR(st.st_mode) or stat.S_ISBLK(st.st_mode):
                out[rel]["device"] = st.st_rdev
    for group in inodes.values():
        for rel in group:
            out[rel]["links"] = sorted(group)
    return out


def differences(a, b):
    """Sentences on how tree or picture `b` differs from `a`."""
    a = a if isinstance(a, dict) else picture(a)
    b = b if isinstance(b, dict) else picture(b)
    out = ["missing: %r" % p for p in sorted(a.keys() - b.keys())]
    out += ["too much: %r" % p for p in sorted(b.keys() - a.keys())]
    for path in sorted(a.keys() & b.keys()):
        for key, value in a[path].items():
            if b[path].get(key) != value:
                out.append("%r: %s is %r, not %r" % (
                    path, key, b[path].get(key), value))
    return out[:20]


def pack(root, fmt="pax", coder="none"):
    """The bytes of an archive of `root`, made by GNU tar and the coder."""
    argv = ["tar", "--format=" + fmt, "--sort=name", "-C", str(root), "-cf",
            "-", "."]
    if fmt == "pax":
        argv.insert(1, "--pax-option=delete=atime,delete=ctime")
    made = subprocess.run(argv, check=True, stdout=subprocess.PIPE).stdout
    return encode(made, coder)


def encode(data, coder):
    if CODERS[coder] is None:
        return data
    argv = CODERS[coder] + ["-c"]
    return subprocess.run(argv, input=data, check=True,
                          stdout=subprocess.PIPE).stdout


def gnu_extract(data, target):
    os.makedirs(target)
    subprocess.run(["tar", "-C", str(target), "-xf", "-"], input=data,
                   check=True)


class Packed:
    """A tree and its archives, each made once. `target` holds what GNU tar
    restores from each format."""

    def __init__(self, root):
        self.root = root
        self._archives = {}
        self._pictures = {}

    def bytes(self, fmt="pax", coder="none"):
        if (fmt, "none") not in self._archives:
            self._archives[fmt, "none"] = pack(self.root, fmt)
        if (fmt, coder) not in self._archives:
            plain = self._archives[fmt, "none"]
            self._archives[fmt, coder] = encode(plain, coder)
        return self._archives[fmt, coder]

    def expected(self, fmt="pax"):
        """Picture of what GNU tar makes of the archive."""
        if fmt not in self._pictures:
            target = str(self.root) + "-by-gnu-" + fmt
            gnu_extract(self.bytes(fmt), target)
            self._pictures[fmt] = picture(target)
        return self._pictures[fmt]
