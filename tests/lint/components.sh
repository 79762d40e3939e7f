#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks what the objects of libtfs need from each other: calls go down the rooms of tests/lint/rooms, and no
# set of files that all need each other (a strongly connected component) is larger than the limit there.
# Run alone, it prints the size of each room and each component.
#
# area: gate build

set -u
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"
command -v nm >/dev/null || skip_all "no nm"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT INT TERM

cd "$TC_BUILDDIR" && obj=$PWD/obj && cd - >/dev/null && cd "$TC_SRCDIR" || exit 1
lint=tests/lint
graph() {
	awk -f "$lint/components.awk" "$1" "$2" "$3"
}

# --- a made graph: a and b need each other; the room "up" is too large

printf '%s\n' 'up: down' 'down:' 'base:' 'limit component 1' 'limit share 60' >"$dir/rooms"
printf '%s\n' 'up 70' 'down 20' 'base 10' >"$dir/sizes"
cat >"$dir/symbols" <<'END'
up/a T f_a
up/a U f_b
up/a U f_c
up/a U strlen
up/b T f_b
up/b U f_a
up/b U d_base
down/c T f_c
base/d D d_base
END
is "reports a component and a room that are larger than the limits" \
	"$(graph "$dir/rooms" "$dir/sizes" "$dir/symbols" | grep -v '^# ')" \
	"share: up has 70 of 100 lines: more than 60 %
component: 2 files need each other, at most 1: up/a up/b"
is "prints rooms, components and the number of arrows" \
	"$(graph "$dir/rooms" "$dir/sizes" "$dir/symbols" | grep '^# ')" \
	"#     70 lines  70.0 %  up
#     20 lines  20.0 %  down
#     10 lines  10.0 %  base
# component of 2: up/a up/b
# 4 objects, 4 arrows, 0 up"
echo 'down/c U f_a' >>"$dir/symbols"
is "reports a call that goes up, and the larger component that it makes" \
	"$(graph "$dir/rooms" "$dir/sizes" "$dir/symbols" | grep '^up\|^component' | sed 's/:.*: .*/: 3 files/')" \
	"up: down/c calls f_a() of up/a
component: 3 files"
echo 'except down/c up' >>"$dir/rooms"
is "allows a call that is an exception" \
	"$(graph "$dir/rooms" "$dir/sizes" "$dir/symbols" | grep '^up')" ""
printf '%s\n' 'up: down' 'down: up' 'base:' >"$dir/rooms"
is "refuses a table in which two rooms may use each other" \
	"$(graph "$dir/rooms" "$dir/sizes" /dev/null | grep '^rooms')" \
	"rooms: down may not use up, which is not below it"

# --- the objects of this build

# One wc and one nm for all files
find libtfs tracecmd plugins -name '*.[ch]' -exec wc -l {} + | awk '$2 != "total" {
	n = split($2, part, "/")
	print (part[1] == "libtfs" || (part[1] == "tracecmd" && n > 2) ? part[2] : part[1]), $1
}' >"$dir/sizes"
find libtfs -name '*.c' | sort | while read -r f; do
	# not the half of a pair that configure did not choose
	[ ! -f "$obj/${f%.c}.o" ] || echo "${f%.c}.o"
done >"$dir/objects"
(cd "$obj" && xargs nm -A -P -g <"$dir/objects") | awk '{
	file = $1
	sub(/^libtfs\//, "", file)
	sub(/\.o:$/, "", file)
	print file, $3, $2
}' >"$dir/symbols"
graph "$lint/rooms" "$dir/sizes" "$dir/symbols" >"$dir/found"
grep '^# ' "$dir/found"

rule() {
	nothing "$2" "$(sed -n "s/^$1: //p" "$dir/found")"
}
rule rooms "each room uses rooms below it"
rule up "no object calls up"
rule component "no component is larger than the limit"
rule share "no room has a larger share of the product than the limit"

finish
