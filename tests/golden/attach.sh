#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# attach.sh - tc-attach beside trace-cmd attach, trace-cmd report and arithmetic
#
# data/made/attached-*.dat.xz are what trace-cmd attach 3.3.1 made of guest-alone.dat and guest-tsc.dat in
# version 7, with "-c 2 -s -4000" and the threads 501, 502 and 999. Where the trace-cmd that is installed can
# attach, it does so here as well.
#
# area: gate report

set -u
# shellcheck source=tests/golden/lib.sh
. "$(dirname "$0")/lib.sh"

begin attach xz python3
made=$TC_SRCDIR/tests/data/made
attach=$TC_BUILDDIR/tc-attach
file=$TC_BUILDDIR/tc-file
report="$TC_BUILDDIR/tc-report --no-pager"
cd "$tmp" || exit 1
for f in guest-alone guest-tsc attached-host attached-guest; do
	xz -dc "$made/$f.dat.xz" >"$f.dat" || exit 1
done
for f in alone tsc; do
	"$file" convert -q --file-version 7 --compression none -o $f.7 guest-$f.dat || exit 1
done

# fresh VERSION: host.dat and guest.dat, which nobody has attached
fresh() {
	if [ "$1" = 6 ]; then
		cp guest-alone.dat host.dat && cp guest-tsc.dat guest.dat
	else
		cp alone.7 host.dat && cp tsc.7 guest.dat
	fi
	cp host.dat host.old && cp guest.dat guest.old
}

# attached_options FILE: what it has of GUEST, TIME_SHIFT and TSC2NSEC, by the dump that file.sh compares with trace-cmd's
attached_options() {
	"$file" dump --options "$1" | awk '/Option/ { on = /GUEST|TimeShift|TSC2NSEC/ } /options\]/ { on = 0 } on && NF'
}

# text HOST GUEST: what tc-report prints of both
text() {
	$report --compat --no-flags -i "$1" -i "$2" | sed "s/^ *$1:/host:/; s/^ *$2:/guest:/"
}

for version in 7 6; do
	fresh $version
	runs "version $version is attached" "$attach" -q -c 2 -s -4000 --name '' host.dat guest.dat 501 502 999
	for f in host guest; do
		is "version $version: options of the $f as trace-cmd attach stores them" "$(attached_options $f.dat)" \
			"$(attached_options attached-$f.dat)"
		runs "version $version: the $f's file is sound" "$file" check -q $f.dat
	done
	text host.dat guest.dat >ours
	text attached-host.dat attached-guest.dat >theirs
	is "version $version: merged as those of trace-cmd attach" "$(cmp ours theirs && wc -l <ours)" 10
	is "version $version: functions have the guest's names" "$(grep -c 'default_idle+0x10' ours)" 2
	if ! command -v trace-cmd >/dev/null; then
		skip "version $version: merged as trace-cmd report does" "no trace-cmd"
		continue
	fi
	# 3.2 and later have a column of flags.
	trace-cmd report -i host.dat -i guest.dat 2>/dev/null |
		sed 's/^ *host.dat:/host:/; s/^ *guest.dat:/guest:/; s/\(\[[0-9]*\]\) [^ ][^ ]* /\1 /' >theirs
	is "version $version: merged as trace-cmd report does" "$(cmp ours theirs && wc -l <ours)" 10
done

# 1.5 ns a cycle (TSC2NSEC), 4,000 cycles less: 1,001,000 becomes 1,495,500 ns.
is "time by arithmetic" "$($report -q --json -i host.dat -i guest.dat | sed -n 's/.*"ts":"\([0-9]*\)".*made:said.*/\1/p' | tr '\n' ' ')" \
	"1495500 1498500 "

if ! command -v trace-cmd >/dev/null || ! trace-cmd attach 2>&1 | grep -q vcpu_pid; then
	skip "beside the trace-cmd that is installed" "it has no attach (3.2 and later have)"
else
	fresh 7
	trace-cmd attach -c 2 -s -4000 host.dat guest.dat 501 502 999
	is "beside the trace-cmd that is installed" "$(attached_options host.dat; attached_options guest.dat)" \
		"$(attached_options attached-host.dat; attached_options attached-guest.dat)"
fi

# unchanged DESCRIPTION STATUS PATTERN ARG...: fails with STATUS and a message, and touches neither file
unchanged() {
	unchanged_name=$1 unchanged_rc=$2 unchanged_text=$3
	shift 3
	"$attach" "$@" >out 2>err
	is "$unchanged_name" "$?:$(grep -c "$unchanged_text" err):$(cmp host.old host.dat && cmp guest.old guest.dat && cat out)" \
		"$unchanged_rc:1:"
}

fresh 7
unchanged "a file alone" 2 'two recordings are needed' host.dat
unchanged "a thread that is none" 2 "thread '5x1'" -s 0 host.dat guest.dat 5x1
unchanged "a shift without number" 2 "option '-s': ',1'" -s ,1 host.dat guest.dat
unchanged "a shift of five parts" 2 "more than OFFSET" -s 0,1,0,0,1 host.dat guest.dat
unchanged "a fraction that leaves nothing" 2 "option '-s': '0,1,64'" -s 0,1,64 host.dat guest.dat
unchanged "both ways to name threads" 2 'in the same way' -s 0 host.dat guest.dat 0=501 502
unchanged "a virtual CPU twice" 2 'given twice' -s 0 host.dat guest.dat 0=501 0=502
unchanged "threads of two guests" 1 'more than one guest' -s 0 host.dat guest.dat
unchanged "threads that ran nothing" 1 'none of these threads' -s 0 host.dat guest.dat 1 2
unchanged "a host without KVM's events" 1 'no events kvm_entry' -s 0 guest.dat host.dat 501
unchanged "cycles without -s" 1 'counts cycles' host.dat guest.dat 0=501
unchanged "the same file" 1 'for the host and for the guest' -s 0 host.dat host.dat 501
unchanged "a recording that is missing" 1 'cannot open' -s 0 host.dat none.dat 501
unchanged "not a recording" 1 'not a trace.dat file' -s 0 host.dat /dev/null 501
head -c 2000 tsc.7 >guest.dat && cp guest.dat guest.old
unchanged "a truncated recording" 1 'is damaged' -s 0 host.dat guest.dat 501

# A disk that is full: a file may not grow beyond what it has.
fresh 7
(
	trap '' XFSZ
	ulimit -f $(($(wc -c <guest.dat) / 512)) && "$attach" -q -s 0 host.dat guest.dat 501 2>err
)
is "a full disk is an error" "$?:$(grep -c 'guest.dat.*File too large' err)" 1:1
is "and both are as before" "$(cmp host.old host.dat && cmp guest.old guest.dat && echo same)" same

# Whoever was killed after the options and before the link has left bytes that nothing leads to.
fresh 7
head -c 77 /dev/urandom >>guest.dat
runs "bytes at the end that belong to nothing do no harm" "$attach" -q -c 2 -s -4000 --name '' host.dat guest.dat 501 502
text host.dat guest.dat >ours
text attached-host.dat attached-guest.dat >theirs
is "the text is the same" "$(cmp ours theirs && wc -l <ours)" 10

"$attach" -s -4000 host.dat guest.dat 501 502 2>err
is "a second time: the host has it" "$?:$(grep -c 'has this guest already' err)" 0:1
text host.dat guest.dat >ours
is "and the text stays" "$(cmp ours theirs && wc -l <ours)" 10

# Owner and mode stay where a file is written anew, and a link stays one.
fresh 6
chmod 640 guest.dat
ln -s guest.dat link.dat
"$attach" -q -s 0 host.dat link.dat 501 502
is "version 6 keeps mode and name" "$(stat -c %a guest.dat):$([ -L link.dat ] && echo link):$(find . -name '.?*' | wc -l)" 640:link:0

# Without -s: clocks that were compared, as tc-report does it without tc-attach
clocks=$TC_SRCDIR/tests/golden/clocks.py
cp "$TC_SRCDIR/tests/data/sched.dat" a.dat
xz -dc "$TC_SRCDIR/tests/data/recordings/x86_64-6.12/ev-v7zstd.dat.xz" >b.dat
if lacks_codec a.dat; then
	skip "by comparison of clocks" "zstd is not built in"
else
	# stamp FILE: its first and its last
	stamps() {
		$report -q --json "$1" | sed -n '1p; $p' | sed 's/.*"ts":"\([0-9]*\)".*/\1/' | tr '\n' ' '
	}
	# shellcheck disable=SC2046 # words
	python3 "$clocks" add a.dat h.dat 1700000000000000000 20 $(stamps a.dat) collector
	# shellcheck disable=SC2046 # words
	python3 "$clocks" add b.dat g.dat 1700000000123456789 -30 $(stamps b.dat) collector
	$report -q --json h.dat g.dat | sed 's/"host":"[^"]*",//' >want.json
	# A guest whose times are shown a million ns later (option OFFSET): the comparison knows of it
	cp h.dat h2.dat
	python3 "$clocks" option g.dat g2.dat 7 8B 49 48 48 48 48 48 48 0
	# as_compared HOST GUEST: merged without clocks, their times are those of want.json
	as_compared() {
		$report -q --no-clocks --json "$1" "$2" | sed 's/"host":"[^"]*",//' >got.json
		python3 -c '
import json
rows = [[json.loads(line) for line in open(name)] for name in ("want.json", "got.json")]
stamps = [sorted(int(r["ts"]) for r in side) for side in rows]
print(len(stamps[0]) > 1000, len(stamps[0]) == len(stamps[1]),
      all(abs(a - b) <= 2 for a, b in zip(*stamps)))'
	}
	"$attach" --name vm h.dat g.dat 0=1 1=2 2>err
	is "clocks that were compared need no -s" "$?:$(grep -c '+-[0-9.]* us' err)" 0:1
	is "times are those of the comparison" "$(as_compared h.dat g.dat)" "True True True"
	"$attach" -q --name vm h2.dat g2.dat 0=1 1=2
	is "also of a guest with an offset" "$(as_compared h2.dat g2.dat)" "True True True"
	ln -s h.dat same.dat
	"$attach" h.dat same.dat 0=1 2>err
	is "one file under two names" "$?:$(cat err)" "1:tc-attach: 'h.dat' is given for the host and for the guest"
fi
finish
