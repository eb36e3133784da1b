"""Extended attributes, POSIX access control lists and capabilities: restored as
GNU tar restores them, or reported."""
import gzip
import io
import os
import shutil
import stat
import struct
import subprocess
import tarfile

import pytest

from canary import Arena, fast_directory
import program
import tar_bytes

IS_ROOT = os.geteuid() == 0
TOOLS = ("setfattr", "setfacl", "setcap")
GNU = ["tar", "--xattrs", "--acls", "--xattrs-include=*"]


def keeps_attributes():
    probe = os.path.join(fast_directory(), "tarn-xattr-%d" % os.getpid())
    try:
        with open(probe, "wb"):
            os.setxattr(probe, "user.probe", b"")
        return True
    except OSError:
        return False
    finally:
        os.unlink(probe)


pytestmark = [
    pytest.mark.skipif(not all(shutil.which(t, path="/usr/bin:/usr/sbin:/sbin")
                               for t in TOOLS),
                       reason="needs the tools of attr, acl and libcap2"),
    pytest.mark.skipif(not keeps_attributes(),
                       reason="the file system keeps no attributes"),
]
as_root = pytest.mark.skipif(not IS_ROOT, reason="only root may set these")


def run(*argv, cwd=None):
    env = dict(os.environ, PATH="/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL="C")
    return subprocess.run(argv, cwd=cwd, env=env, check=True,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def attributes(top):
    """What getfattr, getfacl and getcap say of all beneath `top`."""
    def told(blocks, between):
        return between.join(sorted(blocks.decode().strip().split(between)))

    return [told(run("getfattr", "-h", "-R", "-d", "-m", "-", "-e", "hex", ".",
                     cwd=top), "\n\n"),
            told(run("getfacl", "-R", "-n", ".", cwd=top), "\n\n"),
            told(run("getcap", "-r", ".", cwd=top), "\n")]


def build(top):
    """A tree with something of every kind; as much of it as one may make."""
    os.makedirs(top + "/dir/inner")
    for name in ("file", "dir/listed", "dir/plain", "dir/inner/x", "able",
                 "setuid"):
        with open(os.path.join(top, name), "w") as out:
            out.write(name)
    os.symlink("file", top + "/link")
    run("setfattr", "-n", "user.text", "-v", "some text", top + "/file")
    run("setfattr", "-n", "user.bytes", "-v", "0x000aff3d25", top + "/file")
    run("setfattr", "-n", "user.empty", top + "/file")
    run("setfattr", "-n", "user.of=dir%", "-v", "d", top + "/dir")
    run("setfacl", "-m", "u:7:rwx,g:9:r,m:rwx", top + "/dir/listed")
    run("setfacl", "-d", "-m", "u:7:rx", top + "/dir")
    run("setfacl", "-m", "g:9:rx", top + "/dir")
    os.chmod(top + "/dir/inner", 0o550)
    if IS_ROOT:
        run("setcap", "cap_net_raw,cap_chown+ep", top + "/able")
        os.chmod(top + "/setuid", 0o6755)
        run("setcap", "cap_net_raw+ep", top + "/setuid")
        run("setfattr", "-n", "trusted.secret", "-v", "t", top + "/file")
        run("setfattr", "-h", "-n", "trusted.link", "-v", "l", top + "/link")


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    top = os.path.join(str(tmp_path_factory.mktemp("xattrs")), "tree")
    os.mkdir(top)
    build(top)
    return top


def gnu_packs(source, *options):
    return run(*GNU, *options, "--format=pax", "-C", source, "-cf", "-", ".")


def gnu_extracts(data, target):
    os.mkdir(target)
    subprocess.run(GNU + ["-C", target, "-xpf", "-"], input=data, check=True)
    return attributes(target)


@as_root
@pytest.mark.parametrize("options", ((), ("--numeric-owner",)))
def test_root_restores_what_gnu_tar_restores(source, tmp_path, options):
    data = gnu_packs(source, *options)
    with Arena() as arena:
        arena.extract(data, "--xattrs-include=trusted.*").expect(0)
        theirs = gnu_extracts(data, str(tmp_path / "gnu"))
        assert "trusted.secret" in theirs[0] and "cap_chown" in theirs[2]
        assert attributes(os.fsdecode(arena.target)) == theirs
        st = os.stat(arena.target + b"/setuid")
        assert st.st_mode & 0o7777 == 0o6755


@as_root
def test_the_second_time_gives_what_the_first_gave(source):
    """What a directory had as default is nothing for new files to inherit."""
    data = gnu_packs(source)
    with Arena() as arena:
        arena.extract(data).expect(0)
        first = attributes(os.fsdecode(arena.target))
        arena.extract(data).expect(0)
        assert attributes(os.fsdecode(arena.target)) == first
        assert "default:user:7" in first[1]
        assert "user:7:r-x" not in lists_of(arena, "dir/plain")


@as_root
def test_trusted_attributes_are_left_out_unless_named(source):
    with Arena() as arena:
        arena.extract(gnu_packs(source)).expect(0)
        ours = attributes(os.fsdecode(arena.target))
        assert "user.text" in ours[0] and "trusted" not in ours[0]
        assert "user:7:rwx" in ours[1] and "cap_net_raw" in ours[2]


def test_a_user_gets_only_what_is_the_users(source):
    with Arena(user=True) as arena:
        arena.extract(gnu_packs(source)).expect(0)
        names, lists, able = attributes(os.fsdecode(arena.target))
        assert "user.text=0x736f6d652074657874" in names
        assert "user.bytes=0x000aff3d25" in names
        assert "user.of\\075dir%=0x64" in names
        assert "trusted" not in names and "user:7" not in lists
        assert able == ""


def test_nothing_is_restored_with_no_xattrs(source):
    with Arena() as arena:
        arena.extract(gnu_packs(source), "--no-xattrs").expect(0)
        names, lists, able = attributes(os.fsdecode(arena.target))
        assert names == "" and "user:7" not in lists and able == ""


@as_root
@pytest.mark.skipif(not shutil.which("bsdtar"), reason="needs bsdtar")
def test_what_bsdtar_writes_is_restored(source, tmp_path):
    data = run("bsdtar", "--acls", "--xattrs", "--format=pax", "-C", source,
               "-cf", "-", ".")
    assert b"LIBARCHIVE.xattr" in data
    with Arena() as arena:
        arena.extract(data, "--xattrs-include=trusted.*").expect(0)
        assert attributes(os.fsdecode(arena.target)) == attributes(source)


def pax(*members, mode=0o755, uid=None):
    """An archive of (name, type, link or content, records)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, kind, text, records in members:
            info = tarfile.TarInfo(name)
            info.type = kind
            info.mode = mode
            info.uid = info.gid = os.geteuid() if uid is None else uid
            info.pax_headers = records
            if kind == tarfile.SYMTYPE:
                info.linkname = text
            body = text.encode() if kind == tarfile.REGTYPE else b""
            info.size = len(body)
            tar.addfile(info, io.BytesIO(body))
    return out.getvalue()


def test_an_attribute_that_cannot_be_set_is_named_and_the_entry_stays():
    # user.* is for files and directories only.
    data = pax(("l", tarfile.SYMTYPE, "to", {"SCHILY.xattr.user.a": "1"}),
               ("f", tarfile.REGTYPE, "body", {"SCHILY.xattr.user.b": "2"}))
    with Arena() as arena:
        res = arena.extract(data).expect(1)
        assert "l: user.a: " in res.err
        assert os.readlink(arena.target + b"/l") == b"to"
        assert os.getxattr(arena.target + b"/f", "user.b") == b"2"


@as_root
def test_a_list_that_is_none_is_named_and_the_entry_stays():
    data = pax(("f", tarfile.REGTYPE, "body",
                {"SCHILY.acl.access": "user::rwx,nonsense"}),
               ("d", tarfile.DIRTYPE, "",
                {"SCHILY.acl.default": "user::rwx,group::r-x"}))
    with Arena() as arena:
        res = arena.extract(data).expect(1)
        assert "f: system.posix_acl_access: Invalid argument" in res.err
        assert "d: system.posix_acl_default: Invalid argument" in res.err
        with open(arena.target + b"/f") as body:
            assert body.read() == "body"


@as_root
def test_names_in_a_list_are_looked_up_first():
    text = ("user::rw-,user:root:r--:4321,user:nobody-has-this:rwx:1234,"
            "group::r--,mask::rwx,other::---")
    data = pax(("f", tarfile.REGTYPE, "", {"SCHILY.acl.access": text}))
    with Arena() as arena:
        arena.extract(data).expect(0)
        lists = attributes(os.fsdecode(arena.target))[1]
        assert "user:0:r--" in lists and "user:1234:rwx" in lists


def test_attributes_of_directories_take_no_memory_until_the_end():
    value = "x" * 60000
    many = [("d%04d" % i, tarfile.DIRTYPE, "",
             {"SCHILY.xattr.user.%d" % n: value for n in range(15)})
            for i in range(90)]
    with Arena() as arena:
        # A file system may have no room for so many, for which it is named.
        res = arena.extract(pax(*many), "--memory=8Mi").expect((0, 1))
        assert program.SANITIZED or res.maxrss < 48 << 20


def dirs_with_lists(count):
    """Lists of a thousand entries, as many as are taken, all different."""
    users = [(2, 5, i) for i in range(1020)]
    usual = raw_list((1, 7, -1), *users, (4, 5, -1), (16, 7, -1),
                     (32, 5, -1)).encode("latin-1")
    parts = []
    for i in range(count):
        value = usual[:-24 - 4] + struct.pack("<I", 5000 + i) + usual[-24:]
        parts.append(tar_bytes.pax({
            b"SCHILY.xattr.system.posix_acl_" + which: value
            for which in (b"access", b"default")}))
        parts.append(tar_bytes.directory(b"d%d" % i))
    return tar_bytes.archive(*parts)


@as_root
def test_lists_of_directories_have_a_limit():
    with Arena() as arena:
        res = arena.extract(dirs_with_lists(4200), timeout=120).expect(65)
        assert ("the access control lists of directories take more than "
                "64 MiB") in res.err


@pytest.mark.parametrize("mode", (0o444, 0o111, 0))
def test_what_a_mode_forbids_to_write_has_its_attributes_all_the_same(mode):
    records = {"SCHILY.xattr.user.a": "1"}
    data = pax(("d", tarfile.DIRTYPE, "", records),
               ("f", tarfile.REGTYPE, "body", records), mode=mode)
    with Arena(user=True) as arena:
        arena.extract(data, "--same-permissions").expect(0)
        for name in (b"/d", b"/f"):
            st = os.stat(arena.target + name)
            assert stat.S_IMODE(st.st_mode) == mode
            os.chmod(arena.target + name, 0o700)
            assert os.getxattr(arena.target + name, "user.a") == b"1"


def raw_list(*entries):
    """As the kernel keeps it: struct posix_acl_xattr_header and entries."""
    value = struct.pack("<I", 2)
    for tag, perm, who in entries:
        value += struct.pack("<HHI", tag, perm, who & 0xffffffff)
    return value.decode("latin-1")


def lists_of(arena, name):
    return run("getfacl", "-n", "-c", "-p",
               os.fsdecode(arena.target) + "/" + name).decode().split()


def latin1_pax(name, kind, records):
    """For values that are not UTF-8, which is all that tarfile writes."""
    return tar_bytes.archive(
        tar_bytes.pax({key.encode(): value.encode("latin-1")
                       for key, value in records.items()}),
        tar_bytes.header(name.encode(), kind=kind, mode=0o755))


@as_root
def test_a_list_that_comes_as_an_attribute_is_one():
    wanted = raw_list((0x20, 0, -1), (0x10, 7, -1), (0x02, 7, 77), (1, 7, -1),
                      (0x04, 5, -1))
    data = latin1_pax("f", b"0",
                      {"SCHILY.xattr.system.posix_acl_access": wanted})
    with Arena() as arena:
        arena.extract(data).expect(0)
        assert "user:77:rwx" in lists_of(arena, "f")
    for wrong in (wanted[:-1], wanted + raw_list()[:4], "\x03" + wanted[1:],
                  raw_list((1, 7, -1)), raw_list((1, 8, -1), (4, 0, -1),
                                                 (0x20, 0, -1))):
        data = latin1_pax("f", b"0",
                          {"SCHILY.xattr.system.posix_acl_access": wrong})
        with Arena() as arena:
            res = arena.extract(data).expect(1)
            assert "f: system.posix_acl_access: Invalid argument" in res.err


@as_root
def test_ids_in_lists_are_moved_like_owners():
    text = "user::rw-,user:x:r--:5,group::r--,group:y:rwx:6,mask::rwx,other::-"
    data = pax(("text", tarfile.REGTYPE, "", {"SCHILY.acl.access": text}),
               uid=1)
    maps = ("--uid-map=0:1000:10", "--gid-map=0:2000:10")
    with Arena() as arena:
        arena.extract(data, *maps).expect(0)
        assert {"user:1005:r--", "group:2006:rwx"} <= set(
            lists_of(arena, "text"))
    raw = raw_list((1, 6, -1), (2, 4, 5), (4, 4, -1), (8, 7, 6), (16, 7, -1),
                   (32, 0, -1))
    data = latin1_pax("raw", b"0",
                      {"SCHILY.xattr.system.posix_acl_access": raw})
    with Arena() as arena:
        arena.extract(data, *maps).expect(0)
        assert {"user:1005:r--", "group:2006:rwx"} <= set(
            lists_of(arena, "raw"))
        res = arena.extract(data, "--uid-map=0:1000:3",
                            "--gid-map=0:1000:10").expect(1)
        assert "raw: system.posix_acl_access: " in res.err
        assert "user:5:r--" not in lists_of(arena, "raw")


@as_root
@pytest.mark.parametrize("option, kept", (
    ("--no-same-permissions", {"user.text", "cap"}),
    ("--ignore-perms", {"user.text"}), ("--no-same-owner", {"user.text"})))
def test_lists_go_with_modes_and_capabilities_with_owners(source, option,
                                                          kept):
    with Arena() as arena:
        arena.extract(gnu_packs(source), option).expect(0)
        names, lists, able = attributes(os.fsdecode(arena.target))
        assert "user.text" in names
        assert "user:7" not in lists
        assert bool(able) == ("cap" in kept)


def test_a_user_who_sets_owners_gets_no_capabilities(source):
    with Arena(user=True) as arena:
        me = "65534:65534" if IS_ROOT else "%d:%d" % (os.getuid(), os.getgid())
        arena.extract(gnu_packs(source), "--chown=" + me).expect(0)
        assert attributes(os.fsdecode(arena.target))[2] == ""


def test_a_user_gets_lists_when_they_are_named(source):
    with Arena(user=True) as arena:
        arena.extract(gnu_packs(source),
                      "--xattrs-include=system.posix_acl_*").expect(0)
        assert "user:7:rwx" in attributes(os.fsdecode(arena.target))[1]


@as_root
def test_links_and_nodes_have_attributes_and_what_they_point_to_has_not():
    records = {"SCHILY.xattr.trusted.a": "1",
               "SCHILY.acl.access": "user::rwx,group::r-x,other::r-x"}
    data = pax(("f", tarfile.REGTYPE, "body", {}),
               ("l", tarfile.SYMTYPE, "f", records),
               ("p", tarfile.FIFOTYPE, "", records),
               ("out", tarfile.SYMTYPE, "../outside/victim", records))
    with Arena() as arena:
        before = arena.canary()
        arena.extract(data, "--xattrs-include=trusted.*").expect(0)
        assert arena.canary() == before
        for name in (b"/l", b"/p", b"/out"):
            assert os.getxattr(arena.target + name, "trusted.a",
                               follow_symlinks=False) == b"1"
        assert os.listxattr(arena.target + b"/f") == []
        assert os.listxattr(arena.outside + b"/victim") == []


def test_attributes_as_large_as_they_may_be_leave_room_for_the_content():
    many = {"SCHILY.xattr.user.%02d" % i: "x" * 61500 for i in range(17)}
    body = "body " * 1_000_000
    data = gzip.compress(pax(*[("f%d" % i, tarfile.REGTYPE, body, many)
                               for i in range(3)]), 1)
    with Arena() as arena:
        # A file system that takes less names it, and the job goes on.
        arena.extract(data, "--memory=2Mi").expect((0, 1))
        assert os.stat(arena.target + b"/f2").st_size == len(body)


def test_a_file_system_without_room_for_attributes_is_no_full_disk(tmp_path,
                                                                   tarn):
    many = {"SCHILY.xattr.user.%02d" % i: "x" * 61500 for i in range(17)}
    data = pax(("f", tarfile.REGTYPE, "body", many),
               ("g", tarfile.REGTYPE, "body", {}))
    (tmp_path / "a").write_bytes(data)
    res = tarn("get", "file://%s/a" % tmp_path, "-C", tmp_path / "o")
    res.expect((0, 1))  # 0 where they fit, as on xfs
    assert (tmp_path / "o/f").read_text() == (tmp_path / "o/g").read_text()


@as_root
def test_an_existing_device_or_file_is_not_lost_for_want_of_privilege():
    data = tar_bytes.archive(tar_bytes.header(b"f", kind=b"3", major=1,
                                              minor=3))
    with Arena(user=True) as arena:
        arena.make_before({b"f": b"kept"})
        res = arena.extract(data).expect(1)
        assert "f: make: Operation not permitted" in res.err
        with open(arena.target + b"/f") as body:
            assert body.read() == "kept"
