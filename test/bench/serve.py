"""What the bench downloads: a tree, its archives, and an nginx that serves
them plain, over TLS and with a limit on each connection."""
import os
import shutil
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CODERS = {"tar": ["cat"], "tar.lz4": ["lz4", "-q"], "tar.gz": ["gzip", "-6"],
          "tar.zst": ["zstd", "-q", "-3"]}

CONFIG = """
{user}
daemon off;
worker_processes 1;
pid {dir}/nginx.pid;
error_log {dir}/error.log;
events {{ worker_connections 512; }}
http {{
  access_log off;
  sendfile on;
  client_body_temp_path {dir}/t1;
  proxy_temp_path {dir}/t2;
  fastcgi_temp_path {dir}/t3;
  uwsgi_temp_path {dir}/t4;
  scgi_temp_path {dir}/t5;
  server {{ listen 127.0.0.1:{plain}; root {dir}/www; }}
  server {{ listen 127.0.0.1:{limited}; root {dir}/www; limit_rate {rate}; }}
  server {{
    listen 127.0.0.1:{tls} ssl;
    root {dir}/www;
    ssl_certificate {dir}/cert.pem;
    ssl_certificate_key {dir}/key.pem;
  }}
}}
"""


class Files:
    """DIR/tree and DIR/www/tree.*, made when first asked for."""

    def __init__(self, where, n_files, n_bytes, seed):
        self.dir = where
        self.tree = os.path.join(where, "tree")
        os.mkdir(os.path.join(where, "www"))
        # In a process of its own: what this one takes is what the smallest
        # measured process seems to take.
        subprocess.run([sys.executable, "-B",
                        os.path.join(HERE, "workload.py"), self.tree,
                        "--files", str(n_files), "--bytes", str(n_bytes),
                        "--seed", str(seed)], check=True)
        self.n_files, self.n_bytes = count(self.tree)

    def make(self, ending):
        path = os.path.join(self.dir, "www", "tree." + ending)
        if os.path.exists(path):
            return
        with open(path, "wb") as out:
            tar = subprocess.Popen(
                ["tar", "--sort=name", "-C", self.tree, "-cf", "-", "."],
                stdout=subprocess.PIPE)
            subprocess.run(CODERS[ending], stdin=tar.stdout, stdout=out,
                           check=True)
            tar.stdout.close()
            if tar.wait() != 0:
                sys.exit("tar cannot pack the tree")


def count(top):
    """(files, bytes) of the regular files below `top`."""
    n_files = n_bytes = 0
    stack = [top]
    while stack:
        with os.scandir(stack.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    stack.append(entry.path)
                elif entry.is_file(follow_symlinks=False):
                    n_files += 1
                    n_bytes += entry.stat(follow_symlinks=False).st_size
    return n_files, n_bytes


def _free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


class Nginx:
    def __init__(self, where, rate):
        self.dir = where
        self.ports = {n: _free_port() for n in ("plain", "tls", "limited")}
        self.cert = os.path.join(where, "cert.pem")
        self.has_tls = shutil.which("openssl") is not None
        config = CONFIG.format(
            user="user root;" if os.geteuid() == 0 else "", dir=where,
            rate=rate, **self.ports)
        if self.has_tls:
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes",
                 "-days", "3", "-subj", "/CN=localhost", "-addext",
                 "subjectAltName=IP:127.0.0.1", "-keyout",
                 os.path.join(where, "key.pem"), "-out", self.cert],
                check=True, stderr=subprocess.DEVNULL)
        else:
            config = config[:config.index("  server {\n")] + "}\n"
        with open(os.path.join(where, "nginx.conf"), "w",
                  encoding="utf-8") as out:
            out.write(config)
        self.proc = None

    def __enter__(self):
        path = os.environ.get("PATH", "") + ":/usr/sbin"
        nginx = shutil.which("nginx", path=path)
        if not nginx:
            sys.exit("nginx is not installed")
        error_log = os.path.join(self.dir, "error.log")
        self.proc = subprocess.Popen(
            [nginx, "-p", self.dir, "-c",
             os.path.join(self.dir, "nginx.conf"), "-e", error_log],
            stdin=subprocess.DEVNULL)
        for _ in range(200):
            if self.proc.poll() is not None:
                sys.exit("nginx does not start")
            try:
                socket.create_connection(
                    ("127.0.0.1", self.ports["limited"]), 1).close()
                return self
            except OSError:
                time.sleep(0.05)
        self.__exit__()
        sys.exit("nginx does not listen")

    def __exit__(self, *exc):
        self.proc.terminate()
        self.proc.wait()

    def url(self, ending, how="plain"):
        return "%s://127.0.0.1:%d/tree.%s" % (
            "https" if how == "tls" else "http", self.ports[how], ending)

    def path(self, ending):
        return os.path.join(self.dir, "www", "tree." + ending)
