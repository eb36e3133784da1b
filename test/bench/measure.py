"""Runs one way of a group and says what it cost."""
import json
import os
import shutil
import subprocess
import threading
import time

import serve


class Failed(Exception):
    pass


class Cost:
    def __init__(self, wall, cpu, resident, budget):
        self.wall, self.cpu = wall, cpu
        self.resident, self.budget = resident, budget


def installed(way):
    return all(shutil.which(program) for program in way.needs)


def own_size():
    """Resident bytes of this process: a child begins with its parent's."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Bench:
    def __init__(self, where, files):
        self.files = files
        self.out = os.path.join(where, "out")
        self.file = os.path.join(where, "out.file")

    def run(self, way):
        shutil.rmtree(self.out, ignore_errors=True)
        if os.path.exists(self.file):
            os.unlink(self.file)
        os.mkdir(self.out)
        read_fd, write_fd = os.pipe()
        line = way.line.format(out=self.out, file=self.file, fd=write_fd)
        lines = []
        reader = threading.Thread(target=_read, args=(read_fd, lines))
        with open(self.out + ".err", "w+b") as err:
            began = time.monotonic()
            # bash for pipefail: the first program's failure counts as well.
            proc = subprocess.Popen(
                ["bash", "-o", "pipefail", "-c", line],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=err, pass_fds=[write_fd])
            os.close(write_fd)
            reader.start()
            # The shell has waited for the whole pipeline: its usage is ours.
            _, status, usage = os.wait4(proc.pid, 0)
            wall = time.monotonic() - began
            proc.returncode = os.waitstatus_to_exitcode(status)
            reader.join()
            if proc.returncode != 0:
                err.seek(0)
                text = err.read().decode("utf-8", "replace").strip()
                raise Failed("exit %d: %s" % (proc.returncode, text[-300:]))
        self._check(way)
        return Cost(wall, usage.ru_utime + usage.ru_stime,
                    usage.ru_maxrss * 1024, _budget(lines))

    def _check(self, way):
        if way.check == "tree":
            got = serve.count(self.out)
            made = (self.files.n_files, self.files.n_bytes)
            if got != made:
                raise Failed("%d files, %d bytes; made were %d, %d" % (
                    got + made))
        elif way.check == "file" and not os.path.getsize(self.file):
            raise Failed("the file is empty")


def _read(fd, lines):
    with open(fd, encoding="utf-8", errors="replace") as pipe:
        lines += pipe.readlines()


def _budget(lines):
    """Peak of tarn's memory budget, from its last line; None for others."""
    for line in reversed(lines):
        event = json.loads(line)
        if event.get("event") == "done":
            return event.get("memory_peak")
    return None
