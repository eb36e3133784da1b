#!/usr/bin/env python3
"""Writes the corpora of fuzz_pax and fuzz_sparse: sound and damaged ones.

    seed_archive.py test/fuzz/corpus
"""
import os
import struct
import sys


def record(key, value):
    body = b" " + key + b"=" + value + b"\n"
    size = len(body) + 1
    while size != len(b"%d" % size) + len(body):
        size += 1
    return b"%d" % size + body


def records(*pairs):
    return b"".join(record(k, v) for k, v in pairs)


def entry(at, length):
    return b"%011o %011o " % (at, length)


def big(n):
    return b"\x80" + n.to_bytes(11, "big")


def block(entries, more):
    return b"".join(entries).ljust(504, b"\0") + bytes([more]) + b"\0" * 7


def sparse(form, size, stored, body):
    return bytes([form]) + struct.pack("<QQ", size, stored) + body


PAX = {
    "member": records((b"path", b"a=b"), (b"linkpath", b"l"), (b"size", b"9"),
                      (b"uid", b"-1"), (b"gid", b"4294967296"),
                      (b"uname", b"u"), (b"gname", b""), (b"mtime", b"-1.5"),
                      (b"hdrcharset", b"BINARY"), (b"comment", b"\0\n=")),
    "attributes": records((b"SCHILY.xattr.user.a%3D%25", b"\0\1"),
                          (b"LIBARCHIVE.xattr.user.a%20b", b"AAH/+w=="),
                          (b"LIBARCHIVE.xattr.user.c", b"eA"),
                          (b"RHT.security.selinux", b"label"),
                          (b"SCHILY.xattr.security.selinux", b"other"),
                          (b"SCHILY.acl.access", b"user::rwx,mask::r--"),
                          (b"SCHILY.acl.default", b"user::r--")),
    "sparse_0_0": records((b"GNU.sparse.size", b"8192"),
                          (b"GNU.sparse.numblocks", b"2"),
                          (b"GNU.sparse.offset", b"0"),
                          (b"GNU.sparse.numbytes", b"512"),
                          (b"GNU.sparse.offset", b"8192"),
                          (b"GNU.sparse.numbytes", b"0")),
    "sparse_1_0": records((b"GNU.sparse.major", b"1"),
                          (b"GNU.sparse.minor", b"0"),
                          (b"GNU.sparse.name", b"f"),
                          (b"GNU.sparse.realsize", b"8192"),
                          (b"GNU.sparse.map", b"0,512,8192,0"),
                          (b"SCHILY.realsize", b"1"),
                          (b"SUN.holesdata", b" 0 512 8192 8192")),
    "taken_back": records((b"path", b"a"), (b"path", b""),
                          (b"GNU.sparse.offset", b"1"),
                          (b"GNU.sparse.offset", b"")),
    "damaged": b"12 path=ab\n9 uid=x\n",
    "padded": records((b"path", b"a")) + b"\0" * 20,
}

SPARSE = {
    "gnu_header": sparse(0, 8192, 1024, entry(0, 512) + entry(4096, 512)
                         + entry(8192, 0)),
    "gnu_block": sparse(0, 1 << 20, 512 * 6, b"".join(
        entry(i * 4096, 512) for i in range(4)) + block(
            [entry(i * 4096, 512) for i in (4, 5)], 0)),
    "gnu_blocks": sparse(0, 1 << 20, 512 * 30, b"".join(
        entry(i * 4096, 512) for i in range(4)) + block(
            [entry(i * 4096, 512) for i in range(4, 25)], 1) + block(
                [entry(i * 4096, 512) for i in range(25, 30)], 0)),
    "gnu_base_256": sparse(0, 1 << 50, 512, big(1 << 49) + big(512)),
    "gnu_backward": sparse(0, 8192, 1024, entry(4096, 512) + entry(0, 512)),
    "star": sparse(1, 1 << 20, 512 * 6, b"".join(
        entry(i * 4096, 512) for i in range(4)) + block(
            [entry(4 * 4096, 512)], 0)),
    "pax_0_1": sparse(2, 9000, 113, b"0,100,4096,13,9000,0"),
    "pax_0_1_odd": sparse(2, 9000, 100, b"0,100,4096"),
    "pax_0_0": sparse(3, 9000, 113, struct.pack("<QQQQ", 0, 100, 4096, 13)),
    "sun": sparse(4, 49159, 49159, b" 0 8192 24576 32768 49152 49159"),
    "sun_hole": sparse(4, 9000, 9000, b" 0 0 9000 9000"),
    "pax_1_0": sparse(5, 9000, 1024, b"2\n4096\n512\n9000\n0\n"),
    "pax_1_0_two_blocks": sparse(5, 1 << 20, 1024 + 512 * 40, b"40\n" + b"".join(
        b"%012d\n512\n" % (i * 4096) for i in range(40))),
    "pax_1_0_none": sparse(5, 9000, 512, b"0\n"),
    "pax_1_0_huge": sparse(5, 9000, 512, b"18446744073709551615\n1\n"),
}


def main(top):
    for name, seeds in (("fuzz_pax", PAX), ("fuzz_sparse", SPARSE)):
        folder = os.path.join(top, name)
        os.makedirs(folder, exist_ok=True)
        for seed, data in seeds.items():
            with open(os.path.join(folder, seed), "wb") as out:
                out.write(data)


if __name__ == "__main__":
    main(sys.argv[1])
