#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# spans.sh - --latency and --profile of recordings, beside what spans.py computes from their events (--json)
#
# area: gate report

set -u
# shellcheck source=tests/golden/lib.sh
. "$(dirname "$0")/lib.sh"

begin spans xz python3
some="x86_64/ev-v7zlib x86_64/graph x86_64/inst x86_64/lost x86_64-6.12/ev-v7zstd arm64/ev-v7zstd
	arm64/graph s390x/ev-v7zstd i386/ev-plain"

report() {
	"$TC_BUILDDIR/tc-report" --no-pager -i "$dat" "$@"
}

# lines NAME: those of spans.py
lines() {
	while IFS= read -r line; do
		case $line in
		'ok - '*) pass "$1: ${line#ok - }" ;;
		*) fail "$1" "$line" ;;
		esac
	done <"$tmp/lines"
}

for name in $some; do
	unpacked "$TC_SRCDIR/tests/data/recordings/$name.dat.xz"
	if lacks_codec "$dat"; then
		skip "$name" "zstd is not built in"
		continue
	fi
	report --json >"$tmp/events"
	for view in latency profile; do
		report "--$view" --json >"$tmp/table"
		python3 "$TC_SRCDIR/tests/golden/spans.py" $view "$tmp/events" "$tmp/table" \
			>"$tmp/lines" 2>&1 || echo "not ok - spans.py failed" >>"$tmp/lines"
		lines "$name"
	done
done

# The same file twice: what it has is there once for each, and nothing is joined across them.
unpacked "$TC_SRCDIR/tests/data/recordings/x86_64/ev-v7zlib.dat.xz"
cp "$dat" "$tmp/other.dat"
report --latency --csv | sed 1d | sort >"$tmp/once"
report -i "$tmp/other.dat" --latency --csv | grep '^input.dat,' | cut -d, -f2- | sort >"$tmp/first"
report -i "$tmp/other.dat" --latency --csv | grep '^other.dat,' | cut -d, -f2- | sort >"$tmp/second"
for which in first second; do
	if [ -s "$tmp/once" ] && cmp -s "$tmp/once" "$tmp/$which"; then
		pass "the $which of two recordings has its own rows"
	else
		fail "the $which of two recordings has other rows" "$(diff "$tmp/once" "$tmp/$which" | head -n 6)"
	fi
done

finish
