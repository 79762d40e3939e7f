#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# names.sh - a task has one name in all views, that of trace-cmd report (names.py)
#
# area: gate report

set -u
# shellcheck source=tests/golden/lib.sh
. "$(dirname "$0")/lib.sh"

begin names xz python3 trace-cmd
for name in x86_64/ev-v6 x86_64/stack x86_64-6.12/ev-v7zstd arm64/ev-v7zstd s390x/ev-v7zstd; do
	unpacked "$TC_SRCDIR/tests/data/recordings/$name.dat.xz"
	if lacks_codec "$dat"; then
		skip "$name" "zstd is not built in"
		continue
	fi
	python3 "$TC_SRCDIR/tests/golden/names.py" "$TC_BUILDDIR/tc-report" "$dat" "$tmp" >"$tmp/lines" 2>&1 ||
		echo "not ok - names.py failed: $(tail -n 1 "$tmp/lines")" >>"$tmp/lines"
	while IFS= read -r line; do
		case $line in
		'ok - '*) pass "$name: ${line#ok - }" ;;
		*) fail "$name" "$line" ;;
		esac
	done <"$tmp/lines"
done
finish
