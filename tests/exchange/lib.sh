# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shared by the tests of files for other programs, which source it first. It is that of the golden
# tests, with recordings by name.

# shellcheck source=tests/golden/lib.sh
. "$(dirname "$0")/../golden/lib.sh"

# stored_recording NAME: sets $dat to it, unpacked; false: nothing reads it here, and a test says so
stored_recording() {
	stored_file=$TC_SRCDIR/tests/data/recordings/$1.dat.xz
	[ -f "$stored_file" ] || stored_file=$TC_SRCDIR/tests/data/made/$1.dat.xz
	unpacked "$stored_file"
	if lacks_codec "$dat"; then
		skip "$1" "zstd is not built in"
		return 1
	fi
}
