#!/usr/bin/env python3
"""A scripted HTTP/1.1 server that misbehaves on purpose.

Every byte of a reply is written here, on raw sockets. Resources have data,
validators and rules; the first rule that fits a request decides how the reply
goes wrong; without a rule it is right.

In a test:
    with FaultyServer() as server:
        server.add("/a", b"data", etag='"1"',
                   rules=[{"times": 1, "reset_after": 100}])
        ... fetch server.url("/a") ...
        server.log                 # one dict for each request

As a program, for tests in other languages, it prints its port on a line:
    faulty_server.py [--script FILE] [--log FILE] [--port N] [--until-eof]

FILE is JSON: {"resources": [{"path": "/a", "text": "data", ...}]} with the
keyword arguments of add(), and `text`, `file`, or `size` and `seed` for the
data. Without any script /bytes/N answers with N bytes of pattern(N); rule
keys are given in the query: /bytes/1000?reset_after=100&times=1. Rules in a
query keep their counts per URL.

When a rule fits (all keys that are present must agree):
  times N       it fits the first N requests it would fit, then never again
  skip N        it lets the first N pass
  ranged        true: only requests with Range; false: only those without
  first         true: only a range from 0, or none;  from N: at N or behind
  if_match      true: only requests with If-Match
  methods       list

What it does:
  status N, reason, body, headers {name: value or null to omit}
  ranges        "ignore" (200 with all), "silent" (206, no Accept-Ranges)
  short N       a 206 carries at most N bytes, with an honest Content-Range
  content_range "start", "total" (both lie by one), "missing", "star", or the
                text of the header itself
  etag, last_modified   other validators; null omits them
  size_lie N    added to the total in Content-Range
  data_xor N    each byte of the body is changed
  conditions    "ignore" (206 whatever If-Match says), "refuse" (412 always)
  retry_after   seconds, or "date:N" for a date N seconds from now
  redirect      Location; token_uses N adds ?token=T, good for N requests
  reset_after N, close_after N, stall_after N   bytes of body, then the fault
  drop          "close", "reset": ends the connection without a reply
  stall_header  true: nothing is sent; N: only N bytes of the header
  delay S       seconds before the reply
  rate N        body bytes a second
  send_timeout S  closes when the client takes nothing for S seconds, as nginx
                does
  write_size N  the body goes out in writes of N bytes, without Nagle
  framing       "length", "chunked", "chunked-cut" (no final chunk), "close"
  coding        "gzip": the body is coded and says so
  close         true: Connection: close; "silent": closes without a word
  early         list of 1xx statuses sent before the reply
  long_header N a header line of N bytes, three times

Threads: one for each connection. The log is appended under a lock.
"""
import argparse
import array
import base64
import email.utils
import fcntl
import gzip
import json
import re
import select
import socket
import struct
import sys
import termios
import threading
import time
import urllib.parse

REASONS = {200: "OK", 206: "Partial Content", 301: "Moved Permanently",
           302: "Found", 303: "See Other", 307: "Temporary Redirect",
           308: "Permanent Redirect", 400: "Bad Request",
           401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
           405: "Method Not Allowed", 410: "Gone",
           412: "Precondition Failed", 416: "Range Not Satisfiable",
           418: "I'm a teapot", 429: "Too Many Requests",
           500: "Internal Server Error", 501: "Not Implemented",
           502: "Bad Gateway", 503: "Service Unavailable"}
HEAD_LIMIT = 1 << 20
PIECE = 64 * 1024
_WHEN = ("times", "skip", "ranged", "first", "from", "if_match", "methods")


def pattern(size, seed=0):
    """Bytes that repeat nowhere near: each 8-byte word holds its place."""
    words = (size + 7) // 8
    base = (seed * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    out = array.array("Q", ((base + i * 0xD1342543DE82EF95)
                            & 0xFFFFFFFFFFFFFFFF for i in range(words)))
    return out.tobytes()[:size]


class Hangup(Exception):
    """The script ends the connection: `how` goes to the log."""

    def __init__(self, how):
        super().__init__(how)
        self.how = how


class Request:
    """One parsed request head."""

    def __init__(self, head):
        lines = head.decode("latin-1").split("\r\n")
        self.method, self.target, self.version = lines[0].split(" ", 2)
        self.headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            self.headers[name.strip().lower()] = value.strip()
        parts = urllib.parse.urlsplit(self.target)
        self.path = parts.path
        self.query = dict(urllib.parse.parse_qsl(parts.query, True))
        self.start = self.end = None
        found = re.fullmatch(r"bytes=(\d+)-(\d*)",
                             self.headers.get("range", ""))
        if found:
            self.start = int(found.group(1))
            self.end = int(found.group(2)) if found.group(2) else None


class Rule:
    """A rule and how often it fitted."""

    def __init__(self, text):
        self.when = {k: v for k, v in text.items() if k in _WHEN}
        self.then = {k: v for k, v in text.items() if k not in _WHEN}
        self.seen = 0

    def fits(self, req):
        when = self.when
        if "ranged" in when and when["ranged"] != (req.start is not None):
            return False
        if "first" in when and when["first"] != (not req.start):
            return False
        if (req.start or 0) < when.get("from", 0):
            return False
        if "if_match" in when and when["if_match"] != (
                "if-match" in req.headers):
            return False
        if req.method not in when.get("methods", [req.method]):
            return False
        self.seen += 1
        passed = self.seen - when.get("skip", 0)
        return passed > 0 and passed <= when.get("times", passed)


class Resource:
    """Data under a path, and how its replies go wrong."""

    def __init__(self, data, etag='"v1"', last_modified=None, rules=(),
                 content_type="application/octet-stream", user=None,
                 tokens=False, expired_status=403, expired_body="expired\n"):
        self.data = data
        self.etag = etag
        self.last_modified = last_modified
        self.rules = [Rule(r) for r in rules]
        self.content_type = content_type
        self.user = user            # "name:password" asked for by Basic
        self.tokens = tokens        # only a token given by a redirect opens it
        self.expired_status = expired_status
        self.expired_body = expired_body


class FaultyServer:
    """Listens on loopback from the constructor on; close() ends it."""

    def __init__(self, host="127.0.0.1", port=0, log_file=None):
        self.log = []
        self.lock = threading.Lock()
        self._log_file = log_file
        self._resources = {}
        self._tokens = {}
        self._n_tokens = 0
        self._n_conns = 0
        self._open = set()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.socket(family, socket.SOCK_STREAM)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind((host, port))
        self._listener.listen(128)
        self.host = host
        self.port = self._listener.getsockname()[1]
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def add(self, path, data=b"", **options):
        """Serves `data` at `path`; options as Resource. Returns its URL."""
        with self.lock:
            self._resources[path] = Resource(data, **options)
        return self.url(path)

    def url(self, path):
        host = "[%s]" % self.host if ":" in self.host else self.host
        return "http://%s:%d%s" % (host, self.port, path)

    def requests(self, path=None):
        """The log of one path or of all, once each reply has ended (at most
        three seconds later: a client that is gone ends its replies)."""
        until = time.monotonic() + 3
        while time.monotonic() < until and any(
                e["end_time"] is None for e in list(self.log)):
            time.sleep(0.01)
        with self.lock:
            return [dict(e) for e in self.log
                    if path is None or e["path"] == path]

    def close(self):
        self._closing.set()
        with self.lock:
            socks = list(self._open)
        for sock in [self._listener] + socks:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self._listener.close()
        self._thread.join(5)

    # ---- connections ----

    def _accept(self):
        while not self._closing.is_set():
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            with self.lock:
                self._n_conns += 1
                conn = self._n_conns
                self._open.add(sock)
            threading.Thread(target=self._serve, args=(sock, conn),
                             daemon=True).start()

    def _serve(self, sock, conn):
        pending = b""
        try:
            while not self._closing.is_set():
                head, pending = self._read_head(sock, pending)
                if head is None:
                    break
                if not self._answer(sock, conn, Request(head)):
                    break
        except (OSError, ValueError):
            pass
        finally:
            with self.lock:
                self._open.discard(sock)
            try:
                sock.close()
            except OSError:
                pass

    @staticmethod
    def _read_head(sock, pending):
        while b"\r\n\r\n" not in pending:
            got = sock.recv(65536)
            if not got or len(pending) > HEAD_LIMIT:
                return None, b""
            pending += got
        head, _, rest = pending.partition(b"\r\n\r\n")
        return head, rest

    def _answer(self, sock, conn, req):
        """One reply. True when the connection may carry another."""
        with self.lock:
            res = self._find(req)
            then = {}
            for rule in res.rules if res else ():
                if rule.fits(req):
                    then = rule.then
                    break
            entry = {"n": len(self.log), "conn": conn, "time": time.monotonic(),
                     "method": req.method, "path": req.path,
                     "target": req.target, "range": req.headers.get("range"),
                     "start": req.start, "end": req.end,
                     "if_match": req.headers.get("if-match"),
                     "headers": req.headers, "status": None, "sent": 0,
                     "ending": "open", "end_time": None}
            self.log.append(entry)
        try:
            reply = Reply(self, res, req, then)
            entry["status"] = reply.status
            reply.send(sock, entry)
            entry["ending"] = "complete"
            keep = reply.keep
        except Hangup as why:
            entry["ending"] = why.how
            keep = False
        except OSError:
            entry["ending"] = "client gone"
            keep = False
        entry["end_time"] = time.monotonic()
        if self._log_file:
            with self.lock:
                self._log_file.write(json.dumps(entry) + "\n")
                self._log_file.flush()
        return keep

    def _find(self, req):
        res = self._resources.get(req.target)
        res = res or self._resources.get(req.path)
        if res is None and re.fullmatch(r"/bytes/\d+", req.path):
            rule = {k: _from_text(v) for k, v in req.query.items()}
            res = Resource(pattern(int(req.path[7:])), rules=[rule])
            self._resources[req.target] = res
        return res

    # ---- tokens of expiring redirects ----

    def grant(self, uses):
        with self.lock:
            self._n_tokens += 1
            token = "t%d" % self._n_tokens
            self._tokens[token] = uses
        return token

    def spend(self, token):
        with self.lock:
            left = self._tokens.get(token, 0)
            self._tokens[token] = left - 1
        return left > 0


def _from_text(value):
    try:
        return json.loads(value)
    except ValueError:
        return value


class Reply:
    """The judgement on one request: status, headers, body and fault."""

    def __init__(self, server, res, req, then):
        self.server, self.res, self.req, self.then = server, res, req, then
        self.headers = {}
        self.body = b""
        self.total_sent = 0
        self.framing = then.get("framing", "length")
        self.keep = not then.get("close") and self.framing in (
            "length", "chunked")
        self.status = self._decide()
        if then.get("data_xor"):
            self.body = bytes(b ^ then["data_xor"] for b in self.body)

    def _decide(self):
        res, then = self.res, self.then
        if res is None:
            return self._plain(404, b"not found\n")
        if res.user and not self._authorized():
            self.headers["WWW-Authenticate"] = 'Basic realm="test"'
            return self._plain(401, b"who are you\n")
        if res.tokens and not self.server.spend(self.req.query.get("token")):
            return self._plain(res.expired_status, res.expired_body.encode())
        if "redirect" in then:
            where = then["redirect"]
            if "token_uses" in then:
                where += "?token=" + self.server.grant(then["token_uses"])
            self.headers["Location"] = where
            return self._plain(then.get("status", 302), b"elsewhere\n")
        if "status" in then:
            self._retry_after()
            return self._plain(then["status"],
                               then.get("body", "scripted\n").encode())
        return self._object()

    def _authorized(self):
        want = "Basic " + base64.b64encode(self.res.user.encode()).decode()
        return self.req.headers.get("authorization") == want

    def _plain(self, status, body):
        self.body = body
        self.headers["Content-Type"] = "text/plain"
        return status

    def _retry_after(self):
        value = self.then.get("retry_after")
        if value is None:
            return
        value = str(value)
        if value.startswith("date:"):
            value = email.utils.formatdate(time.time() + float(value[5:]),
                                           usegmt=True)
        self.headers["Retry-After"] = value

    def _object(self):
        res, then, req = self.res, self.then, self.req
        etag = then.get("etag", res.etag)
        stamp = then.get("last_modified", res.last_modified)
        conditions = then.get("conditions", "honour")
        asked = req.headers.get("if-match")
        if asked is not None and (conditions == "refuse" or (
                conditions == "honour" and asked != etag)):
            return self._plain(412, b"condition\n")
        self.headers["Content-Type"] = res.content_type
        if etag is not None:
            self.headers["ETag"] = etag
        if stamp is not None:
            self.headers["Last-Modified"] = stamp
        data = res.data
        if then.get("coding") == "gzip":
            data = gzip.compress(data, 1, mtime=0)
            self.headers["Content-Encoding"] = "gzip"
        ranges = then.get("ranges", "ok")
        if ranges == "ok":
            self.headers["Accept-Ranges"] = "bytes"
        if req.start is None or ranges == "ignore":
            self.body = data
            return 200
        return self._part(data)

    def _part(self, data):
        start, total, then = self.req.start, len(data), self.then
        how = then.get("content_range")
        if start >= total:
            if how != "star":
                self.headers["Content-Range"] = "bytes */%d" % total
            self.body = b""
            return 416
        end = total - 1 if self.req.end is None else min(self.req.end,
                                                         total - 1)
        if "short" in then:
            end = min(end, start + then["short"] - 1)
        self.body = data[start:end + 1]
        lie = total + then.get("size_lie", 0)
        text = {None: "bytes %d-%d/%d" % (start, end, lie),
                "start": "bytes %d-%d/%d" % (start + 1, end + 1, lie),
                "total": "bytes %d-%d/%d" % (start, end, lie + 1),
                "star": "bytes %d-%d/*" % (start, end)}.get(how, how)
        if how != "missing":
            self.headers["Content-Range"] = text
        return 206

    # ---- writing ----

    def _head(self):
        out = []
        headers = dict(self.headers)
        if self.framing == "length":
            headers["Content-Length"] = str(len(self.body))
        elif self.framing.startswith("chunked"):
            headers["Transfer-Encoding"] = "chunked"
        if self.then.get("close") is True or self.framing == "close":
            headers["Connection"] = "close"
        for i in range(3 if "long_header" in self.then else 0):
            headers["X-Long-%d" % i] = "x" * self.then["long_header"]
        for name, value in self.then.get("headers", {}).items():
            headers.pop(name, None)
            if value is not None:
                headers[name] = value
        for code in self.then.get("early", ()):
            note = "Link: </style.css>; rel=preload\r\n" if code == 103 else ""
            out.append("HTTP/1.1 %d Early\r\n%s\r\n" % (code, note))
        reason = self.then.get("reason", REASONS.get(self.status, "Status"))
        out.append("HTTP/1.1 %d %s\r\n" % (self.status, reason))
        out += ["%s: %s\r\n" % item for item in headers.items()]
        return ("".join(out) + "\r\n").encode("latin-1")

    def send(self, sock, entry):
        then = self.then
        if then.get("delay"):
            time.sleep(then["delay"])
        if "drop" in then:
            self._fault(sock, then["drop"] + "_after")
        if "write_size" in then:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        head = self._head()
        if "stall_header" in then:
            if then["stall_header"] is not True:
                sock.sendall(head[:then["stall_header"]])
            self._stall(sock)
        bodiless = self.req.method == "HEAD" or self.status in (204, 304)
        sock.sendall(head)
        if bodiless:
            return
        if "send_timeout" in then:
            sock.settimeout(then["send_timeout"])
        try:
            self._body(sock, entry)
        except TimeoutError:
            raise Hangup("send timeout") from None
        sock.settimeout(None)
        if self.framing == "chunked":
            sock.sendall(b"0\r\n\r\n")

    def _body(self, sock, entry):
        then = self.then
        fault = next((k for k in ("reset_after", "close_after", "stall_after")
                      if k in then), None)
        body = memoryview(self.body)
        if fault:
            body = body[:then[fault]]
        rate = then.get("rate")
        piece = then.get("write_size", PIECE)
        if rate:
            piece = max(1, min(piece, rate // 20))
        began = time.monotonic()
        at = 0
        while at < len(body):
            part = body[at:at + piece]
            if self.framing.startswith("chunked"):
                sock.sendall(b"%x\r\n%b\r\n" % (len(part), bytes(part)))
            else:
                sock.sendall(part)
            at += len(part)
            entry["sent"] = at
            if rate and at < len(body):
                time.sleep(max(0, began + at / rate - time.monotonic()))
        if fault and len(self.body) >= then[fault]:
            self._fault(sock, fault)

    def _fault(self, sock, fault):
        if fault == "stall_after":
            self._stall(sock)
        if fault == "reset_after":
            _drain(sock)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                            struct.pack("ii", 1, 0))
            raise Hangup("reset")
        raise Hangup("closed")

    def _stall(self, sock):
        """Silence until the client or the server goes away."""
        while not self.server._closing.is_set():
            ready, _, _ = select.select([sock], [], [], 0.2)
            if ready and not sock.recv(65536):
                break
        raise Hangup("stalled")


def _drain(sock):
    """Waits until the peer's kernel has all bytes, then lets it read them: a
    reset would throw away what is still queued here."""
    left = array.array("i", [1])
    until = time.monotonic() + 5
    while time.monotonic() < until:
        fcntl.ioctl(sock.fileno(), termios.TIOCOUTQ, left)
        if left[0] == 0:
            break
        time.sleep(0.005)
    time.sleep(0.15)


def load_script(server, script):
    """Adds the resources of a parsed JSON script."""
    for item in script.get("resources", ()):
        item = dict(item)
        path = item.pop("path")
        if "file" in item:
            with open(item.pop("file"), "rb") as src:
                data = src.read()
        elif "size" in item:
            data = pattern(item.pop("size"), item.pop("seed", 0))
        else:
            data = item.pop("text", "").encode()
        server.add(path, data, **item)


def main():
    parser = argparse.ArgumentParser(description="HTTP server with faults")
    parser.add_argument("--script", help="JSON file of resources")
    parser.add_argument("--log", help="file of JSON lines, one a request")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--until-eof", action="store_true",
                        help="end when standard input does")
    args = parser.parse_args()
    log_file = open(args.log, "a") if args.log else None
    server = FaultyServer(args.host, args.port, log_file)
    if args.script:
        with open(args.script) as src:
            load_script(server, json.load(src))
    print(server.port, flush=True)
    try:
        if args.until_eof:
            sys.stdin.buffer.read()
        else:
            threading.Event().wait()
    except KeyboardInterrupt:
        pass
    server.close()


if __name__ == "__main__":
    main()
