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
		clear_all
	else
		echo refused
	fi
}

cat >lines <<'END'
p vfs_read
r10 vfs_read $retval
r4097 vfs_read
p:tl vfs_read
p:tl/ vfs_read
p:tl.e vfs_read
p:tl/1e vfs_read
p:tl/e vfs_read%return $retval
p:tl/e vfs_read+3
p:tl/e no_such_function
p:tl/e vfs_read $arg*
p:tl/e vfs_read $arg* $arg*
r:tl/e vfs_read $arg* $retval
p:tl/e vfs_read file->f_mode
p:tl/e vfs_read file->nothing
p:tl/e vfs_read pid=$current->pid comm=$current->comm:string
p:tl/e vfs_read pid=(task_struct,group_leader)$current->pid
p:tl/e vfs_read n=(file)%di->f_path.dentry->d_name.name:string
p:tl/e vfs_read n=(no_such_structure)file->f_mode
p:tl/e vfs_read a=this_cpu_read(@this_cpu_off) b=this_cpu_ptr(@this_cpu_off)
p:tl/e vfs_read +0(file):x32
p:tl/e vfs_read c=$COMM d=$comm:string
p:tl/e vfs_read $nothing
p:tl/e vfs_read s=%ip:symstr t=%ip:symbol
p:tl/e vfs_read +-4(%ax) ++4(%ax) -u4(%ax) +u-4(%ax) \+3
p:tl/e vfs_read +0(+0(+0(+0(+0(+0(+0(+0(+0(%di)))))))))
p:tl/e vfs_read +123456789(+123456789(+123456789(+123456789(+123456789(%di)))))
p:tl/e vfs_read +0(%di
p:tl/e vfs_read %rdi
p:tl/e vfs_read %di:y16
p:tl/e vfs_read a=$arg1:%pD
p:tl/e vfs_read @no_such_symbol
p:tl/e vfs_read @jiffies @jiffies-8:x8 @+8
p:tl/e virtio_blk:virtio_queue_rq
f:tl/e vfs_read%return $arg* $retval
f:tl/e vfs_read $retval count
f:tl/e vfs_read di=%di
f:tl/e vfs_read file->f_path.dentry->d_name.name:string
t:tl/e sched_switch prev->comm:string pid=prev->pid
t:tl/e sched_switch $arg*
t:tl/e sched_switch $retval
e sched/sched_switch
e:tl/e sched.sched_switch pid=$next_pid c=$next_comm:string
e:tl/e sched.sched_switch pid=next_pid
e:tl/e sched.sched_switch pid=$nothing
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
	ours=refused
	if tc-probe -q -a "$line" >/dev/null 2>err; then
		ours=$(cat $T/dynamic_events)
		clear_all
	fi
	[ "$ours" = "$theirs" ] || printf '%s\n  %s\n  %s\n' "$line" "$theirs" "$ours" >>differ
done <lines
is "the kernel and tc-probe agree on each line" "$(cat differ)" ""
is "some are taken and some are refused" "$((taken > 10 && taken < n - 10))" 1

tc-probe -a 'p:tl/e vfs_read count=%dx $nothing' 2>err
has "the kernel's reason is shown" err 'trace_kprobe: error: Invalid'
is "with the place" "$(sed -n '/^ *p:/{s/\$.*//;s/./ /g;p;}' err)^" "$(sed -n '/^ *^$/p' err)"
is "and no guess beside it" "$(grep -c '^hint' err)" 0
tc-probe -a 'p:tl/e vfs_read %di:y16' 2>err
has "an unknown type: the types that there are" err "there are u8 to u64"
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
finish
