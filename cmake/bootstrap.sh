#!/bin/sh
# From a fresh Debian 12 with nothing but git to a built, tested, tried tarn:
#
#   sh cmake/bootstrap.sh build           build/release/tarn
#   sh cmake/bootstrap.sh demo            download, compare, race on loopback
#   sh cmake/bootstrap.sh test            the suite, in under 15 minutes
#   sh cmake/bootstrap.sh test --all      every suite of every preset
#   sh cmake/bootstrap.sh bench [option]  test/bench/bench.py on this machine
#
# Can be run again: what is installed and built stays. Stops at the first
# failure. Installs packages with apt-get, as root or with sudo, and shows the
# line before it does; where all are present it needs no rights and no network.
set -eu
cd "$(dirname "$0")/.."
jobs=$(nproc)

# ---- packages ----
build_packages="gcc libc6-dev cmake ninja-build pkg-config libuv1-dev
  libcurl4-openssl-dev liblz4-dev zlib1g-dev libzstd-dev liblzma-dev
  libbz2-dev libxxhash-dev libssl-dev"
# What a race on loopback needs.
run_packages="nginx-light python3 curl lz4 zstd mbuffer"
# libclang-rt is a package of one version of clang; 14 is Debian 12's.
test_packages="libcmocka-dev g++ clang libclang-rt-14-dev llvm valgrind
  clang-format-14 python3-pytest openssl xz-utils bzip2 mandoc attr acl
  libarchive-tools busybox pax git libcap2-bin strace"

step()
{
  printf '\n== %s\n' "$*"
}

# run COMMAND...: shown, then run.
run()
{
  printf '+ %s\n' "$*"
  "$@"
}

# run_quiet COMMAND...: its output is shown only when it fails.
run_quiet()
{
  printf '+ %s\n' "$*"
  "$@" > "$log" 2>&1 || { cat "$log"; exit 1; }
}

# The packages of the list that are not installed.
missing()
{
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null ||
      true)" = installed ] || printf ' %s' "$package"
  done
}

# as_root COMMAND...: APT's questions are answered with their defaults.
as_root()
{
  if [ "$(id -u)" -eq 0 ]; then
    run env DEBIAN_FRONTEND=noninteractive "$@" < /dev/null
  elif command -v sudo > /dev/null; then
    run sudo env DEBIAN_FRONTEND=noninteractive "$@"
  else
    echo "this needs root or sudo: $*" >&2
    exit 1
  fi
}

need()
{
  if ! command -v dpkg-query > /dev/null; then
    echo "Not a Debian system: nothing is installed. What is used, by the"
    echo "names of Debian's packages:" $*
    return
  fi
  absent=$(missing "$@")
  if [ -z "$absent" ]; then
    echo "All $# packages are installed."
    return
  fi
  echo "Not installed yet:$absent"
  case $absent in
    *nginx*) echo "(tarn starts a private nginx and never the system's.)" ;;
  esac
  as_root apt-get update
  as_root apt-get install -y --no-install-recommends $absent
}

# ---- building ----
# build PRESET [cmake option...]
build()
{
  preset=$1
  shift
  step "Build: preset $preset, in build/$preset"
  run_quiet cmake --preset "$preset" "$@"
  run cmake --build --preset "$preset" -j "$jobs"
}

build_release()
{
  build release -DTARN_TESTS=OFF
}

# ---- testing ----
# check PRESET [ctest option...]: no test at all is a failure too.
check()
{
  preset=$1
  shift
  step "Test: preset $preset $*"
  run ctest --test-dir "build/$preset" --output-on-failure -j2 \
    --no-tests=error "$@"
}

# valgrind's own run of every C test with one of the labels.
check_valgrind()
{
  options="--quiet;--error-exitcode=9;--leak-check=full;--trace-children=no"
  options="$options;--suppressions=$(pwd)/test/support/valgrind.supp"
  build plain "-DTARN_TEST_LAUNCHER=valgrind;$options"
  (export TARN_TEST_EVERY="$2"; check plain -L "$1")
}

# Each fuzz target for half a minute from its seeds; a finding stops the script and
# lies in build/fuzz/found.
check_fuzz()
{
  build fuzz
  mkdir -p build/fuzz/found
  n_targets=0
  for target in $(find build/fuzz -name 'fuzz_*' -type f -perm -100 | sort); do
    name=$(basename "$target")
    step "Fuzz: $name, ${TARN_FUZZ_SECONDS:-30} seconds"
    mkdir -p "build/fuzz/corpus/$name"
    set -- "build/fuzz/corpus/$name"
    [ ! -d "test/fuzz/corpus/$name" ] || set -- "$@" "test/fuzz/corpus/$name"
    run "$target" -max_total_time="${TARN_FUZZ_SECONDS:-30}" -timeout=25 \
      -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 \
      -artifact_prefix="build/fuzz/found/$name-" "$@"
    n_targets=$((n_targets + 1))
  done
  [ "$n_targets" -gt 0 ] || { echo "no fuzz target was built"; exit 1; }
}

test_quick()
{
  cat <<'END'
This builds four presets and runs: the flow and job tests under the thread
sanitizer, the unit tests under valgrind, the unit, flow and job tests with the
four required libraries alone, and at last the whole suite (program and lint
included) under the address and undefined-behaviour sanitizers.
END
  need $build_packages $run_packages $test_packages
  build tsan
  check tsan -L 'flow|job'
  check_valgrind unit 31
  build minimal
  check minimal -L 'unit|flow|job'
  build dev
  check dev -LE deep
}

test_all()
{
  cat <<'END'
This builds every preset and runs every suite, the deep tests and half a minute of
each fuzz target among them. It takes the better part of an hour.
END
  need $build_packages $run_packages $test_packages
  step "Build: clang at -O2, warnings are errors"
  run_quiet cmake -S . -B build/clang -G Ninja -DTARN_WERROR=ON \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=clang
  run cmake --build build/clang -j "$jobs"
  build tsan
  check tsan
  check_valgrind 'unit|flow|job' 1
  build minimal
  check minimal
  check_fuzz
  build release -DTARN_TESTS=ON
  step "Deep tests: TARN_DEEP=1, preset release"
  (export TARN_DEEP=1; check release)
  build dev
  check dev
}

usage()
{
  sed -n '/^#   sh/s/^# *//p' "$0" >&2
  exit 64
}

log=$(mktemp "${TMPDIR:-/tmp}/tarn-bootstrap.XXXXXX")
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
case ${1:-} in
  build)
    [ $# -eq 1 ] || usage
    echo "This builds the program and libtarn, without tests."
    need $build_packages
    build_release
    step "Done: build/release/tarn get --help"
    ;;
  demo)
    [ $# -eq 1 ] || usage
    echo "This builds tarn, serves a made-up tree by a private nginx on loopback,"
    echo "downloads and compares it, and races tarn against two pipelines."
    need $build_packages $run_packages
    build_release
    sh test/bench/demo.sh build/release/tarn
    ;;
  test)
    case $#${2:-} in
      1) test_quick ;;
      2--all) test_all ;;
      *) usage ;;
    esac
    ;;
  bench)
    shift
    echo "This builds tarn and measures it beside its peers. Nothing is asserted."
    need $build_packages $run_packages
    build_release
    step "Bench"
    run python3 -B test/bench/bench.py --tarn build/release/tarn "$@"
    ;;
  *) usage ;;
esac
