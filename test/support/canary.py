"""A directory to extract into, with a tree beside and above it that must not
change, and the means to run the program there as root or as a user.

    with Arena(user=True) as arena:
        arena.make_before({b"pre": hostile.link(b"x")})
        before = arena.canary()
        res = arena.extract(data, "--max-size=1Mi")
        assert arena.canary() == before
        arena.picture()              # what is in the target
"""
import ctypes
import errno
import os
import shutil
import stat
import struct
import tempfile
import threading

import program

NOBODY = 65534
SYS_OPENAT2 = 437  # on every architecture

# How an archive in a file is extracted. One place to change it.
EXTRACT = "get"


def argv(path, target, *options, way=None):
    if (way or EXTRACT) == "get":
        return ["get", "file://" + os.fsdecode(path), "-C", target, *options]
    return ["extract", path, "-C", target, *options]


def refuse_openat2(number=errno.ENOSYS):
    """For a child before exec: the kernel answers openat2 with an error, as
    old kernels and sandboxes do (seccomp(2))."""
    def insn(code, jump_true, jump_false, k):
        return struct.pack("HBBI", code, jump_true, jump_false, k)

    code = (insn(0x20, 0, 0, 0) +                    # load the number
            insn(0x15, 0, 1, SYS_OPENAT2) +          # is it openat2?
            insn(0x06, 0, 0, 0x00050000 | number) +  # then the error
            insn(0x06, 0, 0, 0x7fff0000))            # else go on
    libc = ctypes.CDLL(None, use_errno=True)
    zero = ctypes.c_ulong(0)
    kept = ctypes.create_string_buffer(code, len(code))
    filter_ = struct.pack("HxxxxxxP", 4, ctypes.addressof(kept))

    def install():
        if (libc.prctl(38, ctypes.c_ulong(1), zero, zero, zero) or
                libc.prctl(22, ctypes.c_ulong(2), filter_, zero, zero)):
            os._exit(98)
    install.kept = kept  # the filter points to it
    return install


def entry(dir_fd, name):
    """All that lstat tells but the time of access; content and target too."""
    st = os.stat(name, dir_fd=dir_fd, follow_symlinks=False)
    body = None
    if stat.S_ISREG(st.st_mode):
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=dir_fd)
        with open(fd, "rb") as src:
            body = src.read()
    elif stat.S_ISLNK(st.st_mode):
        body = os.readlink(name, dir_fd=dir_fd)
    return st, body


def walk(root):
    """Yields (path, (stat, body)) of all beneath a directory and of itself,
    as b"". Paths of any length and depth."""
    fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    yield b"", (os.fstat(fd), None)
    waiting = [(fd, b"")]
    while waiting:
        fd, path = waiting.pop()
        for name in sorted(os.fsencode(n) for n in os.listdir(fd)):
            found = entry(fd, name)
            yield path + name, found
            if stat.S_ISDIR(found[0].st_mode):
                waiting.append((os.open(
                    name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW,
                    dir_fd=fd), path + name + b"/"))
        os.close(fd)


def remove(top):
    """Removes a tree of any depth: what is in a directory is moved up first.
    (Programs that climb down and up again take quadratic time.)"""
    waiting, n = [top], 0
    while waiting:
        here = waiting.pop()
        os.chmod(here, 0o700)
        for name in os.listdir(here):
            path = os.path.join(here, name)
            if stat.S_ISDIR(os.lstat(path).st_mode):
                os.chmod(path, 0o700)
                n += 1
                waiting.append(b"%s-%d" % (top, n))
                os.rename(path, waiting[-1])
            else:
                os.unlink(path)
        os.rmdir(here)


def fast_directory():
    """Where every user may make files; best in memory, as a hundred thousand
    names are made and removed."""
    try:
        room = os.statvfs("/dev/shm")
        mode = os.stat("/dev/shm").st_mode
    except OSError:
        return "/tmp"
    fits = room.f_bavail * room.f_bsize >= 50 << 20 and room.f_favail > 20_000
    return "/dev/shm" if fits and mode & 0o1777 == 0o1777 else "/tmp"


def feed(to, data):
    """Writes to a descriptor or a FIFO from a thread, then closes it. The
    program may stop reading before the end, as it does for a bomb."""
    def write():
        try:
            with open(to, "wb", buffering=0) as out:
                at = 0
                while at < len(data):
                    at += out.write(data[at:at + 65536])
        except OSError:
            pass

    threading.Thread(target=write, daemon=True).start()


def unchanged(st):
    return (st.st_mode, st.st_dev, st.st_ino, st.st_nlink, st.st_uid,
            st.st_gid, st.st_size, st.st_mtime_ns, st.st_ctime_ns)


class Arena:
    """In a directory of its own, which every user can reach: `outside` and
    files beside the target `target`."""

    def __init__(self, user=False):
        self.user = user
        top = tempfile.mkdtemp(prefix="tarn-hostile-", dir=fast_directory())
        self.top = os.fsencode(top)
        self.outside = self.top + b"/outside"
        self.target = self.top + b"/target"
        self.archive = self.top + b"/archive"
        self.fifo = self.top + b"/fifo"
        self._fill()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        remove(self.top)

    def _fill(self):
        os.chmod(self.top, 0o755)
        os.makedirs(self.outside + b"/dir/inner")
        os.mkdir(self.target)
        for path, mode in ((b"outside/victim", 0o640), (b"above", 0o600),
                           (b"archive", 0o644),
                           (b"outside/dir/inner/file", 0o644),
                           (b"outside/setuid", 0o4755)):
            with open(self.top + b"/" + path, "wb") as out:
                out.write(b"canary " + path)
            os.chmod(self.top + b"/" + path, mode)
            os.utime(self.top + b"/" + path, ns=(10 ** 18, 10 ** 18 + 1))
        os.mkfifo(self.fifo)
        os.symlink(b"victim", self.outside + b"/link")
        os.utime(self.outside, ns=(10 ** 18, 10 ** 18 + 1))
        self._own(self.top)

    def _own(self, top):
        """What is attacked belongs to who attacks."""
        if not self.user or os.geteuid() != 0:
            return
        for here, dirs, files in os.walk(top):
            for name in [b""] + dirs + files:
                path = os.path.join(here, name)
                mode = os.lstat(path).st_mode
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
                if not stat.S_ISLNK(mode):
                    os.chmod(path, stat.S_IMODE(mode))

    def make_before(self, tree):
        for path, what in tree.items():
            if isinstance(what, bytes):
                what = ("file", {"content": what})
            self._make(os.path.join(self.target, path), *what)
        self._own(self.target)

    @staticmethod
    def _make(path, kind, fields):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if kind == "link":
            os.symlink(fields["target"], path)
        elif kind == "dir":
            os.mkdir(path)
        elif kind == "fifo":
            os.mkfifo(path)
        else:
            with open(path, "wb") as out:
                out.write(fields["content"])
        if "mode" in fields:
            os.chmod(path, fields["mode"])
        if "mtime" in fields:
            os.utime(path, (fields["mtime"],) * 2)

    def canary(self):
        """Everything around the target, the target itself left out."""
        return {path: (unchanged(st), body)
                for path, (st, body) in walk(self.top)
                if not (path + b"/").startswith(b"target/") and
                path not in (b"archive", b"fifo")}

    def extract(self, data, *options, way=None, timeout=30, **popen):
        with open(self.archive, "wb") as out:
            out.write(data)
        return self.run(*argv(self.archive, self.target, *options, way=way),
                        timeout=timeout, **popen)

    def extract_from(self, what, data, *options, **popen):
        """By `tarn extract` from a "file", from "stdin" that is a file, from a
        "pipe" or from a "fifo" with a name."""
        if what == "file":
            return self.extract(data, *options, way="extract", **popen)
        args = ["extract", "-", "-C", self.target, *options]
        if what == "stdin":
            with open(self.archive, "r+b") as src:
                src.write(data)
                src.seek(0)
                return self.run(*args, stdin=src, **popen)
        if what == "pipe":
            reading, writing = os.pipe()
            feed(writing, data)
            with open(reading, "rb") as src:
                return self.run(*args, stdin=src, **popen)
        args[1] = self.fifo
        feed(self.fifo, data)
        return self.run(*args, **popen)

    def run(self, *args, timeout=30, **popen):
        if self.user and os.geteuid() == 0:
            popen.update(user=NOBODY, group=NOBODY, extra_groups=[])
        return program.finish(program.start(
            *args, executable=for_everybody(), **popen), timeout)

    def picture(self):
        return dict(walk(self.target))


_COPY = []


def for_everybody():
    """A copy of the program that every user may run: the build may lie where
    only its owner looks. Removed at exit."""
    if not _COPY:
        import atexit
        top = tempfile.mkdtemp(prefix="tarn-program-", dir="/tmp")
        atexit.register(shutil.rmtree, top, True)
        os.chmod(top, 0o755)
        path = os.path.join(top, "tarn")
        shutil.copyfile(program.program(), path)
        os.chmod(path, 0o755)
        _COPY.append(path)
    return _COPY[0]
