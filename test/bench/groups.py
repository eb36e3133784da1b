"""The groups of the bench: in each, tarn and what does the same job.

A way is a shell line. {out} is a fresh directory to extract into, {file} a
file that does not exist, {fd} tarn's descriptor for progress. Output that is
not kept goes through a pipe to `cat`: nobody profits from writing to /dev/null
directly.
"""


class Way:
    """`needs` are the programs without which it is left out; `check` says
    what must be there afterwards: "tree", "file" or nothing."""

    def __init__(self, name, line, needs=(), check="tree"):
        self.name, self.line, self.check = name, line, check
        self.needs = needs
        self.is_tarn = name.startswith("tarn get")


class Group:
    def __init__(self, title, ways):
        self.title, self.ways = title, ways


# name -> the archive it downloads. Group unpack-lz4 reads the plain one too.
FORMS = {"unpack-lz4": "tar.lz4", "unpack-gzip": "tar.gz",
         "unpack-zstd": "tar.zst", "unpack-tar": "tar",
         "stdout-lz4": "tar.lz4", "stdout-tar": "tar.lz4", "raw": "tar.lz4",
         "save": "tar.lz4", "https": "tar.lz4", "limited": "tar.lz4"}
NAMES = list(FORMS)


def _tarn(args, name, rest, check="tree"):
    line = "%s get --progress=json --progress-fd={fd} %s %s" % (
        args.tarn, args.tarn_options, rest)
    return Way("tarn get" + name, line, check=check)


def _fastar(url, name, rest):
    return Way("fastar" + name, "fastar %s %s" % (rest, url), ["fastar"])


def _unpack(args, server, ending, how, extra=""):
    """Ways that extract; `extra` are options tarn and curl both know."""
    url = server.url(ending, how)
    get = "curl -sS %s %s" % (extra, url)
    untar = "tar -x -C {out} -f -"
    ways = [_tarn(args, "", "%s %s -C {out}" % (extra, url))]
    coders = {"tar.lz4": ["lz4 -dc"], "tar.gz": ["gzip -dc", "pigz -dc"],
              "tar.zst": ["zstd -dcq"], "tar": []}[ending]
    for coder in coders:
        needs = ["curl", coder.split()[0]]
        line = "%s | %s | " % (get, coder)
        ways.append(Way("curl | %s | tar x" % coder, line + untar, needs))
        if coder != "pigz -dc":
            ways.append(Way("curl | %s | mbuffer -m 64M | tar x" % coder,
                            line + "mbuffer -q -m 64M | " + untar,
                            needs + ["mbuffer"]))
        program = coder.split()[0]
        ways.append(Way("curl | tar -I %s" % program, "%s | tar -I %s -x "
                        "-C {out} -f -" % (get, program), needs))
    if ending == "tar":
        ways.append(Way("curl | tar x", "%s | %s" % (get, untar), ["curl"]))
        ways.append(Way("curl | mbuffer -m 64M | tar x",
                        "%s | mbuffer -q -m 64M | %s" % (get, untar),
                        ["curl", "mbuffer"]))
    if how != "tls":
        ways += _loaders(url, ending)
    return ways


def _loaders(url, ending):
    program = {"tar.lz4": "lz4", "tar.gz": "gzip", "tar.zst": "zstd",
               "tar": ""}[ending]
    untar = "tar %s -x -C {out} -f {file}" % (
        "-I " + program if program else "")
    ways = [
        Way("aria2c -x16 -s16, then tar", "aria2c -q -x16 -s16 -k1M "
            "--file-allocation=none -d / -o {file} %s && %s" % (url, untar),
            ["aria2c"]),
        Way("pget, then tar", "pget %s {file} && %s" % (url, untar),
            ["pget"])]
    if ending == "tar":
        ways.append(Way("pget -x", "rmdir {out} && pget -x %s {out}" % url,
                        ["pget"]))
    if ending != "tar.zst":
        ways.append(_fastar(url, " -C", "-C {out}"))
        ways.append(_fastar(url, " -C, 8 x 16 MB", "-C {out} "
                            "--download-workers 8 --chunk-size 16"))
    return ways


def _stdout_lz4(args, server):
    url = server.url("tar.lz4")
    return [
        _tarn(args, " -O", "%s -O | cat > /dev/null" % url, None),
        Way("curl | lz4 -dc", "curl -sS %s | lz4 -dc | cat > /dev/null" % url,
            ["curl", "lz4"], None),
        Way("fastar -O", "fastar -O %s | cat > /dev/null" % url, ["fastar"],
            None)]


def _stdout_tar(args, server):
    url = server.url("tar.lz4")
    untar = "tar -x -C {out} -f -"
    return [
        _tarn(args, " -O | tar x", "%s -O | %s" % (url, untar)),
        Way("curl | lz4 -dc | tar x", "curl -sS %s | lz4 -dc | %s" % (
            url, untar), ["curl", "lz4"]),
        Way("fastar -O | tar x", "fastar -O %s | %s" % (url, untar),
            ["fastar"])]


def _raw(args, server):
    url = server.url("tar.lz4")
    return [
        _tarn(args, " --raw -O", "%s --raw -O | cat > /dev/null" % url, None),
        Way("curl", "curl -sS %s | cat > /dev/null" % url, ["curl"], None),
        Way("wget", "wget -q -O - %s | cat > /dev/null" % url, ["wget"],
            None)]


def _save(args, server):
    url = server.url("tar.lz4")
    return [
        _tarn(args, " -o", "%s -o {file} --no-sync" % url, "file"),
        Way("curl -o", "curl -sS -o {file} %s" % url, ["curl"], "file"),
        Way("wget -O", "wget -q -O {file} %s" % url, ["wget"], "file"),
        Way("aria2c -x16 -s16", "aria2c -q -x16 -s16 -k1M "
            "--file-allocation=none -d / -o {file} %s" % url, ["aria2c"],
            "file"),
        Way("pget", "pget %s {file}" % url, ["pget"], "file")]


def make(name, args, server):
    ending = FORMS[name]
    if name == "stdout-lz4":
        return Group("Decode .tar.lz4 to a pipe", _stdout_lz4(args, server))
    if name == "stdout-tar":
        return Group("Decode .tar.lz4, unpack by tar",
                     _stdout_tar(args, server))
    if name == "raw":
        return Group("Download to a pipe", _raw(args, server))
    if name == "save":
        return Group("Download to a file", _save(args, server))
    if name == "https":
        return Group("Unpack .tar.lz4 over https", _unpack(
            args, server, ending, "tls", "--cacert %s" % server.cert)
            if server.has_tls else [])
    if name == "limited":
        return Group("Unpack .tar.lz4, limit_rate %s a connection" % args.rate,
                     _unpack(args, server, ending, "limited"))
    ways = _unpack(args, server, ending, "plain")
    if name == "unpack-lz4":
        ways.append(Way("tar xf of the decoded local file",
                        "tar -x -C {out} -f %s" % server.path("tar")))
    return Group("Unpack .%s" % ending, ways)
