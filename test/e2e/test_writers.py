"""A1, D3: archives by the programs that people use come out as GNU tar
restores them, for root and for a user."""
import os
import shutil
import subprocess

import pytest

from against_gnu import check
from canary import Arena
import tree
import writers

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
USERS = ("root", "user") if os.geteuid() == 0 else ("user",)


@pytest.fixture(scope="module")
def trees(tmp_path_factory):
    """One with long names, one without; files of many sizes in both."""
    top = tmp_path_factory.mktemp("writers")
    writers.odd_tree(top / "long")
    writers.odd_tree(top / "short", long_names=False)
    yield {"long": os.fsencode(top / "long"),
           "short": os.fsencode(top / "short")}
    shutil.rmtree(top, ignore_errors=True)


# ---- whole trees ----

@pytest.mark.parametrize("writer", writers.WRITERS)
def test_a_tree_by_any_writer_is_restored_as_gnu_tar_restores_it(trees,
                                                                 writer):
    which = "short" if writer in writers.SHORT else "long"
    data = writers.WRITERS[writer](trees[which])
    _, ours = check(data, USERS[0])
    assert len(ours) > 35


@pytest.mark.skipif(os.geteuid() != 0, reason="is what the test above does")
@pytest.mark.parametrize("writer", writers.WRITERS)
def test_a_user_gets_what_gnu_tar_gives_a_user(tmp_path, writer):
    """A tree without devices: GNU tar and tarn refuse them in other words."""
    root = os.fsencode(tmp_path / "t")
    writers.odd_tree(root, writer not in writers.SHORT)
    for name in (b"null", b"disk"):
        os.unlink(root + b"/" + name)
    shutil.rmtree(root + b"/modes")
    _, ours = check(writers.WRITERS[writer](root), "user")
    assert len(ours) > 20


# ---- packages ----

@pytest.mark.parametrize("options", (
    [], ["--format=tar.gz"], ["--prefix=sample-1.0/"]), ids=str)
def test_git_archive(tmp_path, options):
    root = tmp_path / "t"
    writers.odd_tree(root)
    for odd in ("fifo", "null", "disk"):
        (root / odd).unlink(missing_ok=True)
    _, ours = check(writers.git_archive(root, *options), USERS[0])
    assert len(ours) > 20


@pytest.mark.parametrize("compression", ("none", "gz", "xz", "zst"))
def test_the_data_member_of_a_debian_package(tmp_path, compression):
    root = os.fsencode(tmp_path / "t")
    writers.odd_tree(root)
    name = {"gz": "gzip", "zst": "zstd"}.get(compression, compression)
    if name == "zstd" and b"zstd" not in subprocess.run(
            ["dpkg-deb", "--help"], stdout=subprocess.PIPE,
            check=True).stdout:
        pytest.skip("this dpkg-deb writes no zstd")
    plain, packed = writers.deb_parts(root, os.fsencode(tmp_path), name)
    _, ours = check(plain, USERS[0])
    assert len(ours) > 35
    if compression != "none":
        assert tree.differences(ours, check(packed, USERS[0])[1]) == []


@pytest.mark.parametrize("user", USERS)
def test_npm_pack(user):
    with open(os.path.join(DATA, "npm", "tarn-sample-1.0.0.tgz"), "rb") as src:
        _, ours = check(src.read(), user)
    assert ours[b"package/bin/sample.js"]["mode"] == "0o100755"
    assert ours[b"package/lib/deep/numbers.txt"]["size"] == 13893


# ---- images ----

def layers():
    """Three; two of them are the same."""
    import tar_bytes as tar
    base = tar.archive(tar.directory(b"etc/"), tar.member(b"etc/hostname"),
                       tar.directory(b"bin/"), tar.member(b"bin/sh",
                                                          mode=0o755))
    upper = tar.archive(tar.pax({b"mtime": b"1.5"}),
                        tar.member(b"etc/.wh.hostname", b""),
                        tar.symlink(b"bin/bash", b"sh"))
    return [base, upper, base]


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("save", (writers.docker_save,
                                  writers.docker_save_oci))
def test_docker_save_and_the_layers_in_it(user, save):
    parts = layers()
    with Arena(user=user == "user") as arena:
        arena.extract(save(parts)).expect(0)
        found = [body for _, body in arena.picture().values()
                 if body in parts]
    check(save(parts), user)
    assert len(found) == 2
    for part in found:
        check(part, user)
