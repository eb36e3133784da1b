#!/bin/sh
# usage.sh TARN: what the program answers before any byte is fetched.
set -u
tarn=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
bad=0
mkdir .d

# expect STATUS PATTERN argument...: exit status and a line on stderr.
expect() {
  status=$1 pattern=$2
  shift 2
  "$tarn" "$@" >out 2>err </dev/null
  got=$?
  if [ $got -ne "$status" ] || ! grep -q -e "$pattern" err; then
    echo "FAILED: tarn $*: exit $got, expected $status and $pattern in:"
    cat err
    bad=1
  fi
}

expect 64 '^usage: tarn get'
expect 64 'tarn get URL' http://example.org/x.tar
expect 64 'meant is: tarn extract a.tar$' -xf a.tar
expect 64 'meant is: tarn extract a.tar$' xzf a.tar
expect 64 'meant is: tarn list a.tar$' -tf a.tar
expect 64 'meant is: tarn list FILE$' tv
expect 64 'tarn create -o a.tar' -cf a.tar
for command in create pull filter; do
  expect 64 "$command is not in this version" $command
done
expect 64 'unknown command frob' frob
expect 64 'unknown option --frob' --frob
expect 64 'needs a URL' get
expect 64 'unknown option --frob' get --frob http://example.org/x
expect 64 'unknown option -Z' get -Z http://example.org/x
expect 64 '--con can be any of --connections, --connection-timeout' \
  get --con=3 http://example.org/x
expect 64 'from 1 to 256' get --connections=0 http://example.org/x
expect 64 'none of auto,tar' get --compression=rar http://example.org/x
expect 64 'takes no value' get --netrc=1 http://example.org/x
expect 64 'needs DIR' get http://example.org/x -C
expect 64 'exclude each other' get -C a -O http://example.org/x
expect 64 'needs -O or -o' get --raw http://example.org/x
expect 64 'not "Name: value"' get -H nonsense http://example.org/x
expect 66 'missing: open: No such file' get -H @missing http://example.org/x
expect 69 's3 URLs are not in this version' get s3://bucket/key
expect 64 'only http, https and file' get ftp://example.org/x
expect 64 'not standard input' get -
expect 64 'a local path' get ./x.tar
expect 64 'need a directory: -o f/' get -o f http://a.test/1 http://a.test/2
expect 64 'saved as d/1' get -o d/ http://a.test/1 http://b.test/1
expect 64 'names no file' get -o d/ http://a.test/
expect 64 'is for one URL' get --digest=sha256:0 http://a.test/1 http://a.test/2
expect 64 'no scheme given, taking https://a.test/1' \
  get -o d/ a.test/1 b.test/1

# extract and list.
expect 64 'meant is: tarn get URL' extract http://a.test/1
expect 64 'meant is: tarn get URL' extract -i file:///a.tar
expect 64 'reads one archive; entries are chosen by --include' extract a b
expect 64 '-i and b: extract reads one archive' extract -i a b
expect 64 'name is empty' extract ''
expect 64 'unknown option --output' extract --output=x a
expect 64 'unknown option -O' extract -O a
expect 64 'from 4096 to 65535' extract --block-size=1 a
expect 64 'is not a number' extract -b x a
expect 64 'try tarn extract --help' extract --frob
expect 2 'missing: open: No such file' extract missing
expect 2 'missing: open: No such file' extract -i missing
expect 66 'd: read: Is a directory' extract .d
expect 64 'list needs one URL, FILE or -' list
expect 64 'chosen by --include=GLOB' list a b
expect 64 'unknown option --directory' list --directory=x a
expect 64 'only http, https and file' list ftp://a.test/1
expect 69 's3 URLs are not in this version' list s3://bucket/key
expect 2 'missing: open: No such file' list missing
expect 65 'standard input: ' extract
expect 65 'standard input: ' list -

# A secret in a header never comes back in a message.
"$tarn" get -H 'hunter2 is my secret' http://example.org/x 2>err
grep -q hunter2 err && {
  echo "FAILED: a header's text was printed"
  bad=1
}

for words in --version --help 'get --help' 'get --help=all' 'get -h' \
  'extract --help' 'extract --help=all' 'list --help' 'list -h'; do
  # shellcheck disable=SC2086
  "$tarn" $words >out 2>err || {
    echo "FAILED: tarn $words"
    bad=1
  }
  [ -s out ] && [ ! -s err ] || {
    echo "FAILED: tarn $words: output belongs to stdout"
    bad=1
  }
done
"$tarn" --help >/dev/full 2>/dev/null && {
  echo "FAILED: a full stdout was not noticed"
  bad=1
}
exit $bad
