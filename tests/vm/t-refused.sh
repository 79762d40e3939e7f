# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Messages about refused requests have the file, the errno and what to do.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

restore()
{
	mountpoint -q $T 2>/dev/null || grep -q " $T tracefs" /proc/mounts ||
		mount -t tracefs tracefs $T
	mount -o remount,rw $T
}
trap restore EXIT

run_as_user 'tc-record -e sched -o u.dat -- touch ran' 2>err
is "without root: fails" $? 1
has "without root: names the file" err /sys/kernel/tracing
has "without root: says why" err 'Permission denied'
has "without root: says what to do" err 'hint:'
runs "without root: does not run COMMAND" test ! -e ran
runs "without root: leaves no file" test ! -e u.dat

tc-record -q -e sched -o r.dat -- ls / >/dev/null
chmod 644 r.dat
tc-report --no-flags -i r.dat >r.txt
run_as_user 'tc-report --no-flags -i r.dat' >user.txt 2>err
same "without root: reads a recording" user.txt r.txt

mount -o remount,ro $T
tc-record -e sched -o ro.dat -- touch ran 2>err
is "read-only tracefs: fails" $? 1
has "read-only tracefs: names the file" err "$T/instances"
has "read-only tracefs: says why" err 'Read-only file system'
has "read-only tracefs: says what to do" err 'remount'
mount -o remount,rw $T
runs "read-only tracefs: does not run COMMAND" test ! -e ran

umount $T
tc-record -e sched -o no.dat -- touch ran 2>err
is "no tracefs: fails" $? 1
has "no tracefs: says how to mount it" err 'mount -t tracefs'
runs "no tracefs: does not run COMMAND" test ! -e ran
runs "no tracefs: leaves no file" test ! -e no.dat
tc-report --no-flags -i r.dat >no.txt 2>err
same "no tracefs: reads a recording" no.txt r.txt
mount -t tracefs tracefs $T

mkdir -p /mnt/t
mount -t tracefs tracefs /mnt/t
umount $T
tc-record -q -e sched -o mnt.dat -- ls / >/dev/null 2>err
is "tracefs mounted elsewhere: finds it" $? 0
mount -t tracefs tracefs $T
umount /mnt/t

tc-record -e sched -b 64G -o big.dat -- touch ran 2>err
is "a buffer larger than memory: fails" $? 1
has "a buffer larger than memory: names the file" err buffer_size_kb
has "a buffer larger than memory: says why" err 'Cannot allocate memory'
runs "a buffer larger than memory: does not run COMMAND" test ! -e ran

# Sixty thousand reads and as many writes make 20 MB of these.
mkdir small
mount -t tmpfs -o size=11M tmpfs small
tc-record -e syscalls -e raw_syscalls --compression none -o small/full.dat -- \
	dd if=/dev/zero of=/dev/null bs=1 count=60000 2>err
rc=$?
case $rc in
0) fail "a full disk: fails" "status 0" "$(cat err)" ;;
*) pass "a full disk: fails" ;;
esac
has "a full disk: says why" err 'No space left on device'
tc-report --no-flags -i small/full.dat 2>err | head -n 5000 >full.txt
has "a full disk: the file can be read" full.txt 'sys_enter_write:'
umount small
finish
