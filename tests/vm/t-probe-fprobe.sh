# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# fprobes, where the kernel has them (6.12); where it has none (6.1) that is said.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

printf '%s' 0123456789abcdef >some_name
# kernels from 6.9 on keep arguments until the return, those before say that they do not
if ! grep -q 'return probes support: $retval, $arg<N>' $T/README; then
	tc-record -p 'kretprobe:vfs_read count ret' -o e.dat -- true 2>err
	is "a kernel without arguments at a return refuses them" "$?" 1
	has "with the kernels that have them" err "6.9"
	has "and names what to use instead" err "--pair"
fi
tc-record -q -p 'kretprobe:vfs_read ret' --maxactive 40 -o m.dat -- \
	cat $T/kprobe_events >defined 2>err
is "--maxactive of tc-record reaches the kernel" \
	"$(grep -c '^r40:.*/vfs_read__return vfs_read' defined)" 1
if ! echo 'f:tcf/try vfs_read' 2>/dev/null >>$T/dynamic_events; then
	tc-record -p 'fprobe:vfs_read count' -o f.dat -- true 2>err
	is "a kernel without fprobes refuses them" "$?" 1
	has "and says what they need" err "CONFIG_FPROBE_EVENTS"
	finish
fi
echo '-:tcf/try' >>$T/dynamic_events

tc-record -p 'fprobe:vfs_read name=file->f_path.dentry->d_name.name:string count' \
	-p 'fexit:vfs_read ret' -p 'fprobe:do_sys_openat2 $params' -o f.dat -- \
	dd if=some_name of=/dev/null bs=10 count=2 2>err
is "fprobes are recorded" "$?" 0
tc-report --no-flags -i f.dat >f.txt
sed -n 's/^.* vfs_read: .*) name="some_name" count=\(0x[0-9a-f]*\)$/\1/p' f.txt >got
is "the file's name, and the size" "$(paste -s -d ' ' got)" "0xa 0xa"
is "the return value is recorded" "$(awk '
	/ vfs_read: .* name="some_name"/ { task = $1 }
	/ vfs_read__return: / && $1 == task { printf "%s ", $NF; task = "" }' f.txt)" "ret=10 ret=6 "
has "all parameters" f.txt 'dfd=-100 filename="some_name" how=0x'
is "nothing is left" "$(cat $T/dynamic_events)" ""
keep f.dat f.txt --no-flags

tc-probe -q --fprobe -a 'tcf:entry=vfs_read count' -a 'tcf:back=vfs_read%return ret' 2>err
is "tc-probe --fprobe defines them" "$(grep -c '^f:tcf/' $T/dynamic_events)" 2
has "-l lists them" "$(tc-probe -l 'tcf:*' >list; echo list)" "tcf:entry"
tc-probe -q -d 'tcf:*'
is "-d deletes them" "$(cat $T/dynamic_events)" ""
tc-probe -q --fprobe --maxactive=8 -a 'tcf:back=vfs_read%return ret' 2>err
is "--maxactive limits how many calls are followed" "$(grep -c '^f[0-9]*:tcf/' $T/dynamic_events)" 1
tc-probe -q -d 'tcf:*'
is "and it is deleted" "$(cat $T/dynamic_events)" ""

# tprobes are listed and deleted; what test_validate.c says of their definitions is this kernel's word
for def in 'sched_switch prev=$arg2 pid=+0($arg2):s32 c=$comm' sched_switch; do
	rc=0
	echo "t:tcf/tp $def" >>$T/dynamic_events && echo '-:tcf/tp' >>$T/dynamic_events || rc=1
	is "a tprobe is taken: $def" "$rc" 0
done
for def in sched:sched_switch sched/sched_switch sched_switch+4 'sched_switch ip=%ip' \
	sched_switch%return 'sched_switch r=$retval'; do
	rc=0
	echo "t:tcf/tp $def" 2>/dev/null >>$T/dynamic_events || rc=1
	is "a tprobe is refused: $def" "$rc" 1
done
echo 't:tcf/tp sched_switch prev=$arg2' >>$T/dynamic_events
tc-probe -l 'tcf:*' >list
has "-l lists a tprobe" list '(on sched_switch with prev)'
has "as tc-list does" "$(tc-list --probes --json >list; echo list)" '"type":"tprobe"'
tc-probe -q -d 'tcf:*'
is "-d deletes it" "$(cat $T/dynamic_events)" ""

# what a function was called with, recorded where it returns: it is what the entry recorded, and what
# as dd was called
tc-record -p 'kprobe:in=vfs_read count file' -p 'kretprobe:out=vfs_read count file ret' \
	-p 'fexit:last=vfs_read name=file->f_path.dentry->d_name.name:string count ret' \
	--maxactive 40 -o g.dat -- dd if=some_name of=/dev/null bs=10 count=2 2>err
is "arguments at a return are recorded" "$?" 0
tc-report --no-flags -i g.dat >g.txt
is "return probe: argument and result of each read" \
	"$(sed -n 's/^.* out: .* count=\(0xa\) file=0x[0-9a-f]* ret=\([0-9]*\)$/\1 \2/p' g.txt | paste -s -d ' ')" \
	"0xa 10 0xa 6"
is "the arguments at the return are those of the entry" "$(awk '
	/ in: / { want[$1] = $(NF - 1) " " $NF }
	/ out: / { n++; bad += want[$1] != $(NF - 2) " " $(NF - 1) }
	END { print (n > 1) " " bad + 0 }' g.txt)" "1 0"
is "fexit: memory that an argument points to" \
	"$(sed -n 's/^.* last: .* name="some_name" count=\(0xa\) ret=\([0-9]*\)$/\1 \2/p' g.txt | paste -s -d ' ')" \
	"0xa 10 0xa 6"
keep g.dat g.txt --no-flags
tc-probe -D 'r=do_sys_openat2%return $params ret' >out 2>err
has "all of them" out 'dfd=$arg1:s32 filename=+0($arg2):string how=$arg3'
tc-probe -D 'vfs_read%return nothing' 2>err
is "a name other than an argument's is refused" "$?" 1

tc-record --dry-run -p 'kretprobe:vfs_read ret' --maxactive 40 >plan 2>err
has "--maxactive is in tc-record's definition" plan 'r40:'
tc-probe --fprobe -D 'vfs_read+5' 2>err
is "a place inside of a function is refused" "$?" 1
finish
