"""What becomes of names that are taken: each option does what GNU tar's does,
on the same tree, with the same archive."""
import io
import os
import subprocess
import tarfile

import pytest

from canary import Arena, NOBODY
import tree

IS_ROOT = os.geteuid() == 0
OLD, SAME, NEW = 1_000_000_000, 1_100_000_000, 1_200_000_000
OPTIONS = ("", "--keep-old-files", "--skip-old-files", "--keep-newer-files",
           "--unlink-first", "--keep-directory-symlink")


def before(top):
    """One name of every kind for each that the archive has."""
    for kind in ("file", "link", "hard", "dir", "fifo"):
        base = os.path.join(top, "over_" + kind)
        os.mkdir(base)
        for age, stamp in (("old", OLD), ("same", SAME), ("new", NEW)):
            path = os.path.join(base, "file_" + age)
            with open(path, "w") as out:
                out.write("was here")
            os.utime(path, (stamp, stamp))
        os.symlink("file_old", base + "/to_file")
        os.symlink("sub", base + "/to_dir")
        os.symlink("nowhere", base + "/dangling")
        os.mkdir(base + "/sub")
        os.mkdir(base + "/full")
        with open(base + "/full/x", "w") as out:
            out.write("x")
        os.mkfifo(base + "/fifo")
    os.mkdir(top + "/src")
    with open(top + "/src/one", "w") as out:
        out.write("one")
    for here, dirs, names in os.walk(top):
        for name in dirs + names:
            path = os.path.join(here, name)
            if not name.startswith("file_"):
                os.utime(path, (NEW, NEW), follow_symlinks=False)


NAMES = ("file_old", "file_same", "file_new", "to_file", "to_dir", "dangling",
         "sub", "full", "fifo", "absent")


def archive():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        def add(name, kind, body=b"", link=""):
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.size = kind, link, len(body)
            info.mtime = SAME
            info.mode = 0o755 if kind == tarfile.DIRTYPE else 0o640
            info.uid, info.gid = os.geteuid(), os.getegid()
            tar.addfile(info, io.BytesIO(body))

        for name in NAMES:
            add("over_file/" + name, tarfile.REGTYPE, b"from the archive")
        for name in NAMES:
            add("over_link/" + name, tarfile.SYMTYPE, link="archive")
        for name in NAMES:
            add("over_hard/" + name, tarfile.LNKTYPE, link="src/one")
        for name in NAMES:
            add("over_dir/" + name, tarfile.DIRTYPE)
            add("over_dir/" + name + "/in", tarfile.REGTYPE, b"in")
        for name in NAMES:
            add("over_fifo/" + name, tarfile.FIFOTYPE)
    return out.getvalue()


def prepared(arena, name):
    target = arena.top + b"/" + name
    os.mkdir(target)
    before(os.fsdecode(target))
    if arena.user and IS_ROOT:
        os.chown(target, NOBODY, NOBODY)
        for here, dirs, files in os.walk(target):
            for entry in dirs + files:
                os.lchown(os.path.join(here, entry), NOBODY, NOBODY)
    return target


def without_directory_times(picture):
    for what in picture.values():
        if what["mode"].startswith("0o4"):
            del what["mtime"]
    return picture


@pytest.mark.parametrize("user", ("root", "user"))
@pytest.mark.parametrize("option", OPTIONS)
def test_a_taken_name_becomes_what_gnu_tar_makes_of_it(option, user):
    if user == "root" and not IS_ROOT:
        pytest.skip("only root tests both")
    data = archive()
    with Arena(user=user == "user") as arena:
        theirs = prepared(arena, b"gnu")
        who = {"user": NOBODY, "group": NOBODY, "extra_groups": []} \
            if arena.user and IS_ROOT else {}
        gnu = subprocess.run(["tar", "-xf", "-"] + option.split(), cwd=theirs,
                             input=data, stderr=subprocess.PIPE, **who)
        ours = prepared(arena, b"ours")
        arena.target = ours
        res = arena.extract(data, *option.split())
        found = [without_directory_times(tree.picture(os.fsdecode(top)))
                 for top in (theirs, ours)]
        assert tree.differences(*found) == [], gnu.stderr.decode()
        # GNU tar says 2 where some members could not be restored.
        assert res.code == {0: 0, 2: 1}[gnu.returncode], res


def test_a_file_of_this_run_counts_as_there():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for body, stamp in ((b"first" * 50_000, 2000), (b"older", 1000),
                            (b"newer", 3000)):
            info = tarfile.TarInfo("f")
            info.size, info.mtime = len(body), stamp
            tar.addfile(info, io.BytesIO(body))
    wanted = {"--keep-old-files": (1, b"first" * 50_000),
              "--skip-old-files": (0, b"first" * 50_000),
              "--keep-newer-files": (0, b"newer"),
              "--unlink-first": (0, b"newer")}
    for option, (code, body) in wanted.items():
        with Arena() as arena:
            arena.extract(out.getvalue(), option).expect(code)
            with open(arena.target + b"/f", "rb") as got:
                assert got.read() == body, option


def test_only_one_answer_can_be_given():
    with Arena() as arena:
        res = arena.extract(b"", "--keep-old-files", "--unlink-first")
        res.expect(64)
        assert "only one of" in res.err
