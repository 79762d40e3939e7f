# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Arguments by the kernel's type information (BTF): there is no debug information in the guest. What
# is recorded is what this script opens and reads.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

[ -r /sys/kernel/btf/vmlinux ] || {
	echo "1..0 # SKIP this kernel has no /sys/kernel/btf/vmlinux"
	exit 77
}
load_disk
printf '%s' 0123456789abcdef >some_name
dd if=/dev/zero of=/dev/vda bs=4096 count=16 2>/dev/null
sync

tc-probe -V vfs_read >vars 2>err
has "-V lists parameters with their types" vars "struct file *	file"
has "-V lists all parameters" vars "count"

# how requests come to the driver is not the same in both
disk='virtio_queue_rq len=bd->rq->__data_len sector=bd->rq->__sector'
[ "${VM_KERNEL%-rt}" = 6.1 ] ||
	disk='virtio_queue_rqs len=rqlist->head->__data_len sector=rqlist->head->__sector'

# There is no file of any module in the guest: the module is loaded, and its type information is there.
if [ -r /sys/kernel/btf/virtio_blk ]; then
	tc-probe -m virtio_blk -F 'virtio_queue*' >funcs 2>err
	is "a loaded module has its functions without its file" "$(grep -c '^virtio_queue_rq$' funcs)" 1
	has "and arguments" "$(tc-probe -m virtio_blk -V virtio_queue_rq >vars; echo vars)" "struct blk_mq_hw_ctx *	hctx"
	tc-probe -q -a 'mine:rq=virtio_blk:virtio_queue_rq num=hctx->queue_num' 2>err
	is "MODULE:FUNC is one of them" "$(sed 's/ num=.*//' $T/kprobe_events)" "p:mine/rq virtio_blk:virtio_queue_rq"
	tc-probe -q -d 'mine:*'
	tc-probe -q -m virtio_blk -a 'mine:rq=virtio_queue_rq hctx' 2>err
	is "as is -m MODULE with FUNC" "$(grep -c '^p:mine/rq virtio_blk:virtio_queue_rq' $T/kprobe_events)" 1
	tc-probe -q -d 'mine:*'
	tc-probe -m virtio_blk -D 'sd_mod:sd_open' 2>err
	is "a function of another module is refused" "$?-$(grep -c "another module than 'virtio_blk'" err)" 1-1
	tc-record -q -p "kprobe:virtio_blk:${disk%%s *}" -o mod.dat -- true 2>err
	is "tc-record takes MODULE:FUNC" "$?" 0
fi
tc-probe -D 'no_such_module:f' 2>err
is "a module that is not there is refused" "$?-$(grep -c 'no_such_module' err)" 1-1
disk="virtio_blk:$disk"

cat >work.sh <<'END'
dd if=some_name of=/dev/null bs=10 count=2 2>/dev/null
dd if=/dev/vda of=/dev/null bs=4096 skip=8 count=1 iflag=direct 2>/dev/null
cat /no/such/file 2>/dev/null
true
END
tc-record -e 'sched:sched_process_e*' \
	-p 'kprobe:vfs_read name=file->f_path.dentry->d_name.name:string count ino=file->f_inode->i_ino' \
	-p 'kretprobe:vfs_read ret' \
	-p 'kprobe:do_sys_openat2 $params' -p 'kprobe:flags=do_sys_openat2 how->flags' \
	-p "kprobe:$disk" \
	-o b.dat -- sh work.sh 2>err
is "a recording with arguments by name" "$?" 0
tc-report --no-flags -i b.dat >b.txt
sed -n 's/^.* vfs_read: .*) name="some_name" count=\(0x[0-9a-f]*\) .*$/\1/p' b.txt >got
is "vfs_read: the file's name, and the size" "$(paste -s -d ' ' got)" "0xa 0xa"
is "the inode's number" \
	"$(sed -n 's/^.* vfs_read: .*name="some_name".* ino=\(0x[0-9a-f]*\)$/\1/p' b.txt | head -n 1)" \
	"$(printf '0x%x' "$(stat -c %i some_name)")"
is "the return value is recorded" "$(awk '
	/ vfs_read: .* name="some_name"/ { task = $1 }
	/ vfs_read__return: / && $1 == task { printf "%s ", $NF; task = "" }' b.txt)" "ret=10 ret=6 "
has "all parameters: numbers with their sign, text" b.txt 'dfd=-100 filename="/no/such/file" how=0x'
is "flags by pointer" "$(($(grep -c ' flags: .* flags=0x8000$' b.txt) > 0))" 1
has "a module's function, by the module's own types" b.txt 'len=0x1000 sector=0x40'
keep b.dat b.txt --no-flags

tc-probe -D 'vfs_read+4 count' 2>err
is "arguments inside of a function are refused" "$?" 1
has "with the reason" err "only where a function is entered"
tc-probe -D 'vfs_read nothing' 2>err
is "a name other than a parameter's is refused" "$?" 1
tc-probe -D 'vfs_read file->nothing' 2>err
has "and so is an unknown member" err "'struct file' has no member 'nothing'"
grep -o ' [^ .]*\.constprop\.[0-9]*$' /proc/kallsyms | head -n 1 >copy
tc-probe -D "$(cat copy) \$params" >out 2>err
has "and a compiler's copy" err "the compiler made"
: >some_file
tc-probe -q -a 'btf:open=do_sys_openat2 filename' >/dev/null 2>err
is "tc-probe defines with it too" "$(grep -c '^p:btf/open do_sys_openat2' $T/kprobe_events)" 1
tc-probe -q -d 'btf:*'
finish
