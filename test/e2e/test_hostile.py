"""D1 to D4, A1 to A6, C2: hostile archives do what the table of the cases
says, as root and as a user, and change nothing outside the target."""
import ctypes
import errno
import os
import pty
import re
import stat
import subprocess
import sys
import threading

import pytest

import canary
from canary import Arena
import hostile
import program

MEMORY_LIMIT = 128 << 20
IS_ROOT = os.geteuid() == 0
CASES = hostile.cases()
USERS = ("root", "user") if IS_ROOT else ("user",)
TYPES = {"file": stat.S_ISREG, "dir": stat.S_ISDIR, "link": stat.S_ISLNK,
         "fifo": stat.S_ISFIFO, "char": stat.S_ISCHR}


def params(cases):
    return [pytest.param(case, id=str(case), marks=[
        pytest.mark.needs(case.needs)] if case.needs else [])
        for case in cases]


# ---- what is there against what is wanted ----

def wrong_times(st, fields):
    wanted = fields.get("mtime_ns")
    if "mtime" in fields:
        wanted = int(fields["mtime"] * 10 ** 9)
    return wanted is not None and st.st_mtime_ns != wanted


def differs(picture, path, kind, fields):
    """What is wrong with one path, or None."""
    st, body = picture[path]
    if kind == "same":
        other = picture.get(fields["path"])
        if not other or other[0].st_ino != st.st_ino:
            return "not the same file as %r" % fields["path"]
        return None
    if not TYPES[kind](st.st_mode):
        return "not a %s: %o" % (kind, st.st_mode)
    if fields.get("content") not in (None, body):
        return "content of %d bytes %r..." % (len(body), body[:40])
    if "target" in fields and body != fields["target"]:
        return "link to %r" % body
    if "mode" in fields and stat.S_IMODE(st.st_mode) != fields["mode"]:
        return "mode %o" % stat.S_IMODE(st.st_mode)
    if "dev" in fields and fields["dev"] != (os.major(st.st_rdev),
                                             os.minor(st.st_rdev)):
        return "device %x" % st.st_rdev
    if wrong_times(st, fields):
        return "time %d" % st.st_mtime_ns
    return None


def parents(path):
    while b"/" in path:
        path = path.rpartition(b"/")[0]
        yield path


def differences(picture, want):
    found = []
    implied = {parent for path in want.tree for parent in parents(path)}
    for path in sorted(picture.keys() - want.tree.keys() - {b""}):
        if path not in implied or not stat.S_ISDIR(picture[path][0].st_mode):
            found.append("too much: %r" % path)
    for path, (kind, fields) in want.tree.items():
        if path in picture:
            wrong = differs(picture, path, kind, fields)
            if wrong:
                found.append("%r: %s" % (path, wrong))
        elif not want.partial:
            found.append("missing: %r" % path)
    return found[:10]


def check(case, user, source=None, **popen):
    with Arena(user=user) as arena:
        want = case.want(not user, arena.outside)
        arena.make_before(case.made_before(arena.outside))
        data = case.bytes(arena.outside)
        before = arena.canary()
        if source:
            res = arena.extract_from(source, data, *case.args, **popen)
        else:
            res = arena.extract(data, *case.args, **popen)
        assert arena.canary() == before
        assert res.code in want.codes, "%r, not %r" % (res, want.codes)
        assert differences(arena.picture(), want) == [], repr(res)
        for text in want.says:
            assert text in res.err, repr(res)
        assert (res.code == 0) or res.err.strip(), "nothing is said"
        assert not (want.silent and "warning" in res.err), repr(res)
        if not program.SANITIZED:
            assert res.maxrss < MEMORY_LIMIT


# ---- all cases ----

@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("case", params(CASES))
def test_a_hostile_archive_does_what_the_table_says(case, user):
    check(case, user == "user")


# Every way in gives the same result. (A pipe proves no length: the family of
# ends is another matter there.) The quick suite takes fewer of them.
DEEP = bool(os.environ.get("TARN_DEEP"))
SOME = [case for case in CASES if case.family not in ("ends", "codecs")]
SOME = SOME[::5 if DEEP else 16]


@pytest.fixture(scope="module")
def has_extract():
    if program.run("extract", "--help").code != 0:
        pytest.skip("no tarn extract in this version")


@pytest.mark.usefixtures("has_extract")
@pytest.mark.parametrize("source", ("file", "stdin", "pipe", "fifo"))
@pytest.mark.parametrize("case", params(SOME))
def test_every_source_of_extract_gives_the_same(case, source):
    check(case, not IS_ROOT, source)


LINKS = [case for case in CASES if case.family in ("symlinks", "hardlinks")]


@pytest.mark.parametrize("user", USERS if DEEP else USERS[-1:])
@pytest.mark.parametrize("case", params(LINKS))
def test_links_are_the_same_without_openat2(case, user):
    check(case, user == "user", preexec_fn=canary.refuse_openat2())


@pytest.mark.parametrize("number", (errno.ENOSYS, errno.EPERM))
def test_a_sandbox_that_refuses_openat2_changes_nothing(number):
    for case in LINKS[::9]:
        check(case, not IS_ROOT, preexec_fn=canary.refuse_openat2(number))


# ---- what is said of it ----

class Terminal:
    """A terminal and what was written to it: `fd` is for the program."""

    def __init__(self):
        self._master, self.fd = pty.openpty()
        self._got = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        while True:
            try:
                self._got.append(os.read(self._master, 65536))
            except OSError:
                return

    def end(self):
        os.close(self.fd)
        self._reader.join(10)
        os.close(self._master)
        return b"".join(self._got)


# What tarn itself may send: colours and erasing a line.
OWN = re.compile(rb"\x1b\[[0-9;]*[mK]|\x1b\[\?25[lh]|\r")
ODD_NAMES = [case for case in CASES if case.family == "names" and
             re.search("bytes|newline|utf8|shells|backslashes", case.name)]


@pytest.mark.parametrize("case", params(ODD_NAMES))
def test_no_name_speaks_to_a_terminal(case):
    with Arena(user=not IS_ROOT) as arena:
        terminal = Terminal()
        arena.extract(case.bytes(arena.outside), "-v", stderr=terminal.fd,
                      env=program.environment(TERM="xterm"))
        said = terminal.end()
    assert said.strip()
    assert b"[31m" not in said.replace(b"\\033[31m", b"")
    assert not re.search(rb"[\x00-\x08\x0b-\x1f\x7f-\x9f]",
                         OWN.sub(b"", said).decode(
                             "utf-8", "replace").encode("latin-1", "replace"))


def test_the_filter_really_refuses_openat2():
    """Else the tests above would test nothing."""
    code = ("import ctypes; c = ctypes.CDLL(None, use_errno=True); "
            "r = c.syscall(437, -100, b'/', ctypes.create_string_buffer(24), "
            "24); print(r, ctypes.get_errno())")
    outs = [subprocess.run([sys.executable, "-c", code], check=True,
                           stdout=subprocess.PIPE, preexec_fn=install).stdout
            for install in (None, canary.refuse_openat2(errno.EPERM))]
    assert outs[1].split() == [b"-1", b"%d" % errno.EPERM]
    assert ctypes.sizeof(ctypes.c_void_p) == 8 and outs[0] != outs[1]


def test_there_are_enough_cases_of_each_family():
    families = {case.family for case in CASES}
    assert len(CASES) >= 200 and len(families) >= 9
