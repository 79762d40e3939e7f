# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# fprobes, where the kernel has them (6.12); where it has none (6.1) that is said.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

printf '%s' 0123456789abcdef >some_name
if ! echo 'f:tcf/try vfs_read' 2>/dev/null >>$T/dynamic_events; then
	tc-record -p 'fprobe:vfs_read count' -o f.dat -- true 2>err
	is "a kernel without fprobes refuses them" "$?" 1
	has "and what they need is said" err "CONFIG_FPROBE_EVENTS"
	finish
fi
echo '-:tcf/try' >>$T/dynamic_events

tc-record -p 'fprobe:vfs_read name=file->f_path.dentry->d_name.name:string count' \
	-p 'fexit:vfs_read ret' -p 'fprobe:do_sys_openat2 $params' -o f.dat -- \
	dd if=some_name of=/dev/null bs=10 count=2 2>err
is "fprobes are recorded" "$?" 0
tc-report --no-flags -i f.dat >f.txt
sed -n 's/^.* vfs_read: .*) name="some_name" count=\(0x[0-9a-f]*\)$/\1/p' f.txt >got
is "the file's name, and how much was asked for" "$(paste -s -d ' ' got)" "0xa 0xa"
is "what it returned" "$(awk '
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
is "how many returns are followed can be said" "$(grep -c '^f[0-9]*:tcf/' $T/dynamic_events)" 1
tc-probe -q -d 'tcf:*'
is "and it is deleted" "$(cat $T/dynamic_events)" ""
tc-probe --fprobe -D 'vfs_read+5' 2>err
is "a place inside of a function is refused" "$?" 1
finish
