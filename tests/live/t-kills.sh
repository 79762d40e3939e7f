#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kill -9 at random moments: while it sets up, while it records, while it joins. Everything
# written is recovered, and nothing is left behind. TC_KILLS: how often.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

kills=${TC_KILLS:-10}
remember_state

# Half of the recordings end by themselves about when they are killed.
recover_one() {
	# Data that was joined already is a hole in its temporary file, and in k.dat: it counts once
	parts=$(cat k.dat.cpu* 2>/dev/null | wc -c)
	"$record" --recover k.dat 2>err
	status=$?
	if [ "$parts" -eq 0 ]; then
		# Killed before it had written data: there is nothing to recover, or all is complete
		early=$((early + 1))
		return 0
	fi
	[ $status -eq 0 ] && [ "$(ls k.dat*)" = k.dat ] || return 1
	# A chunk of each CPU may be cut
	[ "$(stat -c %s k.dat)" -ge $((parts - $(nproc) * 46000)) ] || return 1
	"$report" -i k.dat >/dev/null 2>text.err && [ ! -s text.err ] || return 1
	recovered=$((recovered + 1))
	trace-cmd report -i k.dat 2>/dev/null | grep -vc '^cpus=' >theirs
	"$report" --no-flags -i k.dat | grep -vc '^cpus=' >ours
	cmp -s ours theirs
}

bad=0
early=0
recovered=0
n=0
codec=none
while [ $n -lt "$kills" ]; do
	n=$((n + 1))
	[ $codec = none ] && codec=zstd || codec=none
	after=$(awk -v n=$n -v seed="$$" 'BEGIN { srand(seed + n); printf "%.3f", 0.1 + rand() * 0.9 }')
	timeout --foreground -s KILL "$after" "$record" -q -e raw_syscalls -b 1M --duration 500ms \
		--compression $codec -o k.dat >/dev/null 2>&1 &
	pid=$!
	dd if=/dev/zero of=/dev/null bs=1 count=600000 2>/dev/null
	wait $pid 2>/dev/null
	if [ -e k.dat ] && ! recover_one; then
		bad=$((bad + 1))
		fail "killed after $after s, $codec" "$(ls -l k.dat*)" "$(cat err text.err)"
	fi
	rm -f k.dat*
done
is "$kills kills ($early before data were written or when they were complete, $recovered recovered)" $bad 0
"$record" -q -e sched_switch -o k.dat -- true
same_state "after $kills kills"
is "no temporary file is left" "$(find . -name '*.cpu*')" ""
finish
