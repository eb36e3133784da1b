"""--atomic: the tree appears whole, by one rename, or not at all."""
import io
import os
import random
import shutil
import signal
import subprocess
import tarfile
import time

import pytest

import program
from program import RETRY


def archive(n=50, size=20_000, bad=False, mode=None):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        if mode is not None:
            top = tarfile.TarInfo("./")
            top.type, top.mode = tarfile.DIRTYPE, mode
            tar.addfile(top)
        for i in range(n):
            d = tarfile.TarInfo("d%d" % i)
            d.type, d.mode = tarfile.DIRTYPE, 0o500
            tar.addfile(d)
            info = tarfile.TarInfo("d%d/f%d" % (i, i))
            info.size = size
            tar.addfile(info, io.BytesIO(b"%c" % (i % 256) * size))
        if bad:
            tar.addfile(tarfile.TarInfo("../outside"))
    return out.getvalue()


@pytest.fixture
def there(tmp_path):
    """Runs `tarn extract --atomic` into tmp_path/in/tree."""
    (tmp_path / "in").mkdir()

    def extract(data, *args, target=None):
        (tmp_path / "a.tar").write_bytes(data)
        return program.run("extract", tmp_path / "a.tar", "-C",
                           target or tmp_path / "in/tree", "--atomic", *args)
    extract.top = tmp_path / "in"
    yield extract
    subprocess.run(["chmod", "-R", "u+rwx", str(tmp_path)])


def is_whole(tree, n=50, size=20_000):
    return all((tree / ("d%d" % i) / ("f%d" % i)).stat().st_size == size
               for i in range(n)) and len(os.listdir(tree)) == n


def test_a_tree_appears_with_the_mode_of_any_new_directory(there):
    there(archive()).expect(0)
    assert os.listdir(there.top) == ["tree"]
    assert is_whole(there.top / "tree")
    assert (there.top / "tree").stat().st_mode & 0o7777 == 0o755


def test_an_empty_directory_gives_its_place_and_its_mode(there):
    (there.top / "tree").mkdir(mode=0o710)
    there(archive(), target=str(there.top / "tree") + "//").expect(0)
    assert is_whole(there.top / "tree")
    assert (there.top / "tree").stat().st_mode & 0o7777 == 0o710


def test_a_member_for_the_target_itself_sets_its_mode(there):
    there(archive(mode=0o701)).expect(0)
    assert (there.top / "tree").stat().st_mode & 0o7777 == 0o701


def test_missing_directories_above_are_made(there):
    there(archive(), target=there.top / "x/y/tree").expect(0)
    assert is_whole(there.top / "x/y/tree")


@pytest.mark.parametrize("cut", (100, 5_000, 500_000))
def test_a_cut_archive_leaves_nothing(there, cut):
    there(archive()[:cut]).expect(65)
    assert os.listdir(there.top) == []


def test_an_empty_directory_stays_empty_when_it_fails(there):
    (there.top / "tree").mkdir()
    there(archive()[:500_000]).expect(65)
    assert os.listdir(there.top) == ["tree"]
    assert os.listdir(there.top / "tree") == []


def test_one_entry_that_fails_is_enough_for_nothing_to_appear(there):
    res = there(archive(bad=True)).expect(1)
    assert "left as it was" in res.err
    assert os.listdir(there.top) == []


def test_a_wrong_digest_leaves_nothing(there):
    there(archive(), "--digest=sha256:" + "0" * 64).expect(65)
    assert os.listdir(there.top) == []


test_a_wrong_digest_leaves_nothing = pytest.mark.needs("digests")(
    test_a_wrong_digest_leaves_nothing)


def make_full(path):
    path.mkdir()
    (path / "x").write_text("x")


@pytest.mark.parametrize("make, why", (
    (make_full, "it is not empty"),
    (lambda path: path.write_text("x"), "it is not a directory"),
    (lambda path: path.symlink_to("."), "it is a symbolic link"),
    (lambda path: path.symlink_to("nowhere"), "it is a symbolic link"),
), ids=("full", "file", "link", "dangling"))
def test_what_a_rename_cannot_replace_is_refused_before_the_first_request(
        there, server, make, why):
    make(there.top / "tree")
    before = sorted(os.listdir(there.top))
    url = server.add("/a.tar", archive())
    for res in (there(archive()),
                program.run("get", url, "-C", there.top / "tree", "--atomic",
                            *RETRY)):
        res.expect(64)
        assert why in res.err
    assert sorted(os.listdir(there.top)) == before
    assert server.requests("/a.tar") == []


@pytest.mark.parametrize("name", (".", "..", "/", "./", "tree/.."))
def test_a_target_without_a_name_of_its_own_is_refused(there, name):
    res = there(archive(), target=name).expect(64)
    assert "no name of its own" in res.err


def test_a_mount_point_is_refused(there, tmp_path):
    script = ('mkdir "$1" && mount -t tmpfs none "$1" && '
              'exec "$TARN" extract "$2" -C "$1" --atomic')
    (tmp_path / "a.tar").write_bytes(archive())
    argv = ["unshare", "-rm", "sh", "-c", script, "sh",
            str(there.top / "tree"), str(tmp_path / "a.tar")]
    res = subprocess.run(argv, capture_output=True, text=True,
                         env=program.environment(TARN=program.program()))
    if "unshare" in res.stderr or "mount:" in res.stderr:
        pytest.skip("no mount in a namespace of one's own")
    assert res.returncode == 64 and "mount point" in res.stderr


def test_a_full_work_tree_of_another_user_run_is_not_touched(there):
    """A run that is still at work holds a lock on its tree."""
    import fcntl
    held = there.top / ".tree.tarn-abcdef"
    held.mkdir()
    (held / "x").write_text("x")
    fd = os.open(held, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    there(archive()).expect(0)
    assert (held / "x").exists()
    os.close(fd)
    shutil.rmtree(there.top / "tree", ignore_errors=True)
    subprocess.run(["rm", "-rf", str(there.top / "tree")])
    there(archive()).expect(0)
    assert os.listdir(there.top) == ["tree"]


def test_only_ones_own_work_trees_are_taken_for_stale(there):
    others = [".tree.tarn-abc", ".tree.tarn-abcdefg", ".trees.tarn-abcdef",
              "tree.tarn-abcdef", ".tree.tarn_abcdef"]
    for name in others:
        (there.top / name).mkdir()
    (there.top / ".tree.tarn-symlnk").symlink_to("/etc")
    (there.top / ".tree.tarn-file00").write_text("x")
    there(archive()).expect(0)
    assert sorted(os.listdir(there.top)) == sorted(
        others + ["tree", ".tree.tarn-symlnk", ".tree.tarn-file00"])
    assert os.path.isdir("/etc")


def start_slow(there, tmp_path):
    """A run that waits for the rest of its input."""
    proc = program.start("extract", "-", "-C", there.top / "tree", "--atomic",
                         stdin=subprocess.PIPE)
    proc.stdin.write(archive()[:600_000])
    proc.stdin.flush()
    deadline = time.monotonic() + 20
    while not any(any(f.name.startswith("d") for f in os.scandir(d.path))
                  for d in os.scandir(there.top)):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return proc


@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM))
def test_a_signal_leaves_nothing(there, tmp_path, number):
    proc = start_slow(there, tmp_path)
    proc.send_signal(number)
    program.finish(proc).expect(128 + number)
    assert os.listdir(there.top) == []


def test_what_a_killed_run_leaves_is_hidden_and_removed_by_the_next(there,
                                                                   tmp_path):
    rnd = random.Random(5)
    for _ in range(10):
        proc = start_slow(there, tmp_path)
        time.sleep(rnd.random() * 0.05)
        proc.kill()
        proc.stdin.close()
        proc.wait()
        left = os.listdir(there.top)
        assert len(left) == 1 and left[0].startswith(".tree.tarn-")
    there(archive()).expect(0)
    assert os.listdir(there.top) == ["tree"]
    assert is_whole(there.top / "tree")


@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace")
@pytest.mark.skipif(program.SANITIZED, reason="strace and leak checking")
@pytest.mark.parametrize("sync", (True, False))
def test_all_is_on_the_disk_before_the_rename_unless_told_otherwise(
        there, tmp_path, sync):
    (tmp_path / "a.tar").write_bytes(archive())
    log = tmp_path / "log"
    argv = ["strace", "-f", "-o", str(log), "-e",
            "trace=syncfs,fsync,rename,renameat,renameat2",
            program.program(), "extract", str(tmp_path / "a.tar"), "-C",
            str(there.top / "tree"), "--atomic"]
    res = subprocess.run(argv + ([] if sync else ["--no-sync"]),
                         capture_output=True, text=True)
    if "ptrace" in res.stderr.lower():
        pytest.skip("no ptrace here")
    assert res.returncode == 0, res.stderr
    calls = [line.split()[1].partition("(")[0] for line in
             log.read_text().splitlines() if "(" in line and "+++" not in line]
    assert calls == (["syncfs", "renameat", "fsync"] if sync
                     else ["renameat"])
