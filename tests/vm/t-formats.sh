# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The formats of this kernel, as tests/live/t-formats.sh has it.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

if ! command -v test_differential >/dev/null; then
	skip "formats print what libtraceevent prints" "test_differential was not built: make tests"
	finish
fi
RECORDS=20 VERBOSE=1 test_differential $T/events >said 2>&1
is "nearly all formats are compiled, and print what libtraceevent prints" $? 0
echo "# $(tail -n 1 said)"
grep '^[a-z0-9_]*:[^ ]*: ' said | sed 's/^/# /'
runs "there are as many as a kernel has" \
	awk 'END { exit !($1 > 1000) }' said
if command -v test_symbols >/dev/null; then
	RECORDS=5 test_symbols $T/events >said 2>&1
	is "reports which types are printed with symbols" $? 0
	sed 's/^/# /' said
fi
finish
