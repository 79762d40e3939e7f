#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-list beside the kernel's files and trace-cmd list, on this kernel. Lists of all events and systems are
# made from one copy of the kernel's files, in which others' probes and modules come and go meanwhile: they are
# left out.
#
# needs: root tracefs
# area: tools

set -u
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

list=$TC_BUILDDIR/tc-list
command -v jq >/dev/null || skip_all "jq is not installed"
# frozen COMMAND...: it finds the copy where tracefs was
mkdir copy
: >groups
probe_groups() {
	sed 's|^[^:]*:\([^/]*\)/.*|\1|' "$tracefs/dynamic_events" >>groups
}
probe_groups
cp "$tracefs/available_events" copy
cp -r "$tracefs/events" copy 2>/dev/null
probe_groups
sort "$tracefs/available_events" >after
sort copy/available_events | comm -3 - after | sed 's/^\t*\([^:]*\):.*/\1/' >>groups
# not_probes: the lines SYSTEM:EVENT or SYSTEM, without groups of probes and what came or went
not_probes() {
	awk -F: 'FILENAME == "groups" { group[$1] = 1; next } !($1 in group)' groups -
}
frozen() {
	# shellcheck disable=SC2016 # the inner shell's
	TRACECRAFT_TRACEFS=$PWD/copy unshare -m sh -c 'mount --bind copy "$0" && exec "$@"' "$tracefs" "$@"
}

frozen "$list" -e | not_probes | sort >got
not_probes <copy/available_events | sort >want
same "-e is available_events" got want
"$list" -e >got
has "it is so of the running kernel" got "sched:sched_switch"
"$list" -o >got
for f in "$tracefs"/options/*; do
	[ "$(cat "$f")" = 0 ] && printf no
	echo "${f##*/}"
done >want
same "-o is options/" got want

if command -v trace-cmd >/dev/null; then
	for option in -t -C; do
		"$list" "$option" >got
		trace-cmd list "$option" >want
		same "$option is trace-cmd's" got want
	done
	for option in -o -P; do
		"$list" "$option" | sort >got
		trace-cmd list "$option" | grep . | sort >want
		same "$option has trace-cmd's names" got want
	done
	for option in -s '-e ^sched' '-e irq' '-e sched:.*wake' '-e ^sched_w' '-e sched:_switch$' \
		'-e ^sched$:^sched_p'; do
		# shellcheck disable=SC2086 # an option and its argument
		frozen "$list" $option | not_probes | sort >got
		# shellcheck disable=SC2086
		frozen trace-cmd list $option | grep . | not_probes | sort >want
		same "$option has trace-cmd's names" got want
	done
	"$list" -O | grep 'plugin:\|option:' | paste - - | sort >got
	trace-cmd list -O | grep 'plugin:\|option:' | paste - - | sort >want
	same "-O has trace-cmd's options" got want
	# an event at a time: the order of several is the kernel's there
	for option in '-F' '-F --full' '-l' '-R'; do
		: >got
		: >want
		for event in sched:sched_switch irq:irq_handler_entry syscalls:sys_enter_openat; do
			# shellcheck disable=SC2086
			"$list" $option -e "^$event\$" >>got
			# shellcheck disable=SC2086
			trace-cmd list $option -e "^$event\$" >>want
		done
		same "$option is trace-cmd's text" got want
	done
else
	skip "lists are trace-cmd's" "trace-cmd is not installed"
fi

mkdir "$tracefs/instances/tc-list-test.$$"
"$list" -B >got
has "-B has a new instance" got "tc-list-test.$$"
is "--json -B shows it" \
	"$("$list" -B --json | jq -c --arg n "tc-list-test.$$" '.instances[] | select(.name == $n)')" \
	"{\"name\":\"tc-list-test.$$\",\"tracer\":\"nop\",\"tracing_on\":\"1\"}"
rmdir "$tracefs/instances/tc-list-test.$$"

# --- fields of every event, counted by awk

frozen "$list" -F --json | jq -r '.events[] | .system + ":" + .name + " " + (.fields | length | tostring)' |
	not_probes | sort >got
while read -r name; do
	awk -v name="$name" '/^\tfield:/ { n++ } END { print name, n + 0 }' \
		"copy/events/${name%%:*}/${name#*:}/format" 2>/dev/null
done <copy/available_events | not_probes | sort >want
same "-F has as many fields as each format file" got want

# --- prototypes, by a reader of BTF that shares no code

if [ -r /sys/kernel/btf/vmlinux ] && command -v python3 >/dev/null; then
	"$list" -f -q '^[a-z].*' --proto | grep '(' | grep -v '\[' | sort -u >got
	python3 "$TC_SRCDIR/tests/live/btf.py" /sys/kernel/btf/vmlinux | sort -u >all
	comm -13 all got >extra
	nothing "prototypes agree with a second BTF reader" "$(head -n 5 extra)"
	at_least "prototypes were compared" "$(wc -l <got)" 20000
	is "vfs_read has its parameters by name" "$("$list" -q --proto '^vfs_read$')" \
		"ssize_t vfs_read(struct file *file, char *buf, size_t count, loff_t *pos)"
else
	skip "prototypes" "the kernel has no BTF, or there is no python3"
fi
"$list" -q -f | sort -u >got
if head -c 1 "$tracefs/available_filter_functions" >first 2>/dev/null && [ -s first ]; then
	awk '{ print $1 ($2 ? " " $2 : "") }' "$tracefs/available_filter_functions" | sort -u >want
	same "-f is available_filter_functions" got want
else
	"$list" -f >/dev/null 2>err
	has "-f says why not all of these can be traced" err "not all of which can be traced"
	awk '$2 ~ /[tTwW]/ && $3 !~ /^__(pfx|cfi)_|\.cold/ { print $3 ($4 ? " " $4 : "") }' \
		/proc/kallsyms | sort -u >want
	same "-f is the functions of kallsyms" got want
fi

# --- another user

chmod 755 .
run_list() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$list" "$@"
}
if command -v setpriv >/dev/null && run_list --version >/dev/null 2>&1; then
	if run_list -e >got 2>err; then
		pass "tracefs is open to everyone here"
	else
		has "without root: the message says what would help" err "hint: run it as root"
	fi
	run_list -f '^vfs_read$' >got 2>/dev/null
	is "without root: functions are still listed" "$(cat got)" vfs_read
	run_list -c >got
	is "without root: compression" "$?" 0
fi

nothing_of_mine "lists"
finish
