# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Probes that were resolved by the kernel's debug information, elsewhere: what they record is what
# this script opened, read and wrote.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

cleanup()
{
	sed -n 's/^[pr]:\([^ ]*\).*/-:\1/p' /tests/dwarf.defs | sort -u |
	while read -r line; do
		[ ! -d "$T/events/${line#-:}" ] || echo "$line" >>$T/kprobe_events
	done
}

[ -s /tests/dwarf.id ] || {
	echo "1..0 # SKIP no debug information of this kernel (tests/vm/fetch-kernel --debug)"
	exit 77
}
hexdump -v -e '1/1 "%02x"' /sys/kernel/notes >notes
has "the debug information is of this kernel" notes "$(cat /tests/dwarf.id)"
is "everything was resolved" "$(cat /tests/dwarf.err)" ""
trap cleanup EXIT
load_disk

while read -r line; do
	runs "the kernel takes ${line%% *}" sh -c "echo '$line' >>$T/kprobe_events"
done </tests/dwarf.defs

printf '%s' 0123456789abcdef >some_name
dd if=/dev/zero of=/dev/vda bs=4096 count=16 2>/dev/null
sync
cat >work.sh <<'END'
dd if=some_name of=/dev/null bs=10 count=2 2>/dev/null
echo something >another_name
dd if=/dev/vda of=/dev/null bs=4096 skip=8 count=1 iflag=direct 2>/dev/null
sh -c 'exit 3'
END
tc-record -q -e dwarf -o d.dat -- sh work.sh >/dev/null 2>err
is "they are recorded" "$?" 3
tc-report --no-flags -i d.dat >d.txt
sed -n 's/^.* read: .*) name="some_name" count=\(0x[0-9a-f]*\) .*$/\1/p' d.txt >got
is "vfs_read: the file's name, and the size" "$(paste -s -d ' ' got)" "0xa 0xa"
# the return of each of those reads is the next one of that task
is "vfs_read: its return value" "$(awk '
	/ read: .* name="some_name"/ { task = $1 }
	/ read_ret: / && $1 == task { printf "%s ", $NF; task = "" }' d.txt)" "ret=10 ret=6 "
is "vfs_read: the inode's number" \
	"$(sed -n 's/^.* read: .*name="some_name".* ino=\(0x[0-9a-f]*\) .*$/\1/p' d.txt | head -n 1)" \
	"$(printf '0x%x' "$(stat -c %i some_name)")"
is "vfs_read: its mode, 16 bits of it" \
	"$(sed -n 's/^.* read: .*name="some_name".* mode=\(0x[0-9a-f]*\).*$/\1/p' d.txt | head -n 1)" \
	"0x$(stat -c %f some_name)"
# O_RDONLY|O_LARGEFILE; AT_FDCWD
has "do_sys_openat2: directory, name in user memory, flags by pointer" d.txt \
	'dfd=-100 filename_ustring="some_name" flags=0x8000'
has "do_filp_open: a name two pointers away" d.txt 'name="another_name" flag='
is "do_exit: the code of exit 3" "$(grep -c ' exit: .* code=768 ' d.txt)" 2
is "do_exit: a global, by its symbol" \
	"$(sed -n 's/^.* exit: .* release="\(.*\)"$/\1/p' d.txt | sort -u)" "$(uname -r)"
has "vfs_write: an array in a structure, text in user memory" d.txt \
	'name="another_name" count=0xa first="something'
has "a module's function: size, place and disk of the request" d.txt \
	'len=0x1000 sector=0x40 disk="vda"'
keep d.dat d.txt --no-flags
cleanup
finish
