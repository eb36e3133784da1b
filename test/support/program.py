"""Runs the program under test and keeps what it did.

    res = run("get", url, "-O", "--raw")
    assert res.code == 0 and res.out == data

The environment is small and the same everywhere: no proxies, no netrc, an
own HOME. A run that outlives its time limit is killed and fails the test, so
nothing hangs. A report of a sanitizer fails the test too.
"""
import os
import subprocess
import threading
import time

import pytest

SANITIZED = os.environ.get("TARN_SANITIZED") == "1"
# Short pauses, so that tests of retries are quick.
QUICK = ["--retry-wait=50ms", "--max-wait=200ms", "--min-speed-wait=1"]
RETRY = QUICK + ["--retry-count=4"]
_KEPT = ("PATH", "TMPDIR", "LD_LIBRARY_PATH", "ASAN_OPTIONS",
         "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS",
         "ASAN_SYMBOLIZER_PATH", "LLVM_PROFILE_FILE")
_REPORTS = ("AddressSanitizer", "LeakSanitizer", "ThreadSanitizer",
            "MemorySanitizer", "runtime error:")


def program():
    """Path of the program; without it nothing here can be tested."""
    path = os.environ.get("TARN")
    if not path or not os.access(path, os.X_OK):
        pytest.fail("set TARN to the path of the tarn program", False)
    return os.path.abspath(path)


def environment(home="/nonexistent", **extra):
    env = {k: os.environ[k] for k in _KEPT if k in os.environ}
    env["HOME"] = str(home)
    env["LC_ALL"] = "C.UTF-8"
    # A sanitizer's exit code must not look like one of the program's.
    for name in ("ASAN_OPTIONS", "TSAN_OPTIONS"):
        env[name] = (env.get(name, "") + ":exitcode=99").lstrip(":")
    env.update(extra)
    return env


def missing_features():
    """Names of what `tarn --version` says is not in this build."""
    if not os.environ.get("TARN"):
        return set()
    text = subprocess.run([program(), "--version"], check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    return {line.split()[0] for line in text.splitlines()
            if line.endswith("not in this build")}


class Result:
    """How a run ended. `out` is bytes, `err` text, `maxrss` bytes."""

    def __init__(self, code, out, err, seconds, maxrss):
        self.code, self.out, self.seconds = code, out, seconds
        self.err = err.decode("utf-8", "surrogateescape")
        self.maxrss = maxrss
        for report in _REPORTS:
            assert report not in self.err, self.err

    def __repr__(self):
        return "exit %d after %.2f s, %d bytes out, stderr:\n%s" % (
            self.code, self.seconds, len(self.out), self.err)

    def expect(self, code):
        """Asserts the exit code; the whole story is in the failure."""
        codes = code if isinstance(code, tuple) else (code,)
        assert self.code in codes, "expected %s: %r" % (code, self)
        return self


def start(*args, env=None, **popen):
    """Starts the program; the caller ends it with finish()."""
    popen.setdefault("stdin", subprocess.DEVNULL)
    popen.setdefault("stdout", subprocess.PIPE)
    popen.setdefault("stderr", subprocess.PIPE)
    argv = [program()] + [a if isinstance(a, bytes) else str(a) for a in args]
    proc = subprocess.Popen(argv, env=env or environment(), **popen)
    proc.began = time.monotonic()
    return proc


def send(proc, signal):
    """Sends a signal. (Popen.send_signal would reap a child that has ended,
    and finish() could no longer tell what it used.)"""
    os.kill(proc.pid, signal)


class Peak:
    """The most memory a process had resident, read from the kernel's own mark
    fifty times a second. (ru_maxrss of a child starts with its parent's: with
    a test program of a gigabyte it says nothing.)"""

    def __init__(self, pid):
        self._path = "/proc/%d/status" % pid
        self._bytes = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self):
        while not self._over.wait(0.02):
            try:
                with open(self._path) as status:
                    for line in status:
                        if line.startswith("VmHWM:"):
                            self._bytes = int(line.split()[1]) * 1024
            except OSError:
                return

    def end(self):
        self._over.set()
        self._thread.join()
        return self._bytes


def finish(proc, timeout=60):
    """Reads all output and waits; kills and fails after `timeout` seconds."""
    got = {}

    def read(name):
        pipe = getattr(proc, name)
        got[name] = pipe.read() if pipe else b""

    late = threading.Event()

    def kill():
        late.set()
        os.kill(proc.pid, 9)

    timer = threading.Timer(timeout * (2 if SANITIZED else 1), kill)
    timer.start()
    readers = [threading.Thread(target=read, args=(n,), daemon=True)
               for n in ("stdout", "stderr")]
    for reader in readers:
        reader.start()
    peak = Peak(proc.pid)
    _, status, _ = os.wait4(proc.pid, 0)
    timer.cancel()
    proc.returncode = os.waitstatus_to_exitcode(status)
    for reader in readers:
        reader.join(10)
    for pipe in (proc.stdout, proc.stderr):
        if pipe:
            pipe.close()
    res = Result(proc.returncode, got.get("stdout", b""),
                 got.get("stderr", b""), time.monotonic() - proc.began,
                 peak.end())
    if late.is_set():
        pytest.fail("no end after %d s: %r" % (timeout, res))
    return res


def run(*args, timeout=60, **popen):
    return finish(start(*args, **popen), timeout)
