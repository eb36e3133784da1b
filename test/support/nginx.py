"""A private nginx on loopback: plain, TLS with an own authority, client
certificates, HTTP/2, Basic authorization, a Unix socket, IPv6, slow replies.

    with Nginx(directory) as srv:
        srv.put("a", data)
        srv.url("a"), srv.url("a", "tls"), srv.url("a", "slow")
        srv.log()        # one dict for each request that has ended
"""
import os
import pathlib
import shutil
import socket
import subprocess
import time

CONFIG = """
{user}
daemon off;
master_process off;
worker_processes 1;
pid {dir}/pid;
error_log {dir}/error.log;
events {{ worker_connections 256; }}
http {{
  log_format test '$request_method|$uri|$server_protocol|$status|'
                  '$http_range|$connection|$body_bytes_sent';
  access_log {dir}/access.log test;
  client_body_temp_path {dir}/t1;
  proxy_temp_path {dir}/t2;
  fastcgi_temp_path {dir}/t3;
  uwsgi_temp_path {dir}/t4;
  scgi_temp_path {dir}/t5;
  default_type application/octet-stream;
  ssl_certificate {dir}/server.pem;
  ssl_certificate_key {dir}/server.key;
  server {{
    listen 127.0.0.1:{plain};
    listen [::1]:{plain};
    listen unix:{dir}/sock;
    root {dir}/root;
    location /slow/ {{ alias {dir}/root/; limit_rate 300k; }}
    location /auth/ {{
      alias {dir}/root/;
      auth_basic "test";
      auth_basic_user_file {dir}/users;
    }}
  }}
  server {{
    listen 127.0.0.1:{tls} ssl http2;
    root {dir}/root;
  }}
  server {{
    listen 127.0.0.1:{mutual} ssl;
    root {dir}/root;
    ssl_client_certificate {dir}/ca.pem;
    ssl_verify_client on;
  }}
}}
"""


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def _openssl(*args, **kw):
    subprocess.run(["openssl", *map(str, args)], check=True,
                   stderr=subprocess.DEVNULL, **kw)


def make_certificates(where):
    """ca, server and client: NAME.pem and NAME.key."""
    _openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30",
             "-subj", "/CN=Test authority", "-keyout", where / "ca.key",
             "-out", where / "ca.pem")
    for name in ("server", "client"):
        ext = where / (name + ".ext")
        ext.write_text("subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1\n")
        _openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj",
                 "/CN=" + name, "-keyout", where / (name + ".key"), "-out",
                 where / (name + ".csr"))
        _openssl("x509", "-req", "-days", "30", "-in", where / (name + ".csr"),
                 "-CA", where / "ca.pem", "-CAkey", where / "ca.key",
                 "-CAcreateserial", "-extfile", ext, "-out",
                 where / (name + ".pem"))


class Nginx:
    def __init__(self, where):
        self.dir = pathlib.Path(where)
        self.root = self.dir / "root"
        self.root.mkdir()
        self.socket = self.dir / "sock"
        self.plain, self.tls, self.mutual = (free_port() for _ in range(3))
        make_certificates(self.dir)
        hashed = subprocess.run(["openssl", "passwd", "-apr1", "opens:esame"],
                                check=True, stdout=subprocess.PIPE).stdout
        (self.dir / "users").write_bytes(b"ali:" + hashed)
        (self.dir / "nginx.conf").write_text(CONFIG.format(
            user="user root;" if os.geteuid() == 0 else "", dir=self.dir,
            plain=self.plain, tls=self.tls, mutual=self.mutual))
        binary = shutil.which("nginx", path=os.environ.get("PATH", "") +
                              ":/usr/sbin")
        self._proc = subprocess.Popen(
            [binary, "-p", str(self.dir), "-c", str(self.dir / "nginx.conf")],
            stderr=subprocess.DEVNULL)
        self._await_start()

    def _await_start(self):
        for _ in range(200):
            assert self._proc.poll() is None, self.error_log()
            try:
                socket.create_connection(("127.0.0.1", self.mutual), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError("nginx does not listen: " + self.error_log())

    def error_log(self):
        path = self.dir / "error.log"
        return path.read_text() if path.exists() else ""

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self._proc.terminate()
        try:
            self._proc.wait(10)
        except subprocess.TimeoutExpired:
            self._proc.kill()
            self._proc.wait()

    def put(self, name, data):
        (self.root / name).write_bytes(data)
        return self.url(name)

    def url(self, name, how="plain"):
        base = {"plain": "http://127.0.0.1:%d/" % self.plain,
                "slow": "http://127.0.0.1:%d/slow/" % self.plain,
                "auth": "http://127.0.0.1:%d/auth/" % self.plain,
                "ipv6": "http://[::1]:%d/" % self.plain,
                "unix": "http://localhost/",
                "tls": "https://127.0.0.1:%d/" % self.tls,
                "mutual": "https://127.0.0.1:%d/" % self.mutual}[how]
        return base + name

    def log(self, name=None):
        """Requests that have ended, oldest first; nginx writes each late, so
        the log is read until it has stayed the same for a while."""
        text, out, same = None, [], 0
        while same < 2:
            time.sleep(0.15)
            seen = (self.dir / "access.log").read_text()
            same = same + 1 if seen == text else 0
            text = seen
        for line in text.splitlines():
            method, uri, proto, status, rng, conn, sent = line.split("|")
            if name is None or uri.endswith("/" + name):
                out.append({"method": method, "uri": uri, "protocol": proto,
                            "status": int(status), "range": rng,
                            "conn": conn, "sent": int(sent)})
        return out
