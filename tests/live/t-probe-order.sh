#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# On no line is a variable recorded from a place that holds something else: before its declaration,
# before it is written, after a register has gone to another.
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
source=$TC_SRCDIR/tests/live/order.c
first=$(grep -n '^COPY int' "$source" | cut -d : -f 1)
last=$(grep -n '^int main' "$source" | cut -d : -f 1)

# built NAME LEAST COMPILER...: $vars on each line; at least LEAST values are recorded
built() {
	name=$1 least=$2
	shift 2
	"$@" -g -o order "$source" 2>/dev/null || {
		pass "$name: not built # SKIP"
		return
	}
	set --
	for line in $(seq "$first" "$last"); do
		# shellcheck disable=SC2016 # the dollar is tc-probe's
		"$probe" -q -x ./order -D "order.c:$line \$vars" >out 2>err && [ -s out ] &&
			set -- "$@" -a "$group:l$line=order.c:$line \$vars"
	done
	"$probe" -q -x ./order "$@" 2>err
	is "$name: probes are defined" "$?" 0
	"$record" -q -e "$group" -o t.dat -- ./order >said 2>err
	"$report" -i t.dat 2>/dev/null | awk '
	{
		for (i = 1; i <= NF; i++)
			if ($i ~ /^v[0-9]=/)
				print substr($i, 2, 1), substr($i, 4), $0
	}' >got
	awk '$2 < $1 * 1000000 || $2 >= $1 * 1000000 + 1000' got >wrong
	is "$name: each value is of its variable" "$(head -n 5 wrong)" ""
	at_least "$name: values that were compared" "$(wc -l <got)" "$least"
	forget "$name"
}

built "cc -O0" 250 "$cc" -O0
built "cc -O1" 80 "$cc" -O1
built "cc -O2" 80 "$cc" -O2
built "cc -O2, variables not followed" 80 "$cc" -O2 -fno-var-tracking
if command -v clang >/dev/null; then
	built "clang -O0" 250 clang -O0
	built "clang -O2" 120 clang -O2
fi
finish
