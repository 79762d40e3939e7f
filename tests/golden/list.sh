#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-list over captured tracefs directories: what it says is in their files, counted by find, awk
# and jq. tc-session show, too, where it is about what cannot be printed.
#
# area: gate session

set -u
TC_BUILDDIR=${TC_BUILDDIR:-$PWD}
TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"

command -v jq >/dev/null || skip_all "jq is not installed"
LC_ALL=C
export LC_ALL
list=$TC_BUILDDIR/tc-list
tmp=$(mktemp -d "${TMPDIR:-/tmp}/tc-list.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT HUP TERM

# same NAME FILE FILE: equal, and not empty
same() {
	if [ -s "$2" ] && cmp -s "$2" "$3"; then
		pass "$1"
	else
		fail "$1" "$(diff "$2" "$3" 2>&1 | head -n 12)"
	fi
}

# The fields of all format files by their text: system name type name offset size signed
fields_by_awk() {
	find events -name format | sort | while read -r file; do
		event=${file#events/}
		event=${event%/format}
		[ -e "${file%/format}/enable" ] || continue
		awk -v event="$event" -F'\t' '/^\tfield:/ {
			sub(/^field:/, "", $2); sub(/;$/, "", $2)
			array = ""
			if (match($2, /\[[^\]]*\]$/)) {
				array = substr($2, RSTART)
				$2 = substr($2, 1, RSTART - 1)
			}
			match($2, /[A-Za-z0-9_]+$/)
			name = substr($2, RSTART)
			type = substr($2, 1, RSTART - 1)
			sub(/ +$/, "", type)
			for (i = 3; i <= 5; i++)
				gsub(/[^0-9]/, "", $i)
			print event, type array, name, $3, $4, $5
		}' "$file"
	done
}

check_tree() {
	kernel=$1
	mkdir "$tmp/$kernel"
	tar -C "$tmp/$kernel" -xzf "$TC_SRCDIR/tests/fake/x86_64-$kernel.tar.gz"
	TRACECRAFT_TRACEFS=$tmp/$kernel
	export TRACECRAFT_TRACEFS
	cd "$tmp/$kernel" || exit 1

	find events -mindepth 3 -maxdepth 3 -name enable |
		sed 's,^events/\(.*\)/\(.*\)/enable,\1:\2,' | sort >"$tmp/want"
	"$list" -e >"$tmp/got"
	same "$kernel: -e has the events that can be enabled" "$tmp/got" "$tmp/want"
	find events -mindepth 1 -maxdepth 1 -type d | sed 's,events/,,' | sort >"$tmp/want"
	"$list" -s >"$tmp/got"
	same "$kernel: -s has the systems" "$tmp/got" "$tmp/want"
	"$list" -s --full | awk '{ n += $2 } END { print n }' >"$tmp/got"
	"$list" -e | wc -l >"$tmp/want"
	same "$kernel: -s --full counts the events" "$tmp/got" "$tmp/want"

	"$list" -F --full --json >"$tmp/json"
	jq -r '.events[] | . as $e | .fields[] | [$e.system + "/" + $e.name, .type, .name,
		.offset, .size, if .signed then 1 else 0 end] | map(tostring) | join(" ")' \
		"$tmp/json" | sort >"$tmp/got"
	fields_by_awk | sort >"$tmp/want"
	same "$kernel: --json has every field as the format files have it" "$tmp/got" "$tmp/want"
	jq -r '.events[] | .print_fmt' "$tmp/json" | sort >"$tmp/got"
	find events -mindepth 3 -maxdepth 3 -name enable | sed 's/enable$/format/' |
		xargs sed -n 's/^print fmt: //p' | sort >"$tmp/want"
	same "$kernel: --json has the print formats" "$tmp/got" "$tmp/want"
	jq -r '.events[] | "\(.id) \(.system):\(.name)"' "$tmp/json" | sort >"$tmp/got"
	find events -mindepth 3 -maxdepth 3 -name enable | sed 's/enable$/format/' |
		while read -r f; do
			f=${f#events/}
			name=${f%/format}
			echo "$(sed -n 's/^ID: //p' "events/$f") ${name%/*}:${name#*/}"
		done | sort >"$tmp/want"
	same "$kernel: --json has the numbers of the events" "$tmp/got" "$tmp/want"

	"$list" -t >"$tmp/got"
	same "$kernel: -t is available_tracers" "$tmp/got" available_tracers
	tr ' ' '\n' <available_tracers | grep . | sort >"$tmp/want"
	"$list" -t --json | jq -r '.tracers[].name' | sort >"$tmp/got"
	same "$kernel: --json -t has each tracer" "$tmp/got" "$tmp/want"
	is "$kernel: --json -t marks the current one" \
		"$("$list" -t --json | jq -r '.tracers[] | select(.current).name')" \
		"$(cat current_tracer)"
	"$list" -C >"$tmp/got"
	same "$kernel: -C is trace_clock" "$tmp/got" trace_clock
	is "$kernel: --json -C marks the current one" \
		"$("$list" -C --json | jq -r '.clocks[] | select(.current).name')" \
		"$(sed 's/.*\[//; s/\].*//' trace_clock)"
	find options -type f | sort | while read -r f; do
		[ "$(cat "$f")" = 0 ] && printf no
		echo "${f#options/}"
	done >"$tmp/want"
	"$list" -o >"$tmp/got"
	same "$kernel: -o has the files of options/ as they are set" "$tmp/got" "$tmp/want"
	is "$kernel: the overview counts events" "$("$list" --json | jq .counts.events)" \
		"$("$list" -e | wc -l)"
	cd / || exit 1
}

check_tree 6.1
check_tree 6.12
check_tree 6.18

# --- names

cd "$tmp/6.18" || exit 1
name=$("$list" -e | sed -n 's/^\(sched:sched_switch\)$/\1/p')
is "sched_switch exists" "$name" sched:sched_switch
for glob in sched:sched_switch sched/sched_switch sched_switch 'sched_s[w]itch' 'sched:*_switch' \
	'^sched:sched_switch$' 'sched_switch$' '^sched_switch$' '^sched$:^sched_switch$' ':^sched_s.*h$'; do
	is "-e $glob" "$("$list" -e "$glob")" "$name"
done
"$list" -e 'sched' >"$tmp/got"
"$list" -e | grep -i sched >"$tmp/want"
same "a word matches anywhere, as in trace-cmd" "$tmp/got" "$tmp/want"
for regex in '^sched$' '^sched_w' '^irq$:_e.*y$' 'sched:.*wake'; do
	"$list" -e "$regex" 2>"$tmp/err" >"$tmp/got"
	"$list" -e | awk -F: -v left="${regex%%:*}" -v right="${regex##*:}" -v either="$regex" '
		either ~ /:/ ? $1 ~ left && $2 ~ right : $1 ~ either || $2 ~ either' >"$tmp/want"
	same "$regex matches each side of the name, as in trace-cmd" "$tmp/got" "$tmp/want"
done
"$list" -e >"$tmp/want"
"$list" -e all >"$tmp/got"
same "all is every event, as for tc-record" "$tmp/got" "$tmp/want"
"$list" -e 'sched' irq:irq_handler_entry >"$tmp/got"
"$list" -e | grep -e sched -e '^irq:irq_handler_entry$' >"$tmp/want"
same "several patterns can be given" "$tmp/got" "$tmp/want"
"$list" -e sched_swich >"$tmp/out" 2>"$tmp/err"
is "an unknown name fails" $? 1
is "an unknown name prints nothing" "$(cat "$tmp/out")" ""
is "a similar name is suggested" "$(grep -c "did you mean 'sched_switch'" "$tmp/err")" 1
"$list" --json -e sched_swich >"$tmp/out" 2>/dev/null
is "--json prints complete output or none" "$(cat "$tmp/out")" ""

# --- filters, triggers, probes

echo 'prev_pid == 1' >events/sched/sched_switch/filter
printf 'traceoff:unlimited\nstacktrace:count=5\n' >events/sched/sched_wakeup/trigger
is "-l without a pattern lists the filters that are set" "$("$list" -l)" \
	"$(printf 'sched:sched_switch\nprev_pid == 1')"
is "-R without a pattern lists the triggers that are set" "$("$list" -R)" \
	"$(printf 'sched:sched_wakeup\ntraceoff:unlimited\nstacktrace:count=5')"
is "--json -l -R" "$("$list" -l -R --json -e '^sched:sched_\(switch\|wakeup\)$' | jq -c .events)" \
	'[{"system":"sched","name":"sched_switch","filter":"prev_pid == 1","triggers":[]},{"system":"sched","name":"sched_wakeup","filter":null,"triggers":["traceoff:unlimited","stacktrace:count=5"]}]'
cat >dynamic_events <<'TEXT'
p:g/k vfs_read fd=%di
r8:g/kr vfs_read rv=$retval
p:u/open /bin/a:0x0000000000001234 s=+0(%di):string
f:g/fp vfs_write
t:g/tp sched_switch prev=$arg2
e:eg/ep syscalls.sys_enter_openat file=+0($filename):ustring
s:lat	u64 delta; pid_t pid
TEXT
grep -v '^p:u\|^[efst]' dynamic_events >kprobe_events
grep '^p:u' dynamic_events >uprobe_events
"$list" --probes | sort >"$tmp/got"
sort dynamic_events >"$tmp/want"
same "--probes has each line of dynamic_events" "$tmp/got" "$tmp/want"
is "--probes with a glob" "$("$list" --probes 'g:k*' | wc -l)" 2
is "--json --probes has kinds and names" \
	"$("$list" --probes --json | jq -r '.probes[] | "\(.type) \(.return) \(.group):\(.event)"' |
		sort | paste -s -d,)" \
	"eprobe false eg:ep,fprobe false g:fp,kprobe false g:k,kprobe true g:kr,synthetic false synthetic:lat,tprobe false g:tp,uprobe false u:open"
refuses "no such probe fails" "$list" --probes nosuch

# --- a full disk

# refused_by_disk NAME PROGRAM...: a text that stdio hands on in one piece, so that nothing is left for the last flush
refused_by_disk() {
	full_name=$1
	shift
	"$@" >/dev/full 2>"$tmp/err"
	is "$full_name: says why" "$?-$(sed 's/^[^:]*: //' "$tmp/err")" \
		"1-cannot write to the standard output: No space left on device"
}
if [ -w /dev/full ]; then
	refused_by_disk "a full disk, --json" "$list" -F --full --json
	seq 65536 | head -c 65536 >trace
	refused_by_disk "a full disk, tc-session show" "$TC_BUILDDIR/tc-session" show -t
else
	skip "a full disk" "no /dev/full"
fi

# --- what is not there

rm trace_clock
refuses "a missing file fails" "$list" -C
TRACECRAFT_TRACEFS=$tmp/none "$list" 2>"$tmp/err"
is "no tracefs fails" $? 1
is "no tracefs: prints the path" "$(grep -c "$tmp/none" "$tmp/err")" 1
TRACECRAFT_TRACEFS=$tmp/none "$list" -c >"$tmp/out" 2>&1
is "compression needs no tracefs" $? 0

finish
