# SPDX-License-Identifier: GPL-2.0-or-later
#
# asserts.awk - unit tests that assert nothing, from what code.awk makes of tests/unit and tests/lib.
# A function asserts if it calls one of cmocka's assertions, or a function that asserts: one of its own
# file, or one that tests share.

{
	split($0, part, ":")
	file = part[1]
	code = substr($0, length(part[1]) + length(part[2]) + 3)
	if (named) { # the name of a test on a line of its own
		t = code
		gsub(/[ \t]|,.*/, "", t)
		test[file, t] = 1
		named = 0
	}
}
# a macro, which may stand for cmocka_unit_test()
/#define [A-Za-z_]+\([a-z]+\)[ \t]+cmocka_unit_test/ {
	t = code
	gsub(/#define |\(.*/, "", t)
	declares[file, t] = 1
	next
}
/#define [A-Za-z_]+\(/ {
	outside = inside
	inside = code
	gsub(/#define |\(.*/, "", inside)
	macro = 1
	sub(/.*#define [A-Za-z_]+/, "", code)
}
code ~ /^[A-Za-z_].*\(/ && code !~ /;$/ {
	name = code
	sub(/\(.*/, "", name)
	sub(/.*[ *]/, "", name)
}
code ~ /^{/ { inside = name }
code ~ /^}/ { inside = "" }
inside != "" {
	rest = code
	while (match(rest, /[A-Za-z_][A-Za-z0-9_]*[ \t]*\(/)) {
		callee = substr(rest, RSTART, RLENGTH)
		sub(/[ \t]*\($/, "", callee)
		if (callee ~ /^_?(assert_|fail)/)
			asserts[file, inside] = 1
		else if (callee == "cmocka_unit_test" || callee ~ /^cmocka_unit_test_/ ||
			 (file, callee) in declares) {
			t = substr(rest, RSTART + RLENGTH)
			sub(/[,)].*/, "", t)
			if (t == "")
				named = 1
			else
				test[file, t] = 1
		} else
			calls[++nc] = file SUBSEP inside SUBSEP callee
		rest = substr(rest, RSTART + RLENGTH)
	}
}
macro && code !~ /\\$/ {
	inside = outside
	macro = 0
}
END {
	do {
		changed = 0
		for (i = 1; i <= nc; i++) {
			split(calls[i], c, SUBSEP)
			if (((c[1], c[2]) in asserts))
				continue
			if (((c[1], c[3]) in asserts) || (c[3] in lib)) {
				asserts[c[1], c[2]] = 1
				changed = 1
			}
		}
		for (k in asserts) {
			split(k, c, SUBSEP)
			if (c[1] !~ /test_[^\/]*$/ && !(c[2] in lib)) {
				lib[c[2]] = 1
				changed = 1
			}
		}
	} while (changed)
	for (k in test)
		if (!(k in asserts)) {
			split(k, c, SUBSEP)
			print c[1] ": " c[2] "() asserts nothing"
		}
}