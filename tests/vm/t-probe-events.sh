# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Probes on events and tracepoints, and casts: what is recorded is what the events themselves say.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

# a notice before the kernel's refusal, where its README shows that it has no such thing
tc-probe -D 'vfs_read pid=$current->pid' >/dev/null 2>err
if grep -qF '(structname[,field])' $T/README; then
	is "casts are listed: no notice" "$(cat err)" ""
	tc-list --features=btf-casts >out 2>&1
	is "tc-list knows that they work" "$?" 0
	tc-record -q -p 'kprobe:vfs_read me=(task_struct)$current->comm:string pid=$current->pid $arg*' -o c.dat -- \
		dd if=/init of=/dev/null bs=10 count=1 2>/dev/null
	is "the running task is recorded" \
		"$(tc-report -i c.dat 2>/dev/null | sed -n 's/^ *dd-\([0-9]*\) .*me="dd" pid=\([0-9]*\) file=0x.* count=10 .*$/\1 \2/p' | head -n 1 |
			awk '{ print $1 == $2 }')" 1
else
	has "casts are not listed: that is said" err "Linux 7.3"
	# a cast to what it is already is what the name alone gives
	printf '%s' 0123456789 >some_name
	tc-record -q -p 'kprobe:vfs_read a=(file)%di->f_path.dentry->d_name.name:string b=(file)buf->f_mode' \
		-p 'kprobe:same=vfs_read a=file->f_path.dentry->d_name.name:string c=(dentry)$arg1->d_flags' \
		-o c.dat -- dd if=some_name of=/dev/null bs=10 count=1 2>err
	is "a cast to a structure is looked up here" "$?" 0
	tc-report --no-flags -i c.dat >c.txt
	is "a register's" "$(sed -n 's/^ *dd-.* vfs_read: .* a="\(some_name\)" .*/\1/p' c.txt)" some_name
	is "as the parameter's" "$(sed -n 's/^ *dd-.* same: .* a="\(some_name\)" .*/\1/p' c.txt)" some_name
	tc-probe -D 'vfs_read (no_such_structure)%di->f_mode' 2>err
	is "one that is not there is refused" "$?-$(grep -c "has no structure 'no_such_structure'" err)" 1-1
	tc-list --features=btf-casts >out 2>&1
	is "tc-list knows that they do not work" "$?" 1
fi

# probes on events
echo 'e:tl/e sched.sched_switch p=$next_pid' >>$T/dynamic_events
has "-l lists a probe on an event" "$(tc-probe -l 'tl:*' >list; echo list)" 'tl:e'
has "with its fields" list '(on sched.sched_switch with p)'
has "tc-list names its type" "$(tc-list --probes --json >list; echo list)" '"type":"eprobe"'
tc-probe -q -d 'tl:e'
is "-d deletes it" "$(cat $T/dynamic_events)" ""
tc-record -q -p 'eprobe:there=sched:sched_switch to=$next_pid why=$prev_state if next_pid > 0' -e sched:sched_switch \
	-o e.dat -- ls / >/dev/null 2>err
is "tc-record records one" "$?" 0
tc-report --no-flags -i e.dat >e.txt
is "each is the event that it is on" \
	"$(sed -n 's/^.* there: .* to=\(0x[0-9a-f]*\|[0-9]*\) .*$/\1/p' e.txt |
		while read -r pid; do echo $((pid)); done | sort | uniq -c)" \
	"$(sed -n 's/^.* sched_switch: .*==> .*:\([0-9]*\) \[[0-9]*\].*$/\1/p' e.txt | grep -v '^0$' | sort | uniq -c)"
is "and nothing is left" "$(cat $T/dynamic_events)" ""

if ! grep -q 't\[:\[<group>/\]\[<event>\]\] <tracepoint>' $T/README; then
	tc-record -q -p 'tprobe:sched_switch' -o t.dat -- true 2>err
	has "a kernel without tprobes refuses them and says what they need" err "CONFIG_FPROBE_EVENTS"
	finish
fi
tc-record -q -p 'tprobe:there=sched_switch to=next->pid:s32 name=next->comm:string' -e sched:sched_switch \
	-o t.dat -- ls / >/dev/null 2>err
is "tc-record records a tracepoint's arguments" "$?" 0
tc-report --no-flags -i t.dat >t.txt
sed -n 's/^.* there: .* to=\(-*[0-9]*\) name="\(.*\)"$/\2:\1/p' t.txt | sort | uniq -c >got
sed -n 's/^.* sched_switch: .*==> \(.*:[0-9]*\) \[[0-9]*\].*$/\1/p' t.txt | sort | uniq -c >want
same "they are those of the event" got want
is "nothing is left then, either" "$(cat $T/dynamic_events)" ""
finish
