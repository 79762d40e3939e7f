#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The formats of this kernel: nearly all of them compile, and what they make of records is the text
# that libtraceevent makes. The records are made up: numbers that occur, and any bytes.
#
# needs: root tracefs
# area: truth
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

differential=$TC_BUILDDIR/tests/unit/printfmt/test_differential
[ -x "$differential" ] || skip_all "$differential is not built: make tests"
# A copy: others' probes come and go.
cp -r "$tracefs/events" events 2>/dev/null
RECORDS=${RECORDS:-200} VERBOSE=1 "$differential" events >said 2>&1
is "97 of 100 formats are compiled, and print what libtraceevent prints" $? 0
# "2304 types compiled, 19 not; records: ..."
echo "# $(tail -n 1 said)"
grep -aE '^[a-z0-9_]+:[^ ]+: ' said | sed 's/^/# /'
finish
