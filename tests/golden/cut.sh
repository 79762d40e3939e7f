#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cut.sh - recordings that are truncated somewhere in their data: every view says whose last events are
# missing, and pairs nothing across them (cut.py)

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
finish
