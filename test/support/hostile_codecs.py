"""Hostile archives: damaged compressed streams, and bombs."""
import bz2
import functools
import gzip
import lzma
import subprocess
import zlib

from hostile import Family, Part, file
from tar_bytes import END, archive, header, member, pax, record

FAMILY = Family("codecs")
D = b"data\n"
PLAIN = archive(member(b"good", D), member(b"noise", bytes(range(256)) * 40))
TREE = {b"good": D, b"noise": bytes(range(256)) * 40}
ANY = Part(TREE)
FIRST = {"gz": "gzip", "xz": "xz", "bz2": "bzip2", "lz4": "lz4",
         "zst": "zstd"}


def by_program(*argv):
    def run(data):
        return subprocess.run(argv, input=data, check=True,
                              stdout=subprocess.PIPE).stdout
    return run


CODERS = {
    "gz": lambda data: gzip.compress(data, 6, mtime=0),
    "xz": lambda data: lzma.compress(data, check=lzma.CHECK_CRC64),
    "bz2": bz2.compress,
    "lz4": by_program("lz4", "-q", "-c", "-BX"),
    "zst": by_program("zstd", "-q", "-c", "--check"),
}


@functools.lru_cache(None)
def coded(coder, data=PLAIN):
    return CODERS[coder](data)


def flipped(data, at):
    data = bytearray(data)
    data[at] ^= 0x04
    return bytes(data)


def add(name, coder, data, code=0, tree=None, **more):
    """`data` is made when it is wanted: programs take their time."""
    FAMILY.add("%s_%s" % (name, coder), lambda out: data(), code, tree,
               needs=FIRST[coder], **more)


# The byte of the checksum of all content, from the end.
CHECKSUM_AT = {"gz": -8, "xz": -29, "bz2": -5, "lz4": -2, "zst": -2}

for _c in CODERS:
    add("right", _c, lambda c=_c: coded(c), 0, TREE, silent=True)
    add("two_streams", _c, lambda c=_c: CODERS[c](PLAIN[:1000]) +
        CODERS[c](PLAIN[1000:]), 0, TREE, silent=True)
    add("zeros_behind", _c, lambda c=_c: coded(c) + bytes(512), 0, TREE,
        silent=True)
    add("checksum", _c, lambda c=_c: flipped(coded(c), CHECKSUM_AT[c]), 65,
        ANY, says="check")
    add("last_byte_missing", _c, lambda c=_c: coded(c)[:-1], 65, ANY)
    add("half_missing", _c, lambda c=_c: coded(c)[:len(coded(c)) // 2], 65,
        ANY)
    add("only_the_magic", _c, lambda c=_c: coded(c)[:6], 65, {})
    add("flipped_in_the_middle", _c,
        lambda c=_c: flipped(coded(c), len(coded(c)) // 2), 65,
        # A checksum behind all content cannot save what was written before.
        Part({path: file(None) for path in TREE}))
    add("garbage_behind", _c, lambda c=_c: coded(c) + b"garbage behind", 65,
        ANY)
    add("second_stream_cut", _c,
        lambda c=_c: coded(c) + coded(c)[:len(coded(c)) // 2], 65, ANY)
    add("of_nothing", _c, lambda c=_c: CODERS[c](b""), 65, {}, says="not a")
    add("of_html", _c, lambda c=_c: CODERS[c](b"<html>" * 200), 65, {},
        says="HTML")
    add("of_itself", _c, lambda c=_c: CODERS[c](coded(c)), 65, {})
    add("cut_tar", _c, lambda c=_c: CODERS[c](PLAIN[:1300]), 65,
        {b"good": D})
    add("no_end_blocks", _c, lambda c=_c: CODERS[c](PLAIN[:-len(END)]), 0,
        TREE, says="end blocks")
add("size", "gz", lambda: flipped(coded("gz"), -3), 65, ANY)
add("reserved_flag", "gz", lambda: flipped(coded("gz"), 3)[:3] + b"\xe0" +
    coded("gz")[4:], 65, {})
add("method", "gz", lambda: coded("gz")[:2] + b"\7" + coded("gz")[3:], 65, {})
add("index", "xz", lambda: flipped(coded("xz"), -20), 65, ANY)
add("footer", "xz", lambda: flipped(coded("xz"), -1), 65, ANY)
add("header", "lz4", lambda: flipped(coded("lz4"), 6), 65, {})
add("block_checksum", "lz4", lambda: flipped(coded("lz4"), -9), 65, ANY)

# ---- bombs ----
MIB = 1 << 20


def zeros(n):
    return archive(member(b"zeros", bytes(n)))


@functools.lru_cache(None)
def bomb(coder):
    return CODERS[coder](zeros(48 * MIB))


for _c in CODERS:
    add("bomb_by_size", _c, lambda c=_c: bomb(c), 65, {},
        args=["--max-size=4Mi"], says="--max-size")
    add("bomb_by_ratio", _c, lambda c=_c: bomb(c), 65, {},
        args=["--max-ratio=30"], says="--max-ratio")
add("bomb_in_a_bomb", "gz", lambda: gzip.compress(bomb("gz")), 65, {})
add("members_beyond_the_limit", "gz", lambda: gzip.compress(archive(
    *[header(b"f%d" % (i % 100)) for i in range(20_000)]), 1), 65,
    Part({b"f%d" % i: b"" for i in range(100)}),
    args=["--max-files=1000"], says="--max-files")
add("members_at_the_limit", "gz", lambda: gzip.compress(archive(
    *[header(b"f%d" % i) for i in range(10)]), 1), 0,
    {b"f%d" % i: b"" for i in range(10)}, args=["--max-files=10"])
add("refused_members_count_too", "gz", lambda: gzip.compress(archive(
    *[header(b"../f%d" % i) for i in range(2000)]), 1), 65, {},
    args=["--max-files=1000"])
add("pax_bomb", "gz", lambda: gzip.compress(
    (pax(record(b"comment", b"c" * (MIB - 100)), b"g") +
     header(b"x")) * 48 + END, 1), 0, {b"x": b""})
add("declared_size_over_the_limit", "gz", lambda: gzip.compress(
    header(b"x", size=8 ** 11 - 1) + bytes(8 * MIB), 1), 65, {},
    args=["--max-size=1Mi"], says="--max-size")
add("endless_zeros_behind", "gz", lambda: gzip.compress(
    archive(member(b"x", D)) + bytes(48 * MIB), 1), 65, Part({b"x": D}),
    args=["--max-size=4Mi"])


def endless_blocks():
    """Deflate blocks without any content: input that decodes to nothing."""
    empty = zlib.compressobj(1, zlib.DEFLATED, -15)
    block = empty.compress(b"") + empty.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08\0\0\0\0\0\0\3" + block * 200_000


add("empty_blocks", "gz", endless_blocks, 65, {})
add("many_empty_members", "gz", lambda: gzip.compress(b"") * 50_000 +
    coded("gz"), 0, TREE)
