"""Archives of one tree by programs people use, and a tree of odd things.

    odd_tree(root)
    data = WRITERS["bsdtar-pax"](root)     # bytes; the members begin with ./
    data = docker_save([layer, layer])     # as `docker save` lays them out
"""
import hashlib
import io
import json
import os
import subprocess
import tarfile

BEFORE_1970 = -1_500_000_000_250_000_000 // 10
LONG_PARTS = [b"a-rather-long-name-of-a-directory-%d" % i for i in range(7)]


# ---- a tree ----

def _write(path, data, mode=0o644):
    with open(path, "wb") as out:
        out.write(data)
    os.chmod(path, mode)


def _sizes(root):
    for i, size in enumerate((0, 1, 511, 512, 513, 10_239, 10_240, 70_001)):
        _write(root + b"/size-%d" % size, bytes([65 + i]) * size)
    with open(root + b"/holes", "wb") as out:
        for at in (0, 300_000, 1_000_000):
            out.seek(at)
            out.write(b"data between holes" * 500)
        out.truncate(1_500_000)


def _names(root):
    names = root + b"/names"
    os.mkdir(names)
    for name in (b"with space", b"new\nline", b"tab\tand\\", b"-x", b"%s",
                 "\u00fcml\u00e4ut-\u6f22\u5b57-\U0001f40b".encode(),
                 b"n" * 90):
        _write(names + b"/" + name, name)


def _long_names(root):
    path = root + b"/long"
    os.mkdir(path)
    for part in LONG_PARTS:
        path += b"/" + part
        os.mkdir(path)
    _write(path + b"/" + b"f" * 200, b"long name")
    os.symlink(b"t" * 180, root + b"/long/symlink")
    os.link(path + b"/" + b"f" * 200, root + b"/long/hard-link")


def _links(root):
    os.mkdir(root + b"/links")
    os.mkdir(root + b"/empty-directory")
    for i, target in enumerate((b"../size-513", b"missing", b"/etc/passwd",
                                b"..", b".", b"x" * 99)):
        os.symlink(target, root + b"/links/sym-%d" % i)
    for i in range(3):
        os.link(root + b"/size-70001", root + b"/links/hard-%d" % i)


def _modes(root):
    os.mkdir(root + b"/modes")
    for mode in (0o400, 0o755, 0o640, 0o777):
        _write(root + b"/modes/%o" % mode, b"mode", mode)
        os.mkdir(root + b"/modes/d%o" % (mode | 0o500), mode | 0o500)
        os.chmod(root + b"/modes/d%o" % (mode | 0o500), mode | 0o500)


def _privileged(root):
    """What only root can make."""
    for mode in (0o4755, 0o2755, 0o1644, 0o6711, 0):
        _write(root + b"/modes/%o" % mode, b"mode", mode)
    os.mknod(root + b"/null", 0o20666, os.makedev(1, 3))
    os.mknod(root + b"/disk", 0o60600, os.makedev(259, 65_000))
    for i, owner in enumerate((1, 65_535, 2_000_000)):
        _write(root + b"/owner-%d" % i, b"owner")
        os.chown(root + b"/owner-%d" % i, owner, owner + 1)


def odd_tree(root, long_names=True):
    root = os.fsencode(root)
    os.makedirs(root)
    _sizes(root)
    _names(root)
    _links(root)
    _modes(root)
    if long_names:
        _long_names(root)
    os.mkfifo(root + b"/fifo")
    if os.geteuid() == 0:
        _privileged(root)
    stamps = (1_234_567_890_123_456_789, BEFORE_1970, 0, 1_000_000_001, 4_400_000_000 *
              10 ** 9, 999_999_999)
    n = 0
    for here, dirs, files in os.walk(root, topdown=False):
        for name in sorted(files + dirs) + ([b""] if here == root else []):
            os.utime(os.path.join(here, name), ns=(stamps[n % 6],) * 2,
                     follow_symlinks=False)
            n += 1


# ---- writers ----

def _run(argv, cwd, **kwargs):
    """What a writer cannot store in a format it leaves out: its exit status
    says so and is no matter here."""
    out = subprocess.run(argv, cwd=cwd, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, **kwargs).stdout
    assert len(out) > 100_000, argv
    return out


def by_gnu(*options):
    return lambda root: _run(["tar", "-cf", "-", *options, "."], root)


def by_bsdtar(fmt, *options):
    return lambda root: _run(["bsdtar", "-cf", "-", "--format", fmt, *options,
                              "."], root)


def by_pax(fmt):
    return lambda root: _run(["pax", "-w", "-x", fmt, "."], root)


def by_python(fmt):
    def write(root):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=fmt,
                          encoding="utf-8", errors="surrogateescape") as tar:
            tar.add(os.fsdecode(root), ".", filter=_fitting(fmt))
        return out.getvalue()
    return write


def _fitting(fmt):
    """tarfile gives up where a format holds no such name or number."""
    def keep(info):
        if fmt == tarfile.USTAR_FORMAT:
            info.mtime = max(0, info.mtime)
            if (len(info.name) > 100 or len(info.linkname) > 100 or
                    max(info.uid, info.gid) >= 8 ** 7):
                return None
        return info
    return keep


def by_busybox(root):
    return _run(["busybox", "tar", "-cf", "-", "."], root)


WRITERS = {
    "gnu-v7": by_gnu("--format=v7"),
    "gnu-oldgnu": by_gnu("--format=oldgnu"),
    "gnu-gnu": by_gnu("--format=gnu"),
    "gnu-ustar": by_gnu("--format=ustar"),
    "gnu-posix": by_gnu("--format=posix"),
    "gnu-oldgnu-sparse": by_gnu("--format=oldgnu", "-S"),
    "gnu-gnu-sparse": by_gnu("--format=gnu", "-S"),
    "gnu-posix-sparse-0.0": by_gnu("--format=posix", "-S",
                                   "--sparse-version=0.0"),
    "gnu-posix-sparse-0.1": by_gnu("--format=posix", "-S",
                                   "--sparse-version=0.1"),
    "gnu-posix-sparse-1.0": by_gnu("--format=posix", "-S",
                                   "--sparse-version=1.0"),
    "gnu-numeric-blocks": by_gnu("--format=gnu", "--numeric-owner", "-b", "7"),
    "gnu-label": by_gnu("--format=gnu", "-V", "a label"),
    "gnu-posix-label": by_gnu("--format=posix", "-V", "a label"),
    "gnu-incremental": by_gnu("--format=gnu", "-G"),
    "bsdtar-v7": by_bsdtar("v7"),
    "bsdtar-ustar": by_bsdtar("ustar"),
    "bsdtar-pax": by_bsdtar("pax", "--no-xattrs", "--no-acls"),
    "bsdtar-paxr": by_bsdtar("paxr", "--no-xattrs", "--no-acls"),
    "bsdtar-gnutar": by_bsdtar("gnutar"),
    "bsdtar-no-sparse": by_bsdtar("pax", "--no-read-sparse"),
    "python-ustar": by_python(tarfile.USTAR_FORMAT),
    "python-gnu": by_python(tarfile.GNU_FORMAT),
    "python-pax": by_python(tarfile.PAX_FORMAT),
    "busybox": by_busybox,
    "pax-ustar": by_pax("ustar"),
    "pax-tar": by_pax("tar"),
}
# These hold no names beyond the header's field.
SHORT = {"gnu-v7", "bsdtar-v7", "pax-tar"}


# ---- packages and images ----

def git_archive(root, *options):
    """Of a new repository with the files of `root` that git keeps."""
    def git(*argv):
        return subprocess.run(
            ["git", "-c", "user.name=t", "-c", "user.email=t@example.org",
             "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false",
             *argv], cwd=root, check=True, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=dict(
                os.environ, GIT_CONFIG_NOSYSTEM="1", HOME="/nonexistent",
                GIT_COMMITTER_DATE="1234567890 +0000")).stdout
    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "x")
    return git("archive", *options, "HEAD")


def deb_parts(root, work, compression):
    """The data member of a Debian package of `root`: decoded by dpkg-deb, and
    as it lies in the package."""
    os.unlink(root + b"/names/new\nline")  # dpkg-deb refuses it
    os.makedirs(root + b"/DEBIAN")
    _write(root + b"/DEBIAN/control", b"Package: sample\nVersion: 1\n"
           b"Architecture: all\nMaintainer: t <t@example.org>\n"
           b"Description: sample\n")
    deb = work + b"/sample.deb"
    subprocess.run(["dpkg-deb", "-Z" + compression, "-b", root, deb],
                   check=True, stdout=subprocess.DEVNULL)
    plain = subprocess.run(["dpkg-deb", "--fsys-tarfile", deb], check=True,
                           stdout=subprocess.PIPE).stdout
    with open(deb, "rb") as src:
        return plain, _ar_member(src.read(), b"data.tar")


def _ar_member(data, prefix):
    at = 8
    while at < len(data):
        size = int(data[at + 48:at + 58])
        if data[at:at + 16].startswith(prefix):
            return data[at + 60:at + 60 + size]
        at += 60 + size + size % 2
    raise AssertionError("no %r in the package" % prefix)


def _image(files, fmt=tarfile.USTAR_FORMAT):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=fmt) as tar:
        for name, what in files:
            info = tarfile.TarInfo(name)
            info.mtime = 1_600_000_000
            if what is None:
                info.type, info.mode = tarfile.DIRTYPE, 0o755
            elif isinstance(what, str):
                info.type, info.linkname = tarfile.SYMTYPE, what
            else:
                info.size = len(what)
            tar.addfile(info, io.BytesIO(what) if info.size else None)
    return out.getvalue()


def _json(what):
    return json.dumps(what, separators=(",", ":")).encode() + b"\n"


def docker_save(layers):
    """Of before version 25: a directory for each layer; one that was there
    already is a link to its first."""
    config = _json({"architecture": "amd64", "os": "linux"})
    config_name = hashlib.sha256(config).hexdigest() + ".json"
    files, names, seen = [], [], {}
    for i, layer in enumerate(layers):
        digest = hashlib.sha256(layer).hexdigest()
        name = hashlib.sha256(b"%d" % i + layer).hexdigest()
        files += [(name, None), (name + "/VERSION", b"1.0"),
                  (name + "/json", _json({"id": name})),
                  (name + "/layer.tar",
                   "../%s/layer.tar" % seen[digest] if digest in seen
                   else layer)]
        seen.setdefault(digest, name)
        names.append(name + "/layer.tar")
    files += [(config_name, config),
              ("manifest.json", _json([{
                  "Config": config_name, "RepoTags": ["sample:latest"],
                  "Layers": names}])),
              ("repositories", _json({"sample": {"latest": names[-1][:64]}}))]
    return _image(files)


def docker_save_oci(layers):
    """Since version 25: an OCI layout with docker's manifest beside it."""
    blobs = {}

    def blob(data, kind):
        digest = hashlib.sha256(data).hexdigest()
        blobs[digest] = data
        return {"mediaType": "application/vnd.oci.image." + kind,
                "digest": "sha256:" + digest, "size": len(data)}

    config = blob(_json({"architecture": "amd64", "os": "linux"}),
                  "config.v1+json")
    parts = [blob(layer, "layer.v1.tar") for layer in layers]
    manifest = blob(_json({"schemaVersion": 2, "config": config,
                           "layers": parts}), "manifest.v1+json")
    files = [("blobs", None), ("blobs/sha256", None)]
    files += [("blobs/sha256/" + digest, data)
              for digest, data in sorted(blobs.items())]
    files += [("index.json", _json({"schemaVersion": 2,
                                    "manifests": [manifest]})),
              ("manifest.json", _json([{
                  "Config": "blobs/sha256/" + config["digest"][7:],
                  "RepoTags": ["sample:latest"],
                  "Layers": ["blobs/sha256/" + part["digest"][7:]
                             for part in parts]}])),
              ("oci-layout", _json({"imageLayoutVersion": "1.0.0"}))]
    return _image(files, tarfile.PAX_FORMAT)
