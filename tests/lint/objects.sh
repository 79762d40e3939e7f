#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks of the compiled objects: headers stand alone, no mutable state at file scope, and a program
# depends only on the libraries it calls.
#
# area: gate build

set -u
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"
cd "$TC_BUILDDIR" || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT INT TERM

from_make() {
	sed -n "s/^$1 = //p" Makefile
}
cc=$(from_make CC)
flags="-std=gnu11 -D_GNU_SOURCE= -I. -I$TC_SRCDIR/libtfs -I$TC_SRCDIR/tracecmd -I$TC_SRCDIR/plugins
	-I$TC_SRCDIR/tests $(from_make TRACEFS_CFLAGS) $(from_make TRACEEVENT_CFLAGS)
	$(from_make ELF_CFLAGS) $(from_make DW_CFLAGS) $(from_make ZSTD_CFLAGS)
	$(from_make CMOCKA_CFLAGS) $(from_make WARN_CFLAGS) -Werror"

# first_in FOLDER...: headers that a source includes before anything else, if its object is here
# shellcheck disable=SC2016 # awk's, not the shell's
first_in() {
	find "$@" -name '*.c' | while read -r c; do
		[ ! -f "$objects/obj/${c%.c}.o" ] || echo "$c"
	done | LC_ALL=C xargs awk '
		FNR == 1 {
			seen = 0
			dir = FILENAME
			sub(/[^\/]*$/, "", dir)
		}
		seen || /^(\/\*| \*|$)/ { next }
		{ seen = 1 }
		/^#include "/ {
			gsub(/^#include "|".*/, "")
			print dir $0
			print "libtfs/" $0
			print "tracecmd/" $0
			print "plugins/" $0
		}'
}

# to_compile: headers that nothing has compiled alone. Where warnings are errors, the object of a source that
# includes its header first has shown that.
to_compile() (
	objects=$PWD
	cd "$TC_SRCDIR" || exit
	find libtfs tracecmd plugins -name '*.h' | LC_ALL=C sort >"$tmp/headers"
	case " $(sed -n 's/^WARN_CFLAGS = //p' "$objects/Makefile") " in
	*' -Werror '*) first_in libtfs tracecmd plugins | LC_ALL=C sort -u ;;
	esac >"$tmp/first"
	LC_ALL=C comm -23 "$tmp/headers" "$tmp/first"
)

alone() {
	to_compile | while read -r h; do
		h=$TC_SRCDIR/$h
		# shellcheck disable=SC2086
		echo "#include \"$h\"" | $cc $flags -x c -fsyntax-only - 2>&1 ||
			echo "$h does not compile alone"
	done
}
nothing "each header compiles alone" "$(alone)"

if [ -n "$(from_make INSTRUMENT_FLAGS)" ]; then
	skip "no mutable state at file scope" "the compiler adds its own to instrumented objects"
elif ! command -v objdump >/dev/null; then
	skip "no mutable state at file scope" "no objdump"
else
	# The signal state is the exception by name; tfs_strbuf_empty is never written.
	nothing "no mutable state at file scope" "$(objdump -t libtfs.a libcli.a | awk '
		/file format/ { file = $1; sub(/:$/, "", file) }
		$3 == "O" && $4 ~ /^\.t?(bss|data)(\..*)?$/ && $4 !~ /^\.data\.rel\.ro/ {
			if (file != "signals.o" && $NF != "tfs_strbuf_empty")
				print file ": " $NF " in " $4
		}')"
fi

needs() {
	readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(lib[a-z]*\).*/\1/p' | sort | tr '\n' ' '
}
allowed() {
	for library in $(needs "$1"); do
		case " $2 libc libpthread " in
		*" $library "*) ;;
		*) echo "$1 needs $library" ;;
		esac
	done
}
if [ -n "$(from_make INSTRUMENT_FLAGS)" ]; then
	skip "programs need no library they do not call" "sanitizers add theirs"
else
	nothing "programs need no library they do not call" "$(
		allowed tc-attach "libz libzstd libdeflate"
		allowed tc-file "libtraceevent libz libzstd libdeflate"
		allowed tc-list "libtraceevent libz libzstd libdeflate"
		allowed tc-listen "libz libzstd libdeflate"
		allowed tc-probe "libdw libelf libz libdeflate"
		allowed tc-record "libtracefs libtraceevent libz libzstd libdeflate libdw libelf"
		allowed tc-report "libtraceevent libz libzstd libdeflate"
		allowed tc-fleet "libz libzstd libdeflate"
		allowed tc-top "libtracefs libtraceevent libz libzstd libdeflate libdw libelf libncursesw libtinfo"
		allowed tc-session "libtracefs libtraceevent libz libzstd libdeflate libdw libelf"
		allowed tc-stat "libtracefs libtraceevent libz libzstd libdeflate libdw libelf"
		allowed tc-trace "libtracefs libtraceevent libz libzstd libdeflate libdw libelf"
	)"
fi

finish
