# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The file in every form it can have; trace-cmd outside reads those it was built for.
#
# worlds: 6.1

# shellcheck source=guest/lib.sh
. /tests/lib.sh

for c in none zstd zlib; do
	tc-record -e sched -e syscalls --compression $c -o $c.dat -- \
		dd if=/dev/zero of=/dev/null bs=1 count=500 2>err
	is "$c: records" $? 0
	tc-report --no-flags -i $c.dat >$c.txt
	is "$c: has all 500 writes of one byte" \
		"$(grep -c ' dd-.*sys_enter_write: .*count: 0x00000001$' $c.txt)" 500
	keep $c.dat $c.txt --no-flags
done

# The kernel's symbols are left out where no event needs them; the section is there.
tc-record -e sched:sched_process_exec -o few.dat -- /bin/true 2>err
is "without symbols: records" $? 0
is "they are left out" "$(wc -c <few.dat | awk '{ print $1 < 500000 }')" 1
if command -v trace-cmd >/dev/null; then
	runs "trace-cmd split takes it" trace-cmd split -i few.dat -o few.out
else
	skip "trace-cmd split takes it" "no trace-cmd"
fi
finish
