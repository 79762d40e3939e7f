# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The file in every form it can have; trace-cmd reads those it was built for.

# shellcheck source=guest/tap.sh
. /tests/tap.sh

for c in none zstd zlib; do
	tc-record -e sched -e syscalls --compression $c -o $c.dat -- \
		dd if=/dev/zero of=/dev/null bs=1 count=500 2>err
	is "$c: records" $? 0
	tc-report --no-flags -i $c.dat >$c.txt
	is "$c: has all 500 writes of one byte" \
		"$(grep -c ' dd-.*sys_enter_write: .*count: 0x00000001$' $c.txt)" 500
	keep $c.dat $c.txt --no-flags
done
as_trace_cmd "none: prints what trace-cmd prints" none.dat none.txt
as_trace_cmd "zstd: prints what trace-cmd prints" zstd.dat zstd.txt
tc-report --no-flags -R -i zstd.dat >raw.txt
as_trace_cmd "-R: prints what trace-cmd prints" zstd.dat raw.txt -R
finish
