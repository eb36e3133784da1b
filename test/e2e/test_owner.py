"""D6: owners given by --chown and moved by --uid-map and --gid-map; modes as
the umask gives them. Most of it needs root."""
import io
import os
import shutil
import stat
import tarfile
import tempfile

import pytest

NOBODY = 65534
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="owners need root")


def archive(members):
    """A pax archive of (name, type, uid, gid, mode)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, kind, uid, gid, mode in members:
            info = tarfile.TarInfo(name)
            info.type, info.uid, info.gid, info.mode = kind, uid, gid, mode
            info.uname = info.gname = "daemon"
            info.linkname = "file" if kind != tarfile.REGTYPE else ""
            info.size = 4 if kind == tarfile.REGTYPE else 0
            tar.addfile(info, io.BytesIO(b"body") if info.size else None)
    return out.getvalue()


ALL = [("dir", tarfile.DIRTYPE, 10, 20, 0o2750),
       ("file", tarfile.REGTYPE, 11, 21, 0o4751),
       ("hard", tarfile.LNKTYPE, 11, 21, 0o4751),
       ("soft", tarfile.SYMTYPE, 12, 22, 0o777),
       ("fifo", tarfile.FIFOTYPE, 13, 23, 0o640)]


def owners(root):
    return {name: (st.st_uid, st.st_gid) for name in sorted(os.listdir(root))
            for st in [os.lstat(os.path.join(root, name))]}


@pytest.fixture
def get(tarn, tmp_path):
    """get(members, *args): extracts; returns the result and the target."""
    def run(members, *args, **popen):
        (tmp_path / "x.tar").write_bytes(archive(members))
        shutil.rmtree(tmp_path / "o", ignore_errors=True)
        res = tarn("get", "file://%s/x.tar" % tmp_path, "-C", tmp_path / "o",
                   *args, **popen)
        return res, tmp_path / "o"
    return run


@as_root
@pytest.mark.parametrize("text, uid, gid", (
    ("33:44", 33, 44), ("33", 33, None), (":44", None, 44), ("root:", 0, 0),
    ("root:root", 0, 0), ("+33:+44", 33, 44)))
def test_one_owner_is_given_to_every_kind_of_entry(get, text, uid, gid):
    res, root = get(ALL, "--chown=" + text, "--numeric-owner")
    res.expect(0)
    for name, _, own_uid, own_gid, _ in ALL:
        assert owners(root)[name] == (own_uid if uid is None else uid,
                                      own_gid if gid is None else gid), name


@as_root
def test_setuid_bits_come_with_the_owner_that_was_given(get):
    res, root = get(ALL, "--chown=33:44")
    res.expect(0)
    assert stat.S_IMODE(os.stat(root / "file").st_mode) == 0o4751
    assert stat.S_IMODE(os.stat(root / "dir").st_mode) == 0o2750


@pytest.mark.parametrize("args, said", (
    (["--chown=no-such-user-here"], "no-such-user-here"),
    (["--chown=:no-such-group-here"], "no-such-group-here"),
    (["--chown=root.root"], "root.root"),
    (["--chown=:"], "USER:GROUP"),
    (["--chown=a:b:c"], "USER:GROUP"),
    (["--chown=4294967295"], "4294967295"),
    (["--uid-map=1:2"], "FROM:TO:COUNT"),
    (["--gid-map=0:0:2,1:1:1"], "overlap"),
    (["--uid-map=0:0:0"], "no ids"),
    (["--chown=0", "--no-same-owner"], "not to be restored"),
    (["--uid-map=0:0:1", "--ignore-owners"], "not to be restored"),
))
def test_what_names_no_owner_is_wrong_use_and_nothing_is_made(get, args, said):
    res, root = get(ALL, *args)
    res.expect(64)
    assert said in res.err
    assert not root.exists()


@as_root
def test_ids_are_moved_by_the_ranges_and_names_do_not_count(get):
    res, root = get(ALL, "--uid-map=10:100:2,12:7:2", "--gid-map=20:1020:4")
    res.expect(0)
    assert owners(root) == {"dir": (100, 1020), "file": (101, 1021),
                            "hard": (101, 1021), "soft": (7, 1022),
                            "fifo": (8, 1023)}


@as_root
def test_an_id_in_no_range_is_refused_and_named(get):
    res, root = get(ALL, "--uid-map=11:0:2", "--gid-map=21:0:1")
    res.expect(1)
    assert "dir/: refused: its user id 10 is in no range of uid_map" in res.err
    assert "soft: refused: its group id 22 is in no range of gid_map" in res.err
    assert sorted(os.listdir(root)) == ["file", "hard"]
    assert owners(root)["file"] == (0, 0)


@as_root
def test_one_map_leaves_the_other_ids_as_numbers(get):
    res, root = get(ALL, "--uid-map=0:1000:100")
    res.expect(0)
    assert owners(root)["file"] == (1011, 21)


@as_root
def test_an_owner_for_all_and_a_map_for_groups_go_together(get):
    res, root = get(ALL, "--chown=33", "--gid-map=0:500:100")
    res.expect(0)
    assert owners(root)["soft"] == (33, 522)


@as_root
def test_an_id_that_fits_nowhere_can_be_moved_or_overruled(get):
    huge = [("big", tarfile.REGTYPE, 2 ** 32 + 5, 3, 0o644)]
    get(huge, "--numeric-owner")[0].expect(1)
    res, root = get(huge, "--numeric-owner", "--chown=1:2")
    res.expect(0)
    assert owners(root) == {"big": (1, 2)}


@pytest.mark.parametrize("umask, directory, file", (
    (0o022, 0o755, 0o644), (0o077, 0o700, 0o600), (0o000, 0o777, 0o666)))
def test_modes_can_be_those_of_new_files(get, umask, directory, file):
    old = os.umask(umask)
    try:
        res, root = get(ALL, "--ignore-perms", "-p")
    finally:
        os.umask(old)
    res.expect(0)
    for name, mode in (("dir", directory), ("file", file), ("fifo", file)):
        assert stat.S_IMODE(os.lstat(root / name).st_mode) == mode, name


@as_root
def test_owners_can_be_ignored(get):
    res, root = get(ALL, "--ignore-owners")
    res.expect(0)
    assert set(owners(root).values()) == {(0, 0)}


@as_root
def test_a_user_is_told_first_and_then_each_entry_fails(tarn, server):
    where = tempfile.mkdtemp()
    try:
        os.chown(where, NOBODY, NOBODY)
        url = server.add("/x", archive(ALL[:2]))
        who = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        res = tarn("get", url, "-C", where + "/o", "--chown=33:44", cwd="/",
                   **who).expect(1)
        first = res.err.index("without being root")
        assert first < res.err.index("file: owner: Operation not permitted")
        # One's own ids are no change.
        tarn("get", url, "-C", where + "/p", "--chown=%d:%d" % (NOBODY, NOBODY),
             cwd="/", **who).expect(0)
    finally:
        shutil.rmtree(where)
