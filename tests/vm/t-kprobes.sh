# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Dynamic events somebody defined by hand are recorded as any other.
#
# worlds: all

# shellcheck source=guest/lib.sh
. /tests/lib.sh

cleanup()
{
	for g in mine/ret mine/open kprobes/vmopen uprobes/vmmain; do
		[ ! -d "$T/events/$g" ] || echo "-:$g" >>$T/dynamic_events
	done
}
trap cleanup EXIT

echo 'p:vmopen do_sys_openat2 dfd=%di:s32 name=+0(%si):ustring' >>$T/kprobe_events
echo 'p:mine/open do_sys_openat2 name=+0(%si):ustring' >>$T/kprobe_events
echo 'r:mine/ret do_sys_openat2 fd=$retval:s32' >>$T/kprobe_events

tc-record -e kprobes -o k.dat -- cat /etc/passwd >/dev/null 2>err
is "records the system kprobes" $? 0
tc-report --no-flags -i k.dat >k.txt
has "reads the string the probe fetched" k.txt 'name="/etc/passwd"'
is "AT_FDCWD is -100" "$(grep -c 'dfd=-100 name="/etc/passwd"' k.txt)" 1
is "records nothing of other groups" "$(grep -c 'vmopen' k.txt)" "$(grep -c 'name=' k.txt)"
keep k.dat k.txt --no-flags

tc-record -e mine -f 'name == "/etc/group"' -o m.dat -- \
	sh -c 'cat /etc/group /etc/passwd; cat /no/such/file; true' >/dev/null 2>&1
is "a filter whose fields only some probes of a group have" $? 0
tc-report --no-flags -i m.dat >m.txt
is "the entry probe is recorded where its filter matches" "$(grep -c ' open: ' m.txt)" 1
has "the return probe is recorded" m.txt 'fd=-2'

# A uprobe where busybox begins: its entry point, as an offset in the file (e_entry less the address
# the file is linked for, which is 0 for a position-independent one: e_type 3).
case $(hexdump -s 16 -n 2 -e '1/2 "%d"' /bin/busybox) in
2) base=$((0x400000)) ;;
*) base=0 ;;
esac
entry=$(hexdump -s 24 -n 4 -e '1/4 "%d"' /bin/busybox)
printf 'p:vmmain /bin/busybox:0x%x\n' $((entry - base)) >>$T/uprobe_events
tc-record -e uprobes -F -o u.dat -- busybox true 2>err
tc-report --no-flags -i u.dat >u.txt
is "records a uprobe: one program, one start" "$(grep -c 'vmmain:' u.txt)" 1
is "the probes are still there" "$(grep -c vmopen $T/kprobe_events)" 1

# How many calls a return probe follows is the kernel's to list, and its own line defines it again.
tc-probe -q --maxactive=30 -a 'tcm:back=vfs_read%return $retval' 2>err
is "a return probe that follows 30 calls is defined" "$?" 0
line=$(grep ':tcm/back ' $T/kprobe_events)
is "it is printed as the kernel lists it" "${line%% *}" "r30:tcm/back"
tc-probe -q -d 'tcm:*' 2>err
is "it is deleted" "$(grep -c ':tcm/' $T/kprobe_events)" 0
tc-probe -q -a "$line" 2>err
is "the kernel's own line defines it again" "$(grep ':tcm/back ' $T/kprobe_events)" "$line"
tc-probe -q -d 'tcm:*'
printf '%s' 0123456789 >named_so
tc-record -q -p 'kprobe:vfs_read file:%pD count' -o n.dat -- dd if=named_so of=/dev/null bs=10 count=1 2>err
tc-report --no-flags -i n.dat >n.txt
has "%pD is the name of a file, by the kernel's type information" n.txt 'file="named_so" count=0xa'
# a structure of registers, as each system call of x86-64 is passed one; names of dentries
tc-record -q -p 'kprobe:opened=__x64_sys_openat name=regs->si:ustring flags=regs->dx' \
	-p 'kprobe:gone=vfs_unlink dentry:%pd' -o n.dat -- sh -c 'cat named_so; rm named_so' >out 2>err
tc-report --no-flags -i n.dat >n.txt
has "registers of a system call: text, and a number" n.txt ' name="named_so" flags=0x'
has "%pd is the name of a dentry" n.txt ' dentry="named_so"'
finish
