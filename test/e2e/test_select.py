"""D6: --include, --exclude and their kin take what GNU tar takes."""
import io
import os
import random
import subprocess
import tarfile

import pytest

import tree

NAMES = [
    "dir", "dir/f", "dir/f.o", "dir/sub", "dir/sub/g", "dir/sub/dir",
    "dir/sub/dir/h.c", "a", "a/dir", "a/b", "a/b/c.o", "a[b", "a/x]y", ".dot",
    ".dot/dir", "a/star*", "a/q?", "a/back\\slash", "a/\u00e9t\u00e9", "Dir2",
]
PATTERNS = [
    "dir", "dir/", "dir/*", "*dir", "sub", "dir/f", "r/f", "*.o", "*.[co]",
    "?", "??", "*", "a?b", "a/?", "[a-d]*", "[!a-d]*", "[^a]", "a[b", "a\\[b",
    "x[]]y", "x]y", "a\\", "star\\*", "star*", "q\\?", "back\\\\slash",
    "back\\slash", "./dir", "/dir", ".", "..", "", "[[:upper:]]*", "*\\",
    "[[:foo:]]*", "[[:alpha:]", "[[.a.]]", "a/*/c*", "**", ".*", "*/", "/",
    "sub/dir", "sub*h.c", "dir/sub/dir/h.c", "DIR", "\u00e9*", "??t??",
]


def plant(root):
    """Names with others beneath them are directories."""
    for name in NAMES:
        path = root / name
        if any(other.startswith(name + "/") for other in NAMES):
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(name)


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """The same tree with three kinds of names."""
    top = tmp_path_factory.mktemp("select")
    plant(top / "tree")
    names = sorted(os.listdir(top / "tree"))
    for kind, where, what in (("plain", top / "tree", names),
                              ("dot", top / "tree", ["."]),
                              ("below", top, ["tree"])):
        subprocess.run(["tar", "-C", where, "-cf", top / kind, *what],
                       check=True)
    return top


def by_gnu_tar(archive, target, args):
    target.mkdir()
    subprocess.run(["tar", "-C", target, "-xpf", archive, *args], check=True,
                   env={"LC_ALL": "C", "PATH": os.environ["PATH"]})
    return target


def compare(tarn, archive, where, args):
    """`args` leave the same tree with both programs. The target itself is not
    compared: its time is that of the run when "." is left out."""
    want = tree.picture(by_gnu_tar(archive, where / "gnu", args))
    (where / "own").mkdir()
    tarn("get", "file://%s" % archive, "-C", where / "own", "-p", "-q",
         *args).expect(0)
    have = tree.picture(where / "own")
    for top in (b"", b"."):
        want.pop(top, None)
        have.pop(top, None)
    assert want == have


@pytest.mark.parametrize("kind", ("plain", "dot", "below"))
def test_each_pattern_leaves_out_what_gnu_tar_leaves_out(tarn, archives,
                                                         tmp_path, kind):
    for i, pattern in enumerate(PATTERNS):
        (tmp_path / str(i)).mkdir()
        compare(tarn, archives / kind, tmp_path / str(i),
                ["--exclude=" + pattern])


def random_pattern(rnd):
    pieces = ["*", "?", "/", "dir", "a", "b", "f", ".", "o", "[a-f]", "[!/]",
              "[]x]", "\\*", "\\d", "sub", "[[:lower:]]", "[", "]", "c", "-"]
    return "".join(rnd.choice(pieces) for _ in range(rnd.randint(1, 5)))


def test_random_patterns_leave_out_what_gnu_tar_leaves_out(tarn, archives,
                                                           tmp_path):
    rnd = random.Random(7)
    for i in range(60):
        (tmp_path / str(i)).mkdir()
        compare(tarn, archives / rnd.choice(("plain", "dot", "below")),
                tmp_path / str(i),
                ["--exclude=" + random_pattern(rnd)
                 for _ in range(rnd.randint(1, 3))])


def test_patterns_of_a_file_are_read_as_gnu_tar_reads_them(tarn, archives,
                                                           tmp_path):
    (tmp_path / "x").write_bytes(b"dir/f  \n\n a\n#x\nsub\t\r\n*.c")
    compare(tarn, archives / "plain", tmp_path, ["-X", tmp_path / "x"])
    (tmp_path / "zero").write_bytes(b"a\0b\n")
    for name, code in (("zero", 64), ("missing", 66)):
        res = tarn("get", "file:///x", "-X", tmp_path / name).expect(code)
        assert name in res.err


def extracted(root):
    return sorted(str(p.relative_to(root)) for p in root.rglob("*"))


def test_a_list_has_its_patterns_between_colons(tarn, archives, tmp_path):
    tarn("get", "file://%s" % (archives / "plain"), "-C", tmp_path / "o",
         "--exclude-list=dir:*.o::.dot", "--exclude-list=a[b").expect(0)
    names = extracted(tmp_path / "o")
    assert "a/b" in names and "Dir2" in names
    assert not any(n.startswith(("dir", ".dot", "a[b")) or n.endswith(".o")
                   for n in names)


def test_with_include_only_what_matches_is_taken(tarn, archives, tmp_path):
    tarn("get", "file://%s" % (archives / "plain"), "-C", tmp_path / "o",
         "--include=dir/sub", "--include=*.o", "--exclude=g").expect(0)
    assert extracted(tmp_path / "o") == [
        "a", "a/b", "a/b/c.o", "dir", "dir/f.o", "dir/sub", "dir/sub/dir",
        "dir/sub/dir/h.c"]


def test_what_is_left_out_is_counted_neither_as_made_nor_as_failed(
        tarn, archives, tmp_path):
    res = tarn("get", "file://%s" % (archives / "plain"), "-C",
               tmp_path / "o", "--exclude=*", "-v").expect(0)
    assert extracted(tmp_path / "o") == []
    assert "h.c" not in res.err


def links():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, kind, link in (("target", tarfile.REGTYPE, ""),
                                 ("hard", tarfile.LNKTYPE, "target"),
                                 ("soft", tarfile.SYMTYPE, "target"),
                                 ("last", tarfile.REGTYPE, "")):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, link
            info.size = 4 if kind == tarfile.REGTYPE else 0
            tar.addfile(info, io.BytesIO(b"body") if info.size else None)
    return out.getvalue()


def test_a_hard_link_to_what_was_left_out_fails_alone(tarn, tmp_path):
    (tmp_path / "x.tar").write_bytes(links())
    res = tarn("get", "file://%s/x.tar" % tmp_path, "-C", tmp_path / "o",
               "--exclude=target").expect(1)
    assert "hard" in res.err
    assert extracted(tmp_path / "o") == ["last", "soft"]
    assert os.readlink(tmp_path / "o/soft") == "target"
    assert (tmp_path / "o/last").read_bytes() == b"body"


def test_names_are_judged_before_components_are_stripped(tarn, archives,
                                                         tmp_path):
    tarn("get", "file://%s" % (archives / "below"), "-C", tmp_path / "o",
         "--strip-components=1", "--exclude=tree/dir").expect(0)
    names = extracted(tmp_path / "o")
    assert "dir" not in names and "a/dir" in names
