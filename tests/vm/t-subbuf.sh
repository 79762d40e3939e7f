# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Sub-buffers of another size: at the top level, where the recording must not believe it.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

if [ ! -e $T/buffer_subbuf_size_kb ]; then
	tc-record -e sched -o p.dat -- ls / >/dev/null 2>err
	is "this kernel has 4 KB sub-buffers only: records" $? 0
	skip "sub-buffers of 16 KB at the top level" "no buffer_subbuf_size_kb"
	finish
fi
was=$(cat $T/buffer_subbuf_size_kb)
trap 'echo $was >$T/buffer_subbuf_size_kb' EXIT
echo 16 >$T/buffer_subbuf_size_kb
has "the top level has sub-buffers of 16 KB" $T/events/header_page 'size:16368;'
tc-record -e sched -e syscalls -o s.dat -- sh -c '
	cp /sys/kernel/tracing/instances/tc-record.*/events/header_page page
	ls / >/dev/null' 2>err
is "records with such sub-buffers" $? 0
# magic and "tracing" 10 bytes, "7\0" 2, endianness, long size, then the page size
size=$(hexdump -s 14 -n 4 -e '1/4 "%d\n"' s.dat)
data=$(sed -n 's/.*char data;.*size:\([0-9]*\);.*/\1/p' page)
is "the file's page size is the instance's" "$size" $((data + 16))
tc-report --no-flags -i s.dat >s.txt
has "reads them back" s.txt 'sys_enter'
keep s.dat s.txt --no-flags
finish
