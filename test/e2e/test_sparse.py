"""A1, D3: sparse files that GNU tar and bsdtar pack, in each of their forms,
come out with the content, the size and the holes that GNU tar restores."""
import hashlib
import os
import random
import shutil
import subprocess

import pytest

GNU = {"gnu": ["--format=gnu"], "oldgnu": ["--format=oldgnu"],
       "pax-0.0": ["--format=posix", "--sparse-version=0.0"],
       "pax-0.1": ["--format=posix", "--sparse-version=0.1"],
       "pax-1.0": ["--format=posix", "--sparse-version=1.0"]}
MIB = 1 << 20


def write(path, size, pieces):
    """A file of `size` bytes with data only at (offset, length)."""
    rnd = random.Random(size)
    with open(path, "wb") as out:
        for at, length in pieces:
            out.seek(at)
            out.write(rnd.randbytes(length))
        out.truncate(size)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    top = tmp_path_factory.mktemp("sparse")
    src = top / "src"
    src.mkdir()
    write(src / "hole", 9 * MIB, [])
    write(src / "ends-in-hole", 9 * MIB, [(0, 4096), (4 * MIB, 8192)])
    write(src / "ends-in-data", 4 * MIB + 100, [(4 * MIB, 100)])
    write(src / "begins-with-hole", 4 * MIB, [(2 * MIB, MIB)])
    write(src / "few", 40 * 65536, [(i * 65536, 4096) for i in range(4)])
    write(src / "block", 40 * 65536, [(i * 65536, 4096) for i in range(25)])
    write(src / "many", 300 * 65536, [(i * 65536, 4096) for i in range(300)])
    write(src / "far", 5 << 40, [(0, 10), (4 << 40, 4096)])
    write(src / "dense", 70000, [(0, 70000)])
    write(src / "empty", 0, [])
    write(src / ("long-" + "n" * 200), 9 * MIB, [(MIB, 4096)])
    yield src
    shutil.rmtree(top, ignore_errors=True)


def content(path):
    """SHA-256 of the bytes, and where they are: holes are stepped over."""
    sha = hashlib.sha256()
    size = os.stat(path).st_size
    with open(path, "rb") as data:
        at = 0
        while at < size:
            try:
                at = os.lseek(data.fileno(), at, os.SEEK_DATA)
            except OSError:
                break
            end = os.lseek(data.fileno(), at, os.SEEK_HOLE)
            os.lseek(data.fileno(), at, os.SEEK_SET)
            while at < end:
                part = os.pread(data.fileno(), min(MIB, end - at), at)
                # Whole pages of zeros may be a hole in one file and not in
                # the other.
                for i in range(0, len(part), 4096):
                    page = part[i:i + 4096]
                    if page.strip(b"\0"):
                        sha.update(b"%d:" % (at + i) + page.rstrip(b"\0"))
                at += len(part)
    return size, sha.hexdigest()


def compare(files, target):
    assert sorted(os.listdir(target)) == sorted(os.listdir(files))
    for name in os.listdir(files):
        assert content(target / name) == content(files / name), name
        used = os.stat(target / name).st_blocks * 512
        packed = os.stat(files / name).st_blocks * 512
        assert used <= 2 * packed + 65536, name


@pytest.mark.parametrize("form", sorted(GNU))
def test_sparse_files_of_gnu_tar_come_out_with_their_holes(tarn, files,
                                                           tmp_path, form):
    archive = tmp_path / "a.tar"
    subprocess.run(["tar", "-S", "-cf", archive, "-C", files, "."]
                   + GNU[form], check=True)
    tarn("get", "file://%s" % archive, "-C", tmp_path / "out").expect(0)
    compare(files, tmp_path / "out")
    (tmp_path / "gnu").mkdir()
    subprocess.run(["tar", "-xf", archive, "-C", tmp_path / "gnu"], check=True)
    compare(tmp_path / "gnu", tmp_path / "out")


@pytest.mark.skipif(not shutil.which("bsdtar"), reason="no bsdtar")
def test_sparse_files_of_bsdtar_come_out_with_their_holes(tarn, files,
                                                          tmp_path):
    archive = tmp_path / "a.tar"
    subprocess.run(["bsdtar", "--format=pax", "-cf", archive, "-C", files,
                    "."], check=True)
    tarn("get", "file://%s" % archive, "-C", tmp_path / "out").expect(0)
    compare(files, tmp_path / "out")


def test_a_compressed_sparse_file_is_read(tarn, files, tmp_path):
    archive = tmp_path / "a.tar.gz"
    subprocess.run(["tar", "-Sczf", archive, "--format=posix", "-C", files,
                    "."], check=True)
    tarn("get", "file://%s" % archive, "-C", tmp_path / "out").expect(0)
    compare(files, tmp_path / "out")
