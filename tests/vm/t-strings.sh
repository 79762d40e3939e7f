# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Paths and strings of system calls, by each of tc-trace's sources. strace traces the same run of the
# same tasks: run compares the files in /out/strings outside.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

for p in strace paths spawns texts; do
	[ -x /bin/$p ] || {
		echo "1..0 # SKIP no $p (strace, and a static C library, on the host)"
		exit 77
	}
done
mkdir -p /out/strings
native=
grep -q __filename_val $T/events/syscalls/sys_enter_openat/format && native=1

cat >loop.sh <<'END'
i=0
while [ $i -lt 3 ]; do
	/bin/ls / | /bin/sort -r | /bin/head -n 2 >out.$i
	(cd / && /bin/cat /nonexistent 2>/dev/null) || :
	x=$(/bin/cat out.$i; echo $i)
	i=$((i + 1))
done
/bin/sleep 0.1 &
wait
END

# beside NAME COMMAND...: strace and tc-trace of one run
beside()
{
	name=$1
	shift
	tc-trace $options -v -f -o "/out/strings/$name.text" strace -f -o "/out/strings/$name.strace" \
		"$@" >out 2>err
	is "$name: it is traced" $? 0
	has "$name: the source is said" err "a return probe on"
	is "$name: no probe is left" "$(cat $T/dynamic_events)" ""
}

# --- a return probe where the kernel has copied a path

for options in "" --strings=kprobe; do
	beside "paths$options" paths
	beside "loop$options" /bin/sh loop.sh
done
tc-trace -o t.txt spawns 200 >said 2>err
is "200 vforks: all programs are executed" "$? $(cat said)" "0 200"
is "each path is shown" "$(grep -c '^[0-9]* *execve("/bin/true", 0x' t.txt)" 200
tc-trace -j -e openat -o t.json paths
is "JSON has them, too" "$(grep -c '"text":"AT_FDCWD, \\"name\\", O_RDWR|O_CREAT, 0600"' t.json)" 1
tc-trace -e openat -P "./€" -o t.txt paths
is "-P chooses calls by them" "$(grep -c 'openat' t.txt)" "$(grep -c '"\./\\342\\202\\254"' t.txt)"
tc-trace -e read -o t.txt cat loop.sh >/dev/null
is "without a call that has a path there is no probe" "$? $(grep -c openat t.txt)" "0 0"
tc-trace --strings=none -e openat -o t.txt paths
is "--strings=none: addresses" "$(grep -c '"' t.txt)" 0

tc-trace --record r.dat -e openat -o t.txt paths 2>err
tc-trace -i r.dat -e openat -o u.txt
sed -i '/+++ exited/d' t.txt u.txt
is "a recording of the run has them" "$(cat u.txt)" "$(cat t.txt)"
has "and shows them" u.txt '"n\303\244me"'

# --- killed, with the probe

tc-trace -q -o t.txt sleep 100 &
pid=$!
wait_for $pid grep -q tc_getname $T/set_event $T/instances/tc-trace.$pid/set_event
kill -9 $pid
is "a killed program leaves its probe" "$(grep -c tc_getname $T/dynamic_events)" 1
tc-trace -q -e close -o t.txt true 2>err
is "and the next removes it" "$(cat $T/dynamic_events)" ""
kill "$(pidof sleep)" || :

# --- event probes: memory that was not read before is an address

tc-trace --strings=eprobe -v -o t.txt paths 2>err
is "eprobes: it is traced" $? 0
has "and said" err "(eprobe)"
is "no probe is left" "$(cat $T/dynamic_events)" ""
echo 'e:tcs/try syscalls/sys_enter_chdir p=$filename:x64' >>$T/dynamic_events
echo 1 >$T/events/tcs/try/enable
(cd /)
echo 0 >$T/events/tcs/try/enable
if grep -q 'p=0x[0-9a-f]\{6,\}$' $T/trace; then
	is "names of their own stack are known" "$(grep -c "access(\"/nonexistent/in/a/thread/" t.txt)" 20
else
	# include/linux/trace_events.h has a pointer to text as a character there, until 6.17
	is "a kernel that reads one byte of an address: addresses" "$(grep -c '("' t.txt)" 1
fi
echo >$T/trace
echo '-:tcs/try' >>$T/dynamic_events

# --- probes in the C library, before the instructions that enter the kernel

if [ -x /bin/wrappers ]; then
	tc-trace --strings=uprobe -v -f -o /out/strings/libc.text strace -f -o /out/strings/libc.strace \
		wrappers 12 >said 2>err
	is "uprobes: it is traced" "$? $(tail -n 1 said)" "0 12"
	has "and said" err "(uprobe)"
	tc-trace --strings=uprobe -o t.txt wrappers 200 >said 2>err
	is "200 programs by vfork, posix_spawn and fork" "$? $(tail -n 1 said)" "0 200"
	is "each path is shown" "$(grep -c '^[0-9]* *execve("/bin/wrappers", 0x' t.txt)" 201
	is "no probe is left" "$(cat $T/dynamic_events)" ""
	is "the kernel warned of nothing" "$(dmesg | grep -c uprobe_free_utask)" 0
else
	skip "probes in the C library" "wrappers.c was not compiled"
fi

# --- the kernel's own texts

if [ -z "$native" ]; then
	tc-trace --strings=kernel true 2>err
	is "a kernel without texts: refused" $? 1
	has "with the kernels that have them" err 6.19
	finish
fi
tc-list --features=syscall-paths,syscall-strings >f.txt
is "tc-list says that both work" "$? $(awk '{ print $1, $2 }' f.txt | paste -s -d ' ' -)" \
	"0 syscall-paths yes syscall-strings yes"
tc-trace --strings=kernel -v -o t.txt paths 2>err
has "the kernel's texts: said" err "come from the kernel's events (kernel)"
is "without a probe" "$(grep -c 'openat(AT_FDCWD, "name", O_RDWR|O_CREAT, 0600' t.txt)" 1
has "two paths" t.txt 'rename("name", "other"'
is "a long one is cut" "$(grep -c "^[0-9]* *openat(AT_FDCWD, \"$(printf 'x%.0s' $(seq 165))\"\.\.\., O_RDWR|O_CREAT, 0600" t.txt)" 1
has "an empty one" t.txt 'openat(AT_FDCWD, "", O_RDONLY'
has "an address that cannot be read" t.txt 'open(0x10, O_RDONLY'
# texts that are wholly known: the lines of strace, but for blanks
name=$(hostname)
tc-trace -ff -o thread strace -o s.txt texts 2>err
hostname "$name"
calls='getxattr|memfd_create|finit_module|fsopen|sethostname|pwrite64|mq_[a-z]*|delete_module|write'
grep -E "^($calls)\(" s.txt | sed 's/  */ /g' >want
sed 's/  */ /g' "$(grep -l '^getxattr(' thread.*)" | sed -n '/^getxattr/,$p' |
	grep -E "^($calls)\(" >got
is "13 calls with strings" "$(wc -l <got)" 13
same "strings and bytes are those of strace" got want
tc-trace -e write -o t.txt sh -c 'echo hello; echo 0123456789012345678901234567890123456789' >said
has "bytes that are written" t.txt 'write(1, "hello\n", 6)'
has "as many as -s says" t.txt 'write(1, "01234567890123456789012345678901"..., 41)'
tc-record -q -e syscalls -F -c -o n.dat -- paths
tc-trace -i n.dat -e openat,rename >t.txt
is "a recording of named events" "$(grep -c 'openat(AT_FDCWD, "name", O_RDWR|O_CREAT, 0600' t.txt)" 1
is "whose texts are cut at 63 bytes" "$(grep -c "^[^\"]*openat(AT_FDCWD, \"$(printf 'x%.0s' $(seq 63))\"\.\.\., O_RDWR|O_CREAT, 0600" t.txt)" 1
tc-record -q -e raw_syscalls -e syscalls:sys_enter_rename -F -c -o n.dat -- paths
tc-trace -i n.dat -e openat,rename >t.txt
has "and of both" t.txt 'rename("name", "other"'
is "with addresses where nothing is known" "$(grep -c 'openat(AT_FDCWD, 0x[0-9a-f]*, O_RDWR|O_CREAT, 0600' t.txt)" 3
finish
