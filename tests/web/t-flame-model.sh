#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The model of a flame graph's page, under node: what it makes of folded stacks is what awk makes of them.
#
# needs: browser
# area: web

set -u
# shellcheck source=tests/web/lib.sh
. "$TC_SRCDIR/tests/web/lib.sh"
command -v node >/dev/null || skip_all "scripts of pages were NOT tested: node is missing (Debian: nodejs)"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT INT TERM
unpack x86_64/graph "$dir/graph.dat"
"$report" -q "$dir/graph.dat" --folded --countname=ns --no-annotate >"$dir/folded" || exit 1
LC_ALL=C
export LC_ALL

model() {
	node "$TC_SRCDIR/tests/web/flame-model.js" "$TC_SRCDIR/libtfs/chart/page" "$dir/folded" "$@"
}

# same NAME WANT-FILE: with $dir/got, both sorted, and not empty
same() {
	sort "$2" >"$dir/want.sorted"
	sort "$dir/got" >"$dir/got.sorted"
	if [ -s "$2" ] && cmp -s "$dir/want.sorted" "$dir/got.sorted"; then
		pass "$1"
	else
		fail "$1" "$(diff "$dir/want.sorted" "$dir/got.sorted" | head -n 6)"
	fi
}

awk '{
	weight = $NF
	sub(/ [0-9]+$/, "")
	n = split($0, frame, ";")
	stack = frame[n]
	for (i = n - 1; i > 0; i--)
		stack = stack ";" frame[i]
	sum[stack] += weight
}
END { for (s in sum) print s, sum[s] }' "$dir/folded" >"$dir/want"
model callers >"$dir/got"
same "stacks are turned round" "$dir/want"
grep -i 'rcu' "$dir/folded" >"$dir/want"
model keep rcu >"$dir/got"
same "keeps what matches" "$dir/want"
is "and weighs it once" "$(model matched rcu)" "$(awk '{ n += $NF } END { print n }' "$dir/want")"
grep -iv 'rcu' "$dir/folded" >"$dir/want"
model remove rcu >"$dir/got"
same "removes what matches" "$dir/want"
awk '{
	weight = $NF
	sub(/ [0-9]+$/, "")
	n = split($0, frame, ";")
	split("", seen)
	for (i = 1; i <= n; i++)
		if (!(frame[i] in seen)) {
			seen[frame[i]]
			total[frame[i]] += weight
		}
	self[frame[n]] += weight
}
END { for (f in total) print f, self[f] + 0, total[f] }' "$dir/folded" >"$dir/want"
model table >"$dir/got"
same "sums functions, recursion once" "$dir/want"
finish
