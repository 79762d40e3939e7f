#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# coverage.sh OBJ-DIR - lines of libtfs, tracecmd and plugins that were run, by folder, from the
# counters of an instrumented build.

set -eu

dir=$1
gcov=${GCOV:-gcov}
if [ -z "${GCOV:-}" ] && grep -q '^CC = .*clang' "$dir/../Makefile"; then
	gcov="llvm-cov gcov"
fi

find "$dir/libtfs" "$dir/tracecmd" "$dir/plugins" -name '*.gcda' | while read -r f; do
	# shellcheck disable=SC2086
	$gcov -n "$f" 2>/dev/null
done | awk -v q="'" '
/^File / {
	split($0, part, q)
	file = part[2]
	sub(/^.*\/(libtfs|tracecmd|plugins)\//, substr(file, match(file, /(libtfs|tracecmd|plugins)\//)), file)
	ours = file ~ /^(libtfs|tracecmd|plugins)\/.*\.c$/
}
/^Lines executed:/ && ours {
	sub(/^Lines executed:/, "")
	folder = file
	sub(/\/[^\/]*$/, "", folder)
	run = substr($0, 1, index($0, "%") - 1) * $NF / 100
	# Several programs may hold the same file: the run that saw most of it counts.
	if (!(file in lines) || run > ran[file])
		ran[file] = run
	lines[file] = $NF
	of[file] = folder
	ours = 0
}
END {
	for (file in lines) {
		total[of[file]] += lines[file]
		hit[of[file]] += ran[file]
		all += lines[file]
		all_hit += ran[file]
	}
	for (folder in total)
		printf "%-22s %5.1f %% of %5d lines\n", folder, 100 * hit[folder] / total[folder],
		       total[folder] | "sort"
	close("sort")
	if (all)
		printf "%-22s %5.1f %% of %5d lines\n", "all", 100 * all_hit / all, all
}'
