#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The formats of this kernel: nearly all of them compile, and what they make of records is the text
# that libtraceevent makes; which types are printed with symbols. The records are made up: numbers that
# occur, and any bytes.
#
# needs: root tracefs
# area: truth
# also: vm
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

differential=$TC_BUILDDIR/tests/unit/printfmt/test_differential
symbols=$TC_BUILDDIR/tests/unit/record/test_symbols
[ -x "$differential" ] || skip_all "$differential is not built: make tests"
if guest; then
	events=$tracefs/events
	RECORDS=${RECORDS:-20}
else
	# A copy: others' probes come and go.
	events=events
	cp -r "$tracefs/events" events 2>/dev/null
fi
RECORDS=${RECORDS:-200} VERBOSE=1 "$differential" "$events" >said 2>&1
is "97 of 100 formats are compiled, and print what libtraceevent prints" $? 0
# "2304 types compiled, 19 not; records: ..."
echo "# $(tail -n 1 said)"
grep -aE '^[a-z0-9_]+:[^ ]+: ' said | sed 's/^/# /'
# shellcheck disable=SC2016 # awk's
runs "there are as many as a kernel has" awk 'END { exit !($1 > 1000) }' said
if [ -x "$symbols" ]; then
	RECORDS=5 "$symbols" "$events" >said 2>&1
	is "types that are printed with symbols are known" $? 0
	sed 's/^/# /' said
else
	skip "types that are printed with symbols are known" "$symbols is not built: make tests"
fi
finish
