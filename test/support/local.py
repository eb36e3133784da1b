"""Archives that are not downloaded: files, pipes, FIFOs; and runs of the
program in a terminal.

    with SlowWriter(fifo, data, piece=1000, pause=0.01):
        run("extract", fifo)
    code, text = in_terminal("list", "x.tar")
"""
import os
import pty
import select
import subprocess
import threading
import time

import program


class Writer:
    """Writes `data` to the end `path` of a FIFO, or to a descriptor, from a
    thread: after `late` seconds, in pieces with pauses between them."""

    def __init__(self, where, data, piece=65536, pause=0.0, late=0.0):
        self._args = where, data, piece, pause, late
        self._thread = threading.Thread(target=self._write, daemon=True)

    def _write(self):
        where, data, piece, pause, late = self._args
        time.sleep(late)
        fd = where if isinstance(where, int) else os.open(where, os.O_WRONLY)
        try:
            for at in range(0, len(data), piece):
                os.write(fd, data[at:at + piece])
                time.sleep(pause)
        except OSError:
            pass  # the program has had enough
        os.close(fd)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *exc):
        self._thread.join(30)


def in_terminal(*args, cwd=None, streams="012", keys=b"", seconds=60):
    """Runs the program with a terminal as its standard `streams`; the others
    are /dev/null. Returns its exit status and what the terminal got."""
    ours, theirs = pty.openpty()
    fds = [theirs if str(n) in streams else subprocess.DEVNULL
           for n in range(3)]
    argv = [program.program()] + [os.fsencode(str(a)) for a in args]
    proc = subprocess.Popen(argv, stdin=fds[0], stdout=fds[1], stderr=fds[2],
                            cwd=cwd, env=program.environment(TERM="xterm"))
    os.close(theirs)
    os.write(ours, keys)
    got, until = b"", time.monotonic() + seconds
    while time.monotonic() < until:
        if not select.select([ours], [], [], 0.2)[0]:
            continue
        try:
            part = os.read(ours, 65536)
        except OSError:  # the last to hold the other end has closed it
            break
        if not part:
            break
        got += part
    else:
        proc.kill()
    os.close(ours)
    code = proc.wait()
    assert not any(r.encode() in got for r in ("Sanitizer", "runtime error"))
    return code, got.replace(b"\r\n", b"\n")
