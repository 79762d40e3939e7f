# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# No program puts a probe on an instruction that enters the kernel: on execve's it hangs all tracing
# after some 31 vforks. One instruction earlier, 200 vforks and execs are recorded whole, whichever program
# defines the probe, and so they are with the probes that tc-trace defines by itself.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

spawns=/bin/spawns
[ -x $spawns ] || {
	echo "1..0 # SKIP spawns.c was not compiled (no C compiler on the host, or no static libc)"
	exit 77
}

# refuses DESCRIPTION COMMAND...: an error that says what to probe instead; no definition
refuses()
{
	what=$1
	shift
	"$@" >out 2>err
	is "$what: an error" "$(($? != 0))-$(wc -l <$T/uprobe_events)" 1-0
	has "$what: it says why" err 'is a system call instruction'
	has "$what: it names the instruction before" err "'at_exec+4'"
}

# endbr64 has four bytes, mov five
refuses "tc-probe -a" tc-probe -x $spawns -a at_exec+9
refuses "tc-probe -f" tc-probe -x $spawns -f -a at_exec+9
refuses "tc-record -p" tc-record -p "uprobe:$spawns:at_exec+9" -o no.dat -- true
refuses "tc-stat" tc-stat -p "uprobe:$spawns:at_exec+9" true
refuses "tc-session" tc-session start -t -p "uprobe:$spawns:at_exec+9"

tc-record -q -p "uprobe:$spawns:at=at_exec+4 path=+0(%di):string" -o a.dat -- $spawns 200 >said 2>err
is "200 vforks with a probe on the instruction before it succeed" "$?-$(cat said)" 0-200
tc-report -i a.dat >a.txt
is "each has its string" "$(grep -c ' at: .* path="/bin/true"$' a.txt)" 200
tc-stat -x, -p "uprobe:$spawns:at_exec+4" $spawns 200 >said 2>err
is "200 with a probe of tc-stat" "$?-$(cat said)" 0-200
is "which counts each" "$(sed -n 's/^\([0-9]*\),.*at_exec.*$/\1/p' err)" 200
tc-session start -q -B spawns -p "uprobe:$spawns:at_exec+4"
$spawns 200 >said
is "200 with a probe of tc-session" "$?-$(cat said)" 0-200
tc-session reset -q -B spawns -d
for source in kprobe eprobe; do
	tc-trace --strings=$source -o t.txt $spawns 200 >said 2>err
	is "200 with the probes of tc-trace: $source" "$?-$(cat said)" 0-200
	is "$source: each exec is traced" "$(grep -c '^[0-9]* *execve(' t.txt)" 201
	awk '$2 ~ /^execve\(/ { begun[$1] = 1 }
		{ lines[$1] = lines[$1] "\n" $0 }
		END { for (task in lines) if (!begun[task]) print lines[task] }' t.txt >&2
done
is "no probe of the kernel is left" "$(cat $T/dynamic_events)" ""
tc-probe -q -x $spawns -a 'spawns:at=at_exec+4 path=+0(%di):string'
echo 1 >$T/events/spawns/at/enable
$spawns 200 >said
is "200 with a probe of tc-probe" "$?-$(cat said)" 0-200
echo 0 >$T/events/spawns/at/enable
tc-probe -q -d 'spawns:*'
is "probes can be removed afterwards" "$(wc -l <$T/uprobe_events)" 0
is "the kernel warned of nothing" "$(dmesg | grep -c uprobe_free_utask)" 0
finish
