#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The words of tests/lint/words do not come back: they are not in code, tests and documents, or no more often
# than the list still allows. "words.sh all" prints each place where one is, without TAP.
#
# area: gate build

set -u
cd "$TC_SRCDIR" || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT INT TERM

# look LIST FILE...
look() {
	awk -v list_file="$1" -f tests/lint/words.awk "$@"
}

# The list itself and these scripts have the words.
files() {
	find libtfs tracecmd plugins tests Documentation bash-completion -type f \( -name '*.[ch]' -o \
		-name '*.cc' -o -name '*.sh' -o -name '*.awk' -o -name '*.py' -o -name '*.adoc' -o -name '*.md' -o \
		-name README \) | grep -v '^tests/lint/words'
	printf '%s\n' tests/run tests/select tests/changed tests/areas tests/vm/run tests/vm/guest/* tests/vm/option-sets tests/perf/pin \
		Makefile.in configure quickstart README NEWS CONTRIBUTING
	find bash-completion -type f ! -name '*.*'
}

# shellcheck disable=SC2046 # no names with blanks in this tree
look tests/lint/words $(files | sort) >"$dir/found" 2>"$dir/err"
if [ "${1:-}" = all ]; then
	sed -n 's/^@//p' "$dir/found"
	exit
fi

# --- a made list and a made file

cat >"$dir/list" <<'END'
word crew crews
  say pool
word behind
  in text
  say after
  unless behind the (frame|mask)
word many
  in names
  say combined
form 'is no'
  in text
  match is no [a-z]
  unless there is no
  say is not a
  limit 1
END
cat >"$dir/made.c" <<'END'
static int crew_of, how_Many;
/* It stands behind
 * the mask. The crew: */
x = f("it is no pool, there are many", '"', "crews\tbehind a wall");
/* It is no end, and
 * behind it */ int crewless, behind_it;
/* there is
 * no name, and there is no other */
END
is "finds words in names and in text, but not where an exception matches" \
	"$(look "$dir/list" "$dir/made.c" | sed "s|$dir/||g" | tr '\t' '|')" \
	'crew crews|3|0|pool
@crew crews|made.c:1|static int crew_of, how_Many;
@crew crews|made.c:3|* the mask. The crew:
@crew crews|made.c:4|" it is no pool, there are many "  " crews behind a wall "
behind|2|0|after
@behind|made.c:4|" it is no pool, there are many "  " crews behind a wall "
@behind|made.c:6|* behind it
many|1|0|combined
@many|made.c:1|static int crew_of, how_Many;
'"'is no'"'|2|1|is not a
@'"'is no'"'|made.c:4|" it is no pool, there are many "  " crews behind a wall "
@'"'is no'"'|made.c:5|/*  It is no end, and'

# --- this tree

nothing "the list of words can be read" "$(cat "$dir/err")"
grep -v '^@' "$dir/found" >"$dir/counts"
while IFS=$(printf '\t') read -r word n limit instead; do
	if [ "$n" -gt "$limit" ]; then
		fail "$word: not more than $limit" "$n, write '$instead'; the first of them:" \
			"$(grep -F "@$word	" "$dir/found" | cut -f 2- | cut -c 1-150 | head -n 12)"
	else
		pass "$word: not more than $limit"
		[ "$n" -eq "$limit" ] || echo "# $n are left: lower the limit in tests/lint/words"
	fi
done <"$dir/counts"
finish
