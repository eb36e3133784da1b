#!/bin/sh
# demo.sh PROGRAM: what tarn does, shown on one machine. Called by
# cmake/bootstrap.sh demo. Everything lies in one temporary directory, on tmpfs
# where there is room, and is gone at the end.
set -eu
tarn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
umask 022
nginx_pid=""
n_files=10000
n_bytes=300M

step()
{
  printf '\n== %s\n' "$*"
}

# room DIR: 2 GB free, three trees and two archives.
room()
{
  [ -d "$1" ] && [ -w "$1" ] &&
    [ "$(df -Pk "$1" | awk 'NR == 2 { print $4 }')" -gt 2000000 ]
}

base=${TMPDIR:-/tmp}
if room /dev/shm; then
  base=/dev/shm
fi
dir=$(mktemp -d "$base/tarn-demo.XXXXXX")

clean()
{
  if [ -n "$nginx_pid" ]; then
    kill "$nginx_pid" 2> /dev/null || true
    wait "$nginx_pid" 2> /dev/null || true
  fi
  rm -rf "$dir"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# A free port: given by the kernel, so that two demos do not meet.
free_port()
{
  python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

start_nginx()
{
  port=$(free_port)
  user=""
  [ "$(id -u)" -ne 0 ] || user="user root;"
  cat > "$dir/nginx.conf" <<END
$user
daemon off;
worker_processes 1;
pid $dir/nginx.pid;
error_log $dir/error.log;
events { worker_connections 128; }
http {
  access_log off;
  sendfile on;
  client_body_temp_path $dir/t1;
  proxy_temp_path $dir/t2;
  fastcgi_temp_path $dir/t3;
  uwsgi_temp_path $dir/t4;
  scgi_temp_path $dir/t5;
  server { listen 127.0.0.1:$port; root $dir/www; }
}
END
  PATH=$PATH:/usr/sbin nginx -p "$dir" -c "$dir/nginx.conf" \
    -e "$dir/error.log" &
  nginx_pid=$!
  url=http://127.0.0.1:$port/tree.tar.lz4
  curl -fsS --retry 20 --retry-delay 1 --retry-connrefused -r 0-0 \
    -o /dev/null "$url"
}

# listing DIR: type, mode, owner, links, time to the nanosecond, target.
listing()
{
  (cd "$1" && find . -printf '%P %y %m %U:%G %n %T@ %l\n' | LC_ALL=C sort)
}

same()
{
  diff -r --no-dereference "$dir/tree" "$1"
  listing "$dir/tree" > "$dir/list-made"
  listing "$1" > "$dir/list-got"
  diff "$dir/list-made" "$dir/list-got"
}

# Each way leaves the tree in "$dir/out".
by_tarn()
{
  "$tarn" get -q "$url" -C "$dir/out"
}
by_lz4()
{
  mkdir "$dir/out"
  curl -sS "$url" | lz4 -dc | tar -x -C "$dir/out" -f -
}
by_mbuffer()
{
  mkdir "$dir/out"
  curl -sS "$url" | lz4 -dc | mbuffer -q -m 64M | tar -x -C "$dir/out" -f -
}

# timed WAY: appends the seconds of one run to WAY's list.
timed()
{
  rm -rf "$dir/out"
  begin=$(date +%s%N)
  "by_$1"
  end=$(date +%s%N)
  [ "$(find "$dir/out" -type f | wc -l)" -eq "$n_made" ] ||
    { echo "$1: the tree is not whole"; exit 1; }
  awk "BEGIN { printf \"%.3f\n\", ($end - $begin) / 1e9 }" >> "$dir/times-$1"
}

median()
{
  sort -n "$dir/times-$1" | sed -n 2p
}

# row WAY TEXT
row()
{
  awk -v t="$(median "$1")" -v first="$(median tarn)" -v text="$2" \
    'BEGIN { printf "  %6.2f s  %5.2f x  %s\n", t, t / first, text }'
}

step "Make a tree of $n_files files and $n_bytes bytes in $dir/tree"
python3 -B "$here/workload.py" "$dir/tree" --files "$n_files" --bytes "$n_bytes"
n_made=$(find "$dir/tree" -type f | wc -l)
mkdir "$dir/www"
tar -C "$dir/tree" -c -f - . | lz4 -q > "$dir/www/tree.tar.lz4"
ls -l "$dir/www/tree.tar.lz4"

start_nginx
step "Download and extract: tarn get $url -C $dir/out"
"$tarn" get "$url" -C "$dir/out"

step "Compare with the tree it was made from"
same "$dir/out"
echo "Identical: contents, types, modes, owners, links and times of" \
  "$(wc -l < "$dir/list-got") entries."

step "Three runs of each, taking turns; the medians"
for turn in 1 2 3; do
  for way in tarn lz4 mbuffer; do
    timed "$way"
  done
done
row tarn "tarn get"
row lz4 "curl | lz4 -dc | tar x"
row mbuffer "curl | lz4 -dc | mbuffer -q -m 64M | tar x"
