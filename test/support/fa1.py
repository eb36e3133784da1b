"""Writes FA1, fast-archiver's format, sound or damaged.

    a = Archive()
    a.dir(b"d", 0o755)
    a.file(b"d/a", 0o644)
    a.data(b"d/a", b"text")
    a.end(b"d/a")
    a.sum()
    a.bytes()

Written from the format's description alone: the CRC is an own one.
"""
import struct

SIGNATURE = b"\x89FA1\r\n\x1a\n"
DATA, FILE, END, DIR, SUM = range(5)
# Go's os.FileMode.
MODE_DIR, MODE_SYMLINK, MODE_DEVICE, MODE_PIPE, MODE_SOCKET, MODE_CHAR = (
    1 << bit for bit in (31, 27, 26, 25, 24, 21))
MODE_SETUID, MODE_SETGID, MODE_STICKY = 1 << 23, 1 << 22, 1 << 20


def _table():
    out = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0xC96C5795D7870F42 if byte & 1 else 0)
        out.append(byte)
    return out


_TABLE = _table()
_ONES = (1 << 64) - 1


def crc64(data, crc=0):
    """ECMA-182's polynomial reflected, all ones before and behind."""
    crc ^= _ONES
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ _ONES


class Archive:
    """Each method adds a block; `ends` are the offsets where one ends."""

    def __init__(self):
        self._out = bytearray(SIGNATURE)
        self._crc, self._summed = 0, 0
        self.ends = [len(SIGNATURE)]

    def block(self, kind, path, fields=b""):
        self._out += struct.pack(">H", len(path)) + path + bytes([kind])
        self._out += fields
        self.ends.append(len(self._out))
        return self

    def dir(self, path, mode=0o755, uid=0, gid=0):
        return self.block(DIR, path, struct.pack(">III", uid, gid,
                                                 mode | MODE_DIR))

    def file(self, path, mode=0o644, uid=0, gid=0):
        return self.block(FILE, path, struct.pack(">III", uid, gid, mode))

    def data(self, path, data):
        return self.block(DATA, path, struct.pack(">H", len(data)) + data)

    def end(self, path):
        return self.block(END, path)

    def sum(self, change=0):
        """A checksum block, with these bits of it wrong."""
        self._out += struct.pack(">HB", 0, SUM)
        self._crc = crc64(self._out[self._summed:], self._crc)
        self._summed = len(self._out)
        self._out += struct.pack(">Q", self._crc ^ change)
        self.ends.append(len(self._out))
        return self

    def whole(self, path, data=b"data\n", mode=0o644, size=4096, **ids):
        """A file, its content in blocks of `size`, its end."""
        self.file(path, mode, **ids)
        for at in range(0, len(data), size):
            self.data(path, data[at:at + size])
        return self.end(path)

    def bytes(self):
        return bytes(self._out)


def mixed(files, rnd, every=40):
    """The archive of {path: content}, its blocks mixed, with checksums
    between."""
    a, open_files, waiting = Archive(), {}, list(files)
    for top in sorted({path.split(b"/")[0] for path in files if b"/" in path}):
        a.dir(top)
    while waiting or open_files:
        if waiting and (not open_files or rnd.random() < 0.2):
            path = waiting.pop()
            open_files[path] = 0
            a.file(path, 0o600 + rnd.randrange(64))
        path = rnd.choice(list(open_files))
        at = open_files[path]
        part = files[path][at:at + rnd.choice((1, 100, 4096, 65535))]
        if part:
            a.data(path, part)
            open_files[path] += len(part)
        else:
            a.end(path)
            del open_files[path]
        if rnd.randrange(every) == 0:
            a.sum()
    return a.sum()
