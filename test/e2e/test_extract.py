"""`tarn extract`: a local archive from a file, a pipe, a FIFO, or standard
input. What is restored is the business of the other tests."""
import io
import os
import signal
import subprocess
import tarfile
import time

import pytest

from local import Writer, in_terminal
import program
import tree

CODERS = ("none", "gz", "lz4", "zst", "xz", "bz2")


def archive(*members, size=0):
    """A pax archive of files: name, or (name, bytes)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for member in members:
            name, data = member if isinstance(member, tuple) \
                else (member, name_data(member))
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        if size:
            info = tarfile.TarInfo("large")
            info.size = size
            tar.addfile(info, io.BytesIO(bytes(size)))
    return out.getvalue()


def name_data(name):
    return name.encode() * 3


@pytest.fixture
def saved(tmp_path, small_tree):
    path = tmp_path / "a.tar"
    path.write_bytes(small_tree.bytes())
    return path


def same_as_gnu(small_tree, target):
    assert tree.differences(small_tree.expected(), target) == []


@pytest.mark.parametrize("coder", CODERS)
def test_a_file_in_any_compression_is_extracted_as_gnu_tar_does(
        tarn, small_tree, tmp_path, coder):
    path = tmp_path / "archive"
    path.write_bytes(small_tree.bytes(coder=coder))
    tarn("extract", path, "-C", tmp_path / "o").expect(0)
    same_as_gnu(small_tree, tmp_path / "o")


def test_the_input_can_be_named_by_i_and_by_its_long_name(tarn, saved,
                                                          small_tree,
                                                          tmp_path):
    tarn("extract", "-i", saved, "-C", tmp_path / "a").expect(0)
    tarn("extract", "--input=" + str(saved), "-C", tmp_path / "b").expect(0)
    same_as_gnu(small_tree, tmp_path / "a")
    same_as_gnu(small_tree, tmp_path / "b")


def test_without_c_it_goes_here(tarn, tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "a.tar").write_bytes(archive("x"))
    tarn("extract", "../a.tar", cwd=tmp_path / "here").expect(0)
    assert os.listdir(tmp_path / "here") == ["x"]


@pytest.mark.parametrize("how", ([], ["-"], ["-i", "-"]))
def test_standard_input_is_a_file(tarn, saved, small_tree, tmp_path, how):
    with open(saved, "rb") as src:
        tarn("extract", *how, "-C", tmp_path / "o", stdin=src).expect(0)
    same_as_gnu(small_tree, tmp_path / "o")


def test_standard_input_is_a_pipe(small_tree, tmp_path):
    ours, theirs = os.pipe()
    proc = program.start("extract", "-C", tmp_path / "o", stdin=ours)
    os.close(ours)
    with Writer(theirs, small_tree.bytes(coder="gz"), piece=10_000,
                pause=0.001):
        program.finish(proc).expect(0)
    same_as_gnu(small_tree, tmp_path / "o")


def test_a_pipe_that_gives_a_byte_at_a_time_is_read(tmp_path):
    ours, theirs = os.pipe()
    proc = program.start("extract", "-C", tmp_path / "o", stdin=ours)
    os.close(ours)
    with Writer(theirs, archive("x"), piece=7):
        program.finish(proc).expect(0)
    assert (tmp_path / "o/x").read_bytes() == name_data("x")


def test_an_input_is_read_from_where_it_stands(tmp_path):
    """As after a shell's read: what is in front is no business of ours."""
    (tmp_path / "f").write_bytes(b"first line\n" + archive("x", "y"))
    with open(tmp_path / "f", "rb", buffering=0) as src:
        assert len(src.read(11)) == 11
        program.run("extract", "-C", tmp_path / "o", stdin=src).expect(0)
    assert sorted(os.listdir(tmp_path / "o")) == ["x", "y"]


def test_a_fifo_is_read_when_its_writer_is_late_and_slow(small_tree, tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with Writer(fifo, small_tree.bytes(), piece=20_000, pause=0.002, late=1):
        program.run("extract", fifo, "-C", tmp_path / "o").expect(0)
    same_as_gnu(small_tree, tmp_path / "o")


@pytest.mark.parametrize("sig, code", ((signal.SIGINT, 130),
                                       (signal.SIGTERM, 143)))
def test_a_fifo_without_a_writer_can_be_interrupted(tmp_path, sig, code):
    os.mkfifo(tmp_path / "fifo")
    proc = program.start("extract", tmp_path / "fifo", "-C", tmp_path / "o")
    time.sleep(0.7)
    assert proc.poll() is None
    program.send(proc, sig)
    program.finish(proc, 10).expect(code)


def test_a_signal_in_the_middle_removes_what_is_unfinished(tmp_path):
    data = archive("done", size=4_000_000)
    ours, theirs = os.pipe()
    proc = program.start("extract", "-C", tmp_path / "o", stdin=ours)
    os.close(ours)
    os.write(theirs, data[:30_000])
    for _ in range(100):
        time.sleep(0.05)
        if os.path.exists(tmp_path / "o/done"):
            break
    program.send(proc, signal.SIGINT)
    res = program.finish(proc, 10).expect(130)
    os.close(theirs)
    assert os.listdir(tmp_path / "o") in (["done"], [])
    assert "interrupted" in res.err


def test_an_empty_input_is_no_archive(tarn, tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    for args in (["extract", "-"], ["extract", tmp_path / "empty"]):
        res = tarn(*args, "-C", tmp_path / "o").expect(65)
        assert ": " in res.err and len(res.err.splitlines()) == 1


def test_a_terminal_as_input_is_refused(tmp_path):
    for args in (["extract"], ["extract", "-"], ["list", "-"]):
        code, text = in_terminal(*args, cwd=tmp_path)
        assert code == 64 and b"standard input is a terminal" in text
    assert os.listdir(tmp_path) == []


def test_a_closed_input_is_told(tmp_path):
    res = subprocess.run(["sh", "-c", '"$0" extract -C "$1" <&-',
                          program.program(), str(tmp_path / "o")],
                         stderr=subprocess.PIPE)
    assert res.returncode == 66 and b"standard input is not open" in res.stderr


def test_a_missing_file_is_2(tarn, tmp_path):
    res = tarn("extract", "no.tar", cwd=tmp_path).expect(2)
    assert res.err == "tarn: no.tar: open: No such file or directory\n"


def test_a_directory_is_66(tarn, tmp_path):
    res = tarn("extract", tmp_path).expect(66)
    assert "Is a directory" in res.err


def test_a_file_below_a_file_is_66(tarn, tmp_path):
    (tmp_path / "f").write_bytes(b"")
    assert "Not a directory" in tarn("extract", tmp_path / "f/x").expect(66).err


@pytest.mark.skipif(os.geteuid() == 0 and not os.path.exists("/usr/bin/setpriv"),
                    reason="root reads everything")
def test_a_file_without_permission_is_66(tmp_path):
    path = tmp_path / "a.tar"
    path.write_bytes(archive("x"))
    path.chmod(0)
    argv = [program.program(), "extract", "../a.tar"]
    if os.geteuid() == 0:
        argv = ["setpriv", "--reuid=65534", "--regid=65534",
                "--clear-groups"] + argv
    (tmp_path / "o").mkdir()
    res = subprocess.run(argv, stderr=subprocess.PIPE, cwd=tmp_path / "o",
                         env=program.environment())
    assert (res.returncode, res.stderr) == \
        (66, b"tarn: ../a.tar: open: Permission denied\n")


def test_a_url_is_answered_with_get(tarn, server):
    url = server.add("/x.tar", archive("x"))
    assert "tarn get URL" in tarn("extract", url).expect(64).err
    assert server.log == []


def test_a_name_with_a_scheme_in_it_is_a_file_behind_a_dot(tarn, tmp_path):
    (tmp_path / "http:").mkdir()
    (tmp_path / "http:/x").write_bytes(archive("x"))
    tarn("extract", "./http://x", "-C", "o", cwd=tmp_path).expect(0)
    assert os.listdir(tmp_path / "o") == ["x"]


def test_a_name_with_a_dash_follows_two_dashes(tarn, tmp_path):
    (tmp_path / "-a.tar").write_bytes(archive("x"))
    tarn("extract", "-C", "o", "--", "-a.tar", cwd=tmp_path).expect(0)
    assert os.listdir(tmp_path / "o") == ["x"]


@pytest.mark.parametrize("coder, name", (("lz4", "lz4"), ("gz", "gzip"),
                                         ("none", "tar")))
def test_the_compression_can_be_given(tarn, tmp_path, coder, name):
    (tmp_path / "a").write_bytes(tree.encode(archive("x"), coder))
    tarn("extract", "a", "-C", "o", "--compression=" + name,
         cwd=tmp_path).expect(0)
    wrong = "gzip" if name != "gzip" else "xz"
    tarn("extract", "a", "-C", "p", "--compression=" + wrong,
         cwd=tmp_path).expect((65, 69))
    assert not os.path.exists(tmp_path / "p") or \
        os.listdir(tmp_path / "p") == []


def test_members_are_stripped_and_chosen(tarn, tmp_path):
    (tmp_path / "a.tar").write_bytes(archive("t/a/1", "t/b/2", "t/b/3"))
    tarn("extract", "a.tar", "-C", "o", "--strip-components=1",
         "--include=b", "--exclude=*3", cwd=tmp_path).expect(0)
    assert sorted(os.listdir(tmp_path / "o")) == ["b"]
    assert os.listdir(tmp_path / "o/b") == ["2"]


def test_v_names_entries_on_stderr(tarn, tmp_path):
    (tmp_path / "a.tar").write_bytes(archive("x", "y"))
    res = tarn("extract", "-v", "a.tar", "-C", "o", cwd=tmp_path).expect(0)
    assert res.out == b"" and res.err.splitlines()[:2] == ["x", "y"]


def test_q_says_nothing(tarn, tmp_path):
    (tmp_path / "a.tar").write_bytes(archive("x", "y"))
    res = tarn("extract", "-q", "a.tar", "-C", "o", cwd=tmp_path).expect(0)
    assert (res.out, res.err) == (b"", "")


def test_json_progress_tells_of_a_local_archive(tarn, tmp_path):
    (tmp_path / "a.tar").write_bytes(archive("x", "y"))
    res = tarn("extract", "--progress=json", "a.tar", "-C", "o",
               cwd=tmp_path).expect(0)
    assert '"event":"start"' in res.err and '"url":"a.tar"' in res.err
    assert '"target":"directory"' in res.err and '"files":2' in res.err
    assert '"wire_total":%d' % (tmp_path / "a.tar").stat().st_size in res.err


def test_a_dry_run_prints_names_and_writes_nothing(tarn, tmp_path):
    (tmp_path / "a.tar").write_bytes(archive("t/x", "t/y"))
    before = os.listdir(tmp_path)
    res = tarn("extract", "-n", "a.tar", "-C", "o", "--exclude=y",
               cwd=tmp_path).expect(0)
    assert (res.out, res.err) == (b"t/x\n", "")
    res = tarn("extract", "--dry-run", "-v", "a.tar", cwd=tmp_path).expect(0)
    assert res.out == tarn("list", "-v", "a.tar", cwd=tmp_path).out
    assert os.listdir(tmp_path) == before


def test_what_fast_archivers_scripts_pass_is_accepted(tarn, tmp_path):
    (tmp_path / "a.tar").write_bytes(archive("x"))
    tarn("extract", "-i", "a.tar", "-C", "o", "-b", "20", "--multicpu=2",
         "--dir-readers=16", "--file-readers=16", "--block-size=4096",
         "--queue-dir=10", "--queue-read=10", "--queue-write=10",
         "--ignore-perms", "--ignore-owners", cwd=tmp_path).expect(0)
    assert os.listdir(tmp_path / "o") == ["x"]


@pytest.mark.needs("digests")
def test_a_digest_is_of_the_bytes_of_the_file(tarn, tmp_path):
    path = tmp_path / "a.tar.gz"
    path.write_bytes(tree.encode(archive("x"), "gz"))
    said = subprocess.run(["sha256sum", path], check=True,
                          stdout=subprocess.PIPE).stdout.split()[0].decode()
    tarn("extract", path, "-C", tmp_path / "o",
         "--digest=sha256:" + said).expect(0)
    tarn("extract", path, "-C", tmp_path / "p",
         "--digest=sha256:" + "0" * 64).expect(65)


def test_a_file_that_is_cut_is_65(tarn, tmp_path):
    data = archive("x", size=100_000)
    (tmp_path / "a.tar").write_bytes(data[:50_000])
    res = tarn("extract", "a.tar", "-C", "o", cwd=tmp_path).expect(65)
    assert os.listdir(tmp_path / "o") == ["x"]
    assert res.err.startswith("tarn: a.tar: ")


def test_without_end_blocks_a_file_warns_and_a_pipe_fails(tarn, tmp_path):
    data = archive("x").rstrip(b"\0")
    data += bytes(-len(data) % 512)
    (tmp_path / "a.tar").write_bytes(data)
    res = tarn("extract", "a.tar", "-C", "o", cwd=tmp_path).expect(0)
    assert res.err != ""
    proc = program.start("extract", "-C", tmp_path / "p",
                         stdin=subprocess.PIPE)
    proc.stdin.write(data)
    proc.stdin.close()
    program.finish(proc).expect(65)


def test_a_time_limit_ends_the_wait_for_a_writer(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    res = program.run("extract", tmp_path / "fifo", "-C", tmp_path / "o",
                      "--max-time=0.5", timeout=20)
    assert res.code == 5 and res.seconds < 10


def test_memory_stays_small_for_a_large_file(tarn, tmp_path):
    (tmp_path / "a.tar").write_bytes(archive("x", size=200_000_000))
    res = tarn("extract", "a.tar", "-C", "o", "--memory=4Mi",
               cwd=tmp_path).expect(0)
    assert os.path.getsize(tmp_path / "o/large") == 200_000_000
    if not program.SANITIZED:
        assert res.maxrss < 36 << 20
