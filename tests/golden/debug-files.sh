#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Debug information that is partly in other files: what dwz moved to one that several programs share,
# .dwo files. With them everything is found, also from a server of debuginfod's; without them, the
# file is named. The addresses are nm's. Besides, functions in several parts, and debug sections that
# libdw cannot read.
#
# area: gate probe

# shellcheck disable=SC2016 # dollars are the probes'

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
TC_BUILDDIR=$(cd "${TC_BUILDDIR:-.}" && pwd)
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"
probe=$TC_BUILDDIR/tc-probe
cc=${CC:-cc}
command -v "$cc" >/dev/null || skip_all "there is no C compiler ($cc)"
DEBUGINFOD_URLS=
TRACECRAFT_TRACEFS=/nonexistent
export DEBUGINFOD_URLS TRACECRAFT_TRACEFS
tmp=$(mktemp -d "${TMPDIR:-/tmp}/tc-debug-files.XXXXXX") || exit 1
server=
stop_server() {
	[ -z "$server" ] || kill "$server"
	server=
}
trap 'stop_server; rm -rf "$tmp"' EXIT
trap 'exit 130' INT HUP TERM
cd "$tmp" || exit 1

# has DESCRIPTION FILE TEXT
has() {
	if grep -qF -e "$3" "$2"; then
		pass "$1"
	else
		fail "$1" "wanted: $3" "$(cat "$2")"
	fi
}
# place FILE SYMBOL: its offset in a file that is not moved
place() {
	nm "$1" | awk -v s="$2" '$3 == s { sub(/^0+/, "", $1); print "0x" $1; exit }'
}
ask() {
	"$probe" "$@" >out 2>err
}

cat >m.c <<'END_OF_C'
#include <stdio.h>
enum color { RED = 2, BLUE = 7 };
struct item { int id; enum color c; const char *name; struct item *next; };
static inline __attribute__((always_inline)) int within(int k) { return printf("%d\n", k); }
static __attribute__((noinline)) int leaf(struct item *it, int n)
{
	int sum = n * 3 + it->id;
	printf("%d %s\n", sum, it->name);
	return sum + within(n);
}
int main(int argc, char **argv)
{
	struct item a = { 4, RED, argv[0], NULL };
	return leaf(&a, argc) == 99;
}
END_OF_C
"$cc" -g -O1 -Wl,-z,noseparate-code m.c -o prog || skip_all "$cc does not compile"
ask -x ./prog -D 'leaf n it->name'
leaf=$(sed 's/^[^ ]* [^ ]* //' out)
is "the program has it all" "$?" 0

# --- dwz ---
if ! command -v dwz >/dev/null; then
	skip "a common file that dwz made" "there is no dwz"
else
	mkdir whole alone
	"$cc" -g -O1 -Wl,-z,noseparate-code m.c -o whole/a
	"$cc" -g -O1 -Wl,-z,noseparate-code -DX=1 m.c -o whole/b
	(cd whole && dwz -m common.debug a b) || fail "dwz makes a common file"
	id=$(readelf -n whole/common.debug | sed -n 's/ *Build ID: *//p')
	cp whole/a alone/a
	ask -x whole/a -D 'leaf n it->name'
	is "with the common file beside it" "$(sed 's/^[^ ]* [^ ]* //' out)-$(wc -l <err)" "$leaf-0"
	ask -x alone/a -D 'leaf n'
	is "without it, the variable is refused" "$?" 1
	has "with the name of the file" err "is in a file that is not here: 'common.debug' (build-id $id)"
	has "and where it was looked for" err "/usr/lib/debug/.build-id/"
	ask -x alone/a -D leaf
	is "a function alone is found" "$(sed 's/.*:0x/0x/' out)" "$(place alone/a leaf)"
	has "and what is missed is said" err "shares with other files is missing: 'common.debug'"
	ask -x alone/a -V leaf
	has "beside the list of variables, too" err "shares with other files is missing: 'common.debug'"
	ask -x alone/a -D within
	has "and for a function that is not found" err \
		"shares with other files is missing: 'common.debug'"

	# a server of debuginfod's: it answers to /buildid/ID/debuginfo
	if ! command -v python3 >/dev/null || ! ldconfig -p | grep -q libdebuginfod.so.1; then
		skip "the common file from debuginfod" "there is no python3, or no libdebuginfod"
	else
		mkdir -p "served/buildid/$id"
		cp whole/common.debug "served/buildid/$id/debuginfo"
		own=$(readelf -n whole/a | sed -n 's/ *Build ID: *//p')
		mkdir -p "served/buildid/$own" stripped
		cp whole/a "served/buildid/$own/debuginfo"
		strip whole/a -o stripped/a
		python3 -c '
import functools, http.server
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory="served")
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(s.server_address[1], flush=True)
s.serve_forever()' >port 2>served.log &
		server=$!
		until [ -s port ] || ! kill -0 "$server"; do :; done
		DEBUGINFOD_URLS=http://127.0.0.1:$(cat port) DEBUGINFOD_CACHE_PATH=$tmp/cache \
			"$probe" -x alone/a -D 'leaf n it->name' >out 2>err
		is "the common file from debuginfod" "$(sed 's/^[^ ]* [^ ]* //' out)-$(cat err)" "$leaf-"
		DEBUGINFOD_URLS=http://127.0.0.1:$(cat port) DEBUGINFOD_CACHE_PATH=$tmp/cache2 \
			"$probe" -x stripped/a -D 'leaf n it->name' >out 2>err
		is "that of a stripped program, whose own comes from there, too" \
			"$(sed 's/^[^ ]* [^ ]* //' out)-$(cat err)" "$leaf-"
		rm -r "served/buildid/$id"
		DEBUGINFOD_URLS=http://127.0.0.1:$(cat port) DEBUGINFOD_CACHE_PATH=$tmp/cache3 \
			"$probe" -x alone/a -D 'leaf n it->name' >out 2>err
		is "one that the server does not have is refused" "$?" 1
		has "and the servers are among what was tried" err "and the servers of DEBUGINFOD_URLS"
		stop_server
	fi
fi

# --- .dwo ---
"$cc" -g -O1 -Wl,-z,noseparate-code -gsplit-dwarf m.c -o split
dwo=$(ls ./*.dwo)
ask -x ./split -D m.c:8
line=$(cat out)
is "a line is found with the .dwo" "$(wc -l <out)" 1
ask -x ./split -L m.c:5-10
cp out lines
mv "$dwo" elsewhere
for point in m.c:8 'leaf n' within; do
	ask -x ./split -D "$point"
	is "without it, '$point' is refused" "$?-$(wc -l <out)" 1-0
	has "with its name" err "is in '$tmp/${dwo#./}', which cannot be read"
done
ask -x ./split -L m.c:5-10
is "nor are lines marked" "$?-$(wc -l <out)" 1-0
has "with its name" err "is in '$tmp/${dwo#./}', which cannot be read"
ask -x ./split -D leaf
is "a function alone is found" "$(sed 's/.*:0x/0x/' out)" "$(place split leaf)"
has "and what is missed is said" err "is in '$tmp/${dwo#./}', which cannot be read"
mv elsewhere "$dwo"
ask -x ./split -D m.c:8
is "once it is back, all is as before" "$(cat out err)" "$line"
ask -x ./split -L m.c:5-10
is "the marks, too" "$(cat out)" "$(cat lines)"

# --- functions in parts: LLVM lists the one that is entered last ---
cat >parts.c <<'END_OF_C'
#include <stdio.h>
__attribute__((noinline)) int work(int n, const char *s)
{
	if (__builtin_expect(n > 1000, 0))
		for (int i = 0; i < n; i++)
			printf("%d", i);
	return printf("%d %s\n", n, s);
}
int main(int argc, char **argv) { return work(argc, argv[0]) == 99; }
END_OF_C
for version in 4 5; do
	if [ "$(uname -m)" != x86_64 ] || ! clang -g -O2 "-gdwarf-$version" -fbasic-block-sections=all -Wl,-z,noseparate-code \
		parts.c -o parts 2>err || ! nm parts | grep -q ' work[.]__part'; then
		skip "a function in parts, DWARF $version" "no clang that makes them, or not x86-64"
		continue
	fi
	ask -x ./parts -D 'work n s'
	is "a function in parts is probed where it is entered, DWARF $version" \
		"$(sed 's/^[^ ]* [^ ]*://' out)-$(cat err)" "$(place parts work) n=%di:s32 s=+0(%si):string-"
	ask -x ./parts -V work
	has "with its variables" out "int	n"
	ask -x ./parts -D 'wor*'
	is "and a pattern takes none of its parts" "$(sed 's/.*:0x/0x/' out)" "$(place parts work)"
done

# --- what libdw cannot read ---
if objcopy --compress-debug-sections=zstd prog packed 2>err &&
	readelf -t packed | grep -q COMPRESSED; then
	ask -x ./packed -D 'leaf n'
	if [ $? -eq 0 ]; then
		skip "sections compressed with zstd" "this libdw reads them"
	else
		has "sections that libdw does not read are not called missing" err \
			"the debug information of '$tmp/packed' cannot be read: sections of"
		has "with the reason" err "compressed with zstd"
	fi
else
	skip "sections compressed with zstd" "objcopy does not make them"
fi
finish
