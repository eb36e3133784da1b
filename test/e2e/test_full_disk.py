"""A disk that is full, out of inodes or read-only: the job ends at once with
exit 28, and what was not complete is gone."""
import io
import os
import subprocess
import tarfile

import pytest

import program

SCRIPT = r"""
set -e
mount -t tmpfs -o "$OPTIONS" none "$TARGET"
cd "$TARGET"
mkdir in
[ -z "$AGAIN" ] || mount -o "remount,$AGAIN" none "$TARGET"
code=0
"$TARN" extract "$ARCHIVE" -C "$TARGET/in" "$@" || code=$?
echo "code $code"
find . -mindepth 1 -printf '%y %s %p\n'
"""


def can_mount():
    probe = ["unshare", "-rm", "sh", "-c", "mount -t tmpfs none /mnt"]
    try:
        return subprocess.run(probe, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


pytestmark = pytest.mark.skipif(
    not can_mount(), reason="no mount in a namespace of one's own")


def archive(sizes):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for i, size in enumerate(sizes):
            info = tarfile.TarInfo("f%04d" % i)
            info.size = size
            tar.addfile(info, io.BytesIO(os.urandom(size)))
    return out.getvalue()


def extract(tmp_path, data, options, *args, again=""):
    """Exit code, messages, and {path: size} of what is there in the end."""
    (tmp_path / "a.tar").write_bytes(data)
    (tmp_path / "mnt").mkdir()
    env = program.environment(TARN=program.program(), OPTIONS=options,
                              AGAIN=again, ARCHIVE=str(tmp_path / "a.tar"),
                              TARGET=str(tmp_path / "mnt"))
    res = subprocess.run(["unshare", "-rm", "sh", "-c", SCRIPT, "sh", *args],
                         env=env, capture_output=True, text=True, timeout=120)
    assert res.returncode == 0, res.stderr
    assert "Sanitizer" not in res.stderr, res.stderr
    lines = res.stdout.splitlines()
    found = {}
    for line in lines[1:]:
        kind, size, path = line.split(" ", 2)
        if kind == "f":
            found[path] = int(size)
    return int(lines[0].split()[1]), res.stderr, found


@pytest.mark.parametrize("sizes", ([100_000] * 40, [3_000_000],
                                   [900_000, 0, 900_000, 10]))
def test_a_full_disk_ends_the_job_and_leaves_no_partial_file(tmp_path, sizes):
    code, err, found = extract(tmp_path, archive(sizes), "size=1m")
    assert code == 28, err
    assert "No space left on device" in err
    for path, size in found.items():
        assert size == sizes[int(path[-4:])], (path, size)
    assert len(found) < len(sizes)


def test_a_disk_without_inodes_ends_the_job(tmp_path):
    code, err, found = extract(tmp_path, archive([10] * 100),
                               "size=10m,nr_inodes=20")
    assert code == 28, err
    assert "No space left on device" in err
    assert found and all(size == 10 for size in found.values())


def test_a_read_only_disk_ends_the_job(tmp_path):
    code, err, found = extract(tmp_path, archive([10] * 3), "size=1m",
                               again="ro")
    assert code == 28, err
    assert "Read-only file system" in err
    assert found == {}


def test_a_sparse_file_larger_than_the_disk_fits(tmp_path):
    with open(tmp_path / "sparse", "wb") as out:
        out.write(b"begin")
        out.truncate(100 << 20)
    data = subprocess.run(["tar", "-S", "--format=posix", "-C", str(tmp_path),
                           "-cf", "-", "sparse"], check=True,
                          stdout=subprocess.PIPE).stdout
    code, err, found = extract(tmp_path, data, "size=1m")
    assert code == 0, err
    assert found == {"./in/sparse": 100 << 20}
