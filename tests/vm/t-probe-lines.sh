# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Definitions in the kernel's own words: what it takes from a file's line it takes from tc-probe -a, what it
# refuses it refuses, and then its list is the same. The verdict is the kernel's, whichever it is.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

load_disk
clear_all()
{
	: >$T/dynamic_events
}
trap clear_all EXIT

# verdict LINE: the kernel's list after the line was written to it, or "refused"
verdict()
{
	case $1 in
	[pr]*' /'*) file=uprobe_events ;;
	[pr]*) file=kprobe_events ;;
	*) file=dynamic_events ;;
	esac
	if printf '%s\n' "$1" 2>/dev/null >>$T/$file; then
		cat $T/dynamic_events
	else
		echo refused
	fi
	clear_all
}

cat >lines <<'END'
p vfs_read
r vfs_read
r10 vfs_read $retval
r4097 vfs_read
p:tl vfs_read
p:tl/ vfs_read
p:tl.e vfs_read
p:t-l/e vfs_read+0
p:tl/1e vfs_read
p:tl/e vfs_read%return $retval
p:tl/e vfs_read%entry
p:tl/e vfs_read+3
p:tl/e no_such_function
p:tl/e vfs_read $arg*
p:tl/e vfs_read $arg* $arg*
r:tl/e vfs_read $arg* $retval
p:tl/e vfs_read file
p:tl/e vfs_read file->f_mode
p:tl/e vfs_read file->nothing
p:tl/e vfs_read count:string
p:tl/e vfs_read $current
p:tl/e vfs_read pid=$current->pid comm=$current->comm:string
p:tl/e vfs_read pid=(task_struct,group_leader)$current->pid
p:tl/e vfs_read n=(file)%di->f_path.dentry->d_name.name:string
p:tl/e vfs_read n=(dentry)((file)file->f_path.dentry)->d_name.name:string
p:tl/e vfs_read n=(no_such_structure)file->f_mode
p:tl/e vfs_read n=(file)file
p:tl/e vfs_read a=this_cpu_read(@this_cpu_off) b=this_cpu_ptr(@this_cpu_off)
p:tl/e vfs_read +0(file):x32
p:tl/e vfs_read c=$COMM d=$comm:string
p:tl/e vfs_read c=$COMM:x8
p:tl/e vfs_read $nothing
p:tl/e vfs_read s=%ip:symstr t=%ip:symbol
p:tl/e vfs_read s=$stack:symstr
p:tl/e vfs_read +-4(%ax) ++4(%ax) -u4(%ax) +u-4(%ax) \+3
p:tl/e vfs_read +0(+0(+0(+0(+0(+0(+0(+0(%di))))))))
p:tl/e vfs_read +0(+0(+0(+0(+0(+0(+0(+0(+0(%di)))))))))
p:tl/e vfs_read +123456789(+123456789(+123456789(+123456789(+123456789(%di)))))
p:tl/e vfs_read +0(%di
p:tl/e vfs_read %rdi
p:tl/e vfs_read %di:char
p:tl/e vfs_read %di:y16
p:tl/e vfs_read %di:b4@6/8
p:tl/e vfs_read a=$arg1:%pD
p:tl/e vfs_read @no_such_symbol
p:tl/e vfs_read @jiffies @jiffies-8:x8 @+8
p:tl/e vfs_read a=%di a=%si
p:tl/e virtio_blk:virtio_queue_rq
p:tl/e no_such_module:function
f vfs_read
f:tl/e vfs_read%return $arg* $retval
f:tl/e vfs_read $retval count
f:tl/e vfs_read di=%di
f:tl/e vfs_read file->f_path.dentry->d_name.name:string
f8:tl/e vfs_read
t sched_switch
t:tl/e sched_switch prev->comm:string pid=prev->pid
t:tl/e sched_switch $arg*
t:tl/e sched_switch $retval
t:tl/e sched_switch nothing
e sched/sched_switch
e:tl/e sched.sched_switch pid=$next_pid c=$next_comm:string
e:tl/e sched.sched_switch pid=next_pid
e:tl/e sched.sched_switch pid=$nothing
e:tl/e sched.no_such_event
e:tl/e sched/sched_switch pid=$next_pid if next_pid > 1
e:tl/e sched/sched_switch pid=$next_pid if nothing > 1
END
n=0
taken=0
: >differ
while read -r line; do
	n=$((n + 1))
	theirs=$(verdict "$line")
	[ "$theirs" = refused ] || taken=$((taken + 1))
	# where tc-probe sets names, its line is the one that the kernel would make of it
	if tc-probe -q -a "$line" >/dev/null 2>err; then ours=$(cat $T/dynamic_events); else ours=refused; fi
	clear_all
	[ "$ours" = "$theirs" ] || printf '%s\n  %s\n  %s\n' "$line" "$theirs" "$ours" >>differ
done <lines
is "the kernel and tc-probe agree on each line" "$(cat differ)" ""
is "some are taken and some are refused" "$((taken > 15 && taken < n - 15))" 1

tc-probe -a 'p:tl/e vfs_read count=%dx $nothing' 2>err
has "the kernel's reason is shown" err 'trace_kprobe: error: Invalid'
is "with the place" "$(sed -n '/^ *p:/{s/\$.*//;s/./ /g;p;}' err)^" "$(sed -n '/^ *^$/p' err)"
tc-probe -D 'vfs_read @no_such_symbol' 2>err
is "-D refuses a symbol that no kernel would find" "$?" 1

# what is listed is defined again as it was
echo 'p:tl/e do_sys_openat2 $arg*' 2>/dev/null >>$T/dynamic_events ||
	echo 'p:tl/e do_sys_openat2 $arg1 $arg2' >>$T/dynamic_events
echo 'p:tl/two vfs_read' >>$T/dynamic_events
echo 'p:tl/two vfs_write' >>$T/dynamic_events
cp $T/dynamic_events saved
clear_all
set --
while read -r line; do
	set -- "$@" -a "$line"
done <saved
tc-probe -q "$@"
is "lines that were saved are replayed exactly" "$(sort $T/dynamic_events)" "$(sort saved)"
clear_all

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
