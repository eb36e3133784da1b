"""Makes the bytes of tar archives with control over every field.

    data = archive(member(b"name", b"content"),
                   pax({b"path": b"../x"}), member(b"y"),
                   header(b"l", kind=b"2", link=b"target", fmt="gnu"))

A field is given as a value and written as POSIX says, or as bytes and written
as they are: header(mode=b"garbage!"). `checksum` replaces the right one, and
`raw` = {offset: bytes} is put over everything but the checksum.
"""
import struct

BLOCK = 512
END = bytes(2 * BLOCK)
MTIME = 1_500_000_000
MAGIC = {"v7": bytes(8), "ustar": b"ustar\x0000", "gnu": b"ustar  \0"}


def octal(value, width):
    return b"%0*o\0" % (width - 1, value)


def base256(value, width):
    """Big-endian two's complement with the top bit of the first byte set."""
    sign = b"\xff" if value < 0 else b"\x80"
    rest = value.to_bytes(max(width - 1, 16), "big", signed=True)
    if width > len(rest):
        return sign + rest.rjust(width - 1, b"\xff" if value < 0 else b"\0")
    return sign + rest[1 - width:]


def number(value, width):
    if isinstance(value, bytes):
        return value.ljust(width, b"\0")[:width]
    if 0 <= value < 8 ** (width - 1):
        return octal(value, width)
    return base256(value, width)


def sums(block):
    """The sum of the block's bytes, and of its bytes with a sign."""
    block = block[:148] + b" " * 8 + block[156:]
    return sum(block), sum(struct.unpack("512b", block))


def header(name, kind=b"0", size=0, mode=0o644, uid=0, gid=0, mtime=MTIME,
           link=b"", fmt="ustar", uname=b"", gname=b"", major=0, minor=0,
           prefix=b"", magic=None, checksum=None, raw=None):
    block = bytearray(BLOCK)
    nodes = b"" if fmt == "v7" else number(major, 8) + number(minor, 8)
    for at, field in (
            (0, name[:100]), (100, number(mode, 8)), (108, number(uid, 8)),
            (116, number(gid, 8)), (124, number(size, 12)),
            (136, number(mtime, 12)), (156, kind), (157, link[:100]),
            (257, MAGIC[fmt] if magic is None else magic),
            (265, uname[:32]), (297, gname[:32]), (329, nodes),
            (345, prefix[:155])):
        block[at:at + len(field)] = field
    for at, field in (raw or {}).items():
        block[at:at + len(field)] = field
    if checksum is None:
        checksum = b"%06o\0 " % sums(bytes(block))[0]
    elif isinstance(checksum, int):
        checksum = b"%06o\0 " % checksum
    block[148:156] = checksum.ljust(8, b"\0")[:8]
    assert len(block) == BLOCK
    return bytes(block)


def padded(body):
    return body + bytes(-len(body) % BLOCK)


def member(name, body=b"data\n", **fields):
    """A file with its content; size=N tells another size than its own."""
    fields.setdefault("size", len(body))
    return header(name, **fields) + padded(body)


def directory(name, **fields):
    fields.setdefault("mode", 0o755)
    return header(name, kind=b"5", **fields)


def symlink(name, target, **fields):
    """Longer names than the header holds come in a pax header."""
    return _linked(name, target, b"2", fields)


def hardlink(name, target, **fields):
    return _linked(name, target, b"1", fields)


def _linked(name, target, kind, fields):
    records = {}
    if len(name) > 100:
        records[b"path"] = name
    if len(target) > 100:
        records[b"linkpath"] = target
    before = pax(records) if records else b""
    fields.setdefault("mode", 0o777)
    return before + header(name[:100], kind=kind, link=target[:100], **fields)


def record(key, value):
    """One pax record: its own length in decimal, a blank, key=value."""
    rest = b" " + key + b"=" + value + b"\n"
    length = len(rest) + 1
    while len(b"%d" % length) + len(rest) != length:
        length += 1
    return b"%d" % length + rest


def pax(records, kind=b"x", **fields):
    """A pax header with a dict of records, or with these very bytes."""
    if not isinstance(records, bytes):
        records = b"".join(record(k, v) for k, v in records.items())
    return member(b"PaxHeaders/x", records, kind=kind, **fields)


def long(text, kind=b"L", end=b"\0"):
    """GNU's long name, or long link target with kind K."""
    return member(b"././@LongLink", text + end, kind=kind, fmt="gnu")


def named(path, body=b"data\n", **fields):
    """A file of any name, by a pax header."""
    return pax({b"path": path}) + member(b"short", body, **fields)


def archive(*parts, end=END):
    return b"".join(parts) + end
