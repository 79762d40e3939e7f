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

from_make() {
	sed -n "s/^$1 = //p" Makefile
}
cc=$(from_make CC)
flags="-std=gnu11 -D_GNU_SOURCE= -I. -I$TC_SRCDIR/libtfs -I$TC_SRCDIR/tracecmd -I$TC_SRCDIR/plugins
	-I$TC_SRCDIR/tests $(from_make TRACEFS_CFLAGS) $(from_make TRACEEVENT_CFLAGS)
	$(from_make ELF_CFLAGS) $(from_make DW_CFLAGS) $(from_make ZSTD_CFLAGS)
	$(from_make CMOCKA_CFLAGS) $(from_make WARN_CFLAGS) -Werror"

alone() {
	find "$TC_SRCDIR/libtfs" "$TC_SRCDIR/tracecmd" "$TC_SRCDIR/plugins" -name '*.h' |
	while read -r h; do
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
