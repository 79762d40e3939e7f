#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The recorded value of a variable is the one that the program prints itself: each expression is right,
# or refused with a reason.
#
# needs: root tracefs uprobes
# area: probe

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"
# shellcheck source=tests/live/probe-lib.sh
. "$TC_SRCDIR/tests/live/probe-lib.sh"

cc=${CC:-cc}
command -v "${cc%% *}" >/dev/null || skip_all "no C compiler"

# Definitions of one function at the same places become one event of several arguments: it is the
# number of probes that takes the time. "NUMBER FUNCTION DEFINITION" to definitions.
merge() {
	awk -v group="$group" '
	function flush(    i, key) {
		key = func_name
		for (i = 0; i < n; i++)
			key = key " " place[i]
		if (n && !(key in event)) {
			event[key] = ++events
			lines[key] = n
		}
		for (i = 0; i < n; i++) {
			where[key, i] = place[i]
			args[key, i] = args[key, i] " v" number "=" fetch[i]
		}
		n = 0
	}
	BEGIN { n = 0 }
	{
		if ($1 " " $3 != last)
			flush()
		last = $1 " " $3
		number = $1
		func_name = $2
		place[n] = $4
		fetch[n] = $0
		sub(/.* v=/, "", fetch[n++])
	}
	END {
		flush()
		for (key in event)
			for (i = 0; i < lines[key]; i++)
				print "p:" group "/e" event[key] " " where[key, i] args[key, i]
	}'
}

# "NUMBER VALUE" for each expression that was recorded, in order
values() {
	"$report" -i t.dat 2>/dev/null | awk '
	{
		for (i = 1; i <= NF; i++) {
			if ($i !~ /^v[0-9]+=/)
				continue
			value = $i
			sub(/^v[0-9]+=/, "", value)
			if (value !~ /^(0x|"|-)/)
				value = sprintf("0x%x", value)
			number = $i
			sub(/=.*/, "", number)
			print substr(number, 2), value
		}
	}'
}

# built NAME LEAST SOURCE COMPILER...: all expressions of a build; at least LEAST have a value
built() {
	name=$1
	least=$2
	source=$3
	shift 3
	"$@" -o ground "$TC_SRCDIR/tests/live/$source" 2>/dev/null || {
		pass "$name: not built # SKIP"
		return
	}
	./ground >log
	awk -F '\t' '{ for (i = 2; i <= NF; i++) { sub(/=[^=]*$/, "", $i); print $1 "\t" $i } }' log |
		sort -u >specs
	n=0
	: >defs
	: >asked
	: >unnamed
	while IFS='	' read -r func expr; do
		n=$((n + 1))
		if "$probe" -x ./ground -D "$group:e=$func v=$expr" >def 2>err; then
			# not in each copy: then it is not compared
			grep -vq ' v=' def && continue
			# the values are said to be others, or a line's hits not to be all
			grep -q 'recorded without its sign' err && continue
			[ "$source" != ground-lines.c ] || ! grep -q 'hits are missed' err || continue
			sed "s/^/$n $func /" def >>defs
			echo "$n $func $expr" >>asked
		elif ! grep -qE 'optimised out|not alive|floating-point|written only|arithmetic|parts|is not known at this address|known only on entry|its value is' err; then
			echo "$func $expr: $(head -n 1 err)" >>unnamed
		fi
	done <specs
	is "$name: each refusal has a reason" "$(cat unnamed)" ""
	merge <defs >lines
	while read -r line; do
		printf '%s\n' "$line" >>"$tracefs/uprobe_events" || printf '%s\n' "$line"
	done <lines >refused 2>/dev/null
	is "$name: the kernel takes each definition" "$(cat refused)" ""
	"$record" -q -e "$group" -o t.dat -- ./ground >log 2>/dev/null
	values | sort -s -n -k 1,1 >got
	while read -r number func expr; do
		awk -F '\t' -v func_name="$func" -v expr="$expr=" -v number="$number" '
			$1 == func_name { for (i = 2; i <= NF; i++)
				if (index($i, expr) == 1) print number, substr($i, length(expr) + 1) }' log
	done <asked | sort -s -n -k 1,1 >wanted
	same "$name: values are the program's" got wanted
	between "$name: enough of $n expressions have a value" "$(wc -l <asked)" "$least" "$n"
	forget "$name"
}

# All where nothing is optimised; else what was counted, with some room for other compilers.
built "cc -O0" 47 ground.c "$cc" -g -O0
built "cc -O2" 44 ground.c "$cc" -g -O2 -fno-pie -no-pie
built "cc -O0, types in units of their own" 44 ground.c "$cc" -g -O0 -fdebug-types-section
built "lines, cc -O0" 11 ground-lines.c "$cc" -g -O0
built "lines, cc -O2" 8 ground-lines.c "$cc" -g -O2
if command -v clang >/dev/null; then
	built "clang -O2" 36 ground.c clang -g -O2
	built "lines, clang -O0" 11 ground-lines.c clang -g -O0
	built "lines, clang -O1" 8 ground-lines.c clang -g -O1
	built "lines, clang -O2" 8 ground-lines.c clang -g -O2
fi
for cxx in g++ clang++; do
	command -v $cxx >/dev/null || continue
	for level in -O0 -O2; do
		built "names, $cxx $level" 30 ground-names.cc $cxx -g $level
	done
done
finish
