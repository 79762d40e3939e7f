#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cut.sh - recordings that are truncated somewhere in their data: every view says whose last events are
# missing, and pairs nothing across them (cut.py)
#
# area: gate report

set -u
# shellcheck source=tests/golden/lib.sh
. "$(dirname "$0")/lib.sh"

begin cut xz python3
some="x86_64/stack x86_64/ev-v6 x86_64/ev-v7zlib x86_64/graph x86_64-6.12/subbuf16-v6 arm64/ev-v7zstd s390x/ev-v7zstd"

for name in $some; do
	unpacked "$TC_SRCDIR/tests/data/recordings/$name.dat.xz"
	if lacks_codec "$dat"; then
		skip "$name" "zstd is not built in"
		continue
	fi
	python3 "$TC_SRCDIR/tests/golden/cut.py" "$TC_BUILDDIR/tc-report" "$dat" "$tmp" >"$tmp/lines" 2>&1 ||
		echo "not ok - cut.py failed: $(tail -n 1 "$tmp/lines")" >>"$tmp/lines"
	while IFS= read -r line; do
		case $line in
		'ok - '*) pass "$name: ${line#ok - }" ;;
		*) fail "$name" "$line" ;;
		esac
	done <"$tmp/lines"
done

# Without its options, which come last, nothing says of which machine a recording is.
unpacked "$TC_SRCDIR/tests/data/recordings/arm64/ev-v7zstd.dat.xz"
if lacks_codec "$dat"; then
	skip "the machine of a cut recording" "zstd is not built in"
else
	"$TC_BUILDDIR/tc-trace" -i "$dat" 2>/dev/null | grep -o '^[a-z0-9_]*(' | sort -u >"$tmp/whole"
	is "the recording is of arm64, whose calls have names" "$(grep -c '^execve($' "$tmp/whole")-$(grep -c '^syscall_' "$tmp/whole")" 1-0
	head -c $(($(wc -c <"$dat") * 95 / 100)) "$dat" >"$tmp/cut.dat"
	"$TC_BUILDDIR/tc-trace" -i "$tmp/cut.dat" 2>/dev/null | grep -o '^[a-z0-9_]*(' | sort -u >"$tmp/lines"
	# asm-generic/unistd.h: execve is 221
	is "calls of a machine that is not known are numbers" \
		"$(grep -c '^syscall_0xdd($' "$tmp/lines")-$(grep -cv '^syscall_0x' "$tmp/lines")" 1-0
fi
finish
