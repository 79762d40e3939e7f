#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks of the sources that need no compiler: licence lines, banned calls, sizes, and which header may
# be included where.
#
# area: gate build

set -u
cd "$TC_SRCDIR" || exit 1
. tests/lib/tap.sh

c_files=$(find libtfs tracecmd plugins tests -name '*.[ch]' | sort)
product=$(find libtfs tracecmd plugins -name '*.[ch]' | sort)
# shellcheck disable=SC2086 # no names with blanks in this tree
code=$(awk -f tests/lint/code.awk $product)
test_files=$(find tests -name '*.[ch]' | sort)
# shellcheck disable=SC2086
test_code=$(awk -f tests/lint/code.awk $test_files)
with_header=$(find libtfs tracecmd/cli -name '*.c')

# in_code PATTERN [FILE-PATTERN]: lines of the product's code, without comments and strings
in_code() {
	printf '%s\n' "$code" | grep -E "^${2:-[^:]*}:[0-9]+:.*($1)"
}

# --- licences

spdx() {
	# shellcheck disable=SC2046,SC2086
	awk 'FNR == 1 { at = /^#!/ ? 2 : 1 }
		FNR == at {
			want = FILENAME ~ /^(libtfs|plugins)\// ? "LGPL-2.1-or-later" : "GPL-2.0-or-later"
			if ($0 !~ "SPDX-License-Identifier: " want "( \\*/)?$")
				print FILENAME ": line " at " is not SPDX-License-Identifier: " want
		}
		FNR > at { nextfile }' \
		$c_files configure Makefile.in quickstart $(find tests plugins .ci -name '*.sh') \
		tests/run tests/select tests/changed tests/vm/run
}
nothing "each file names its licence" "$(spdx)"

# --- banned

word='(^|[^A-Za-z0-9_.>])'
banned="${word}(strcpy|strcat|sprintf|vsprintf|strtok|atoi|atol|gets|system|popen)[[:space:]]*\("
nothing "no banned call" "$(in_code "$banned")"
nothing "no banned call in tests" "$(printf '%s\n' "$test_code" | grep -E "^[^:]*:[0-9]+:.*$banned")"
nothing "no // comment" "$(in_code '//')"
nothing "no typedef of a struct" "$(in_code 'typedef[[:space:]]+(struct|union|enum)')"
nothing "libtfs and plugins do not end the program" \
	"$(in_code "${word}(exit|_exit|abort|raise|err|errx|assert)[[:space:]]*\(" \
		'(libtfs|plugins)/[^:]*')"
# A plugin has no other way to say that an option is wrong.
nothing "libtfs does not print" \
	"$(in_code "${word}(printf|puts|putchar|perror|vprintf|fprintf|fputs|warn|warnx)[[:space:]]*\(" \
		'libtfs/[^:]*')"
nothing "only the programs use allocators that exit" \
	"$(in_code "${word}(xcalloc|xreallocarray|xstrdup)[[:space:]]*\(|cli/xalloc\.h" \
		'(libtfs|plugins)/[^:]*')"
nothing "only cli/msg.c and cli/live.c write to stderr" \
	"$(in_code "${word}(stderr|perror)([^A-Za-z0-9_]|$)" 'tracecmd/[^:]*' |
		grep -Ev '^tracecmd/cli/(msg|live)\.c:')"
nothing "config.h macros are tested with #if" \
	"$(in_code '#[[:space:]]*(ifdef|ifndef)[[:space:]]+HAVE_|defined *\(? *HAVE_')"

nothing "options are dispatched by their table's values, not by their names" \
	"$(in_code '(cmp[[:space:]]*\(.*opt->name|opt->letter *[!=]=)' 'tracecmd/(tc|trace)-[^:]*')"

nothing "each unit test asserts something" "$(printf '%s\n' "$test_code" |
	grep -E '^tests/(unit|lib)/' | awk -f tests/lint/asserts.awk)"
nothing "each skipped unit test gives the reason" "$(printf '%s\n' "$test_code" |
	grep -E "^tests/unit/[^:]*:[0-9]+:.*${word}skip\(\)")"

# --- sizes

file_cap() {
	# shellcheck disable=SC2086
	awk '{ lines[FILENAME] = FNR }
		END {
			for (f in lines)
				if (lines[f] > 1000)
					print f ": " lines[f] " lines, at most 1000"
		}' $c_files
}
nothing "no file over 1000 lines" "$(file_cap)"

function_cap() {
	# shellcheck disable=SC2086
	awk '/^{/ { start = FNR } /^}/ && start {
		if (FNR - start + 1 > 100)
			print FILENAME ":" start ": " FNR - start + 1 " lines, at most 100"
		start = 0
	}' $c_files
}
nothing "no function over 100 lines" "$(function_cap)"
# A tab ends at the next multiple of 8.
columns_cap() {
	# shellcheck disable=SC2086
	awk '{
			width = 0
			n = split($0, part, "\t")
			for (i = 1; i <= n; i++) {
				width += length(part[i])
				if (i < n)
					width += 8 - width % 8
			}
			if (width > 100)
				print FILENAME ":" FNR ": " width " columns"
		}' $c_files
}
nothing "no line over 100 columns" "$(columns_cap)"

headers_beside() {
	for f in $with_header; do
		# One half of a pair with one header, or of a module whose files share one: type.h of type-name.c
		# and type-size.c where there is no type.c, or an internal one.
		case $f in *-none.c) continue ;; esac
		[ -f "${f%.c}.h" ] || [ -f "${f%-*}-internal.h" ] ||
			{ [ -f "${f%-*}.h" ] && [ ! -f "${f%-*}.c" ]; } ||
			echo "$f has no header beside it"
	done
}
nothing "a header beside every source file" "$(headers_beside)"

own_first() {
	# shellcheck disable=SC2086
	awk '/^#include/ { print FILENAME, $2; nextfile }' $with_header | while read -r f first; do
		own=${f#libtfs/}
		own=${own#tracecmd/}
		own=${own%.c}
		own=${own%-none}.h
		if [ ! -f "libtfs/$own" ] && [ ! -f "tracecmd/$own" ]; then
			own=${own%-*}
			[ -f "libtfs/$own.h" ] && [ ! -f "libtfs/$own.c" ] || own=$own-internal
			own=$own.h
		fi
		[ "$first" = "\"$own\"" ] || [ "$first" = '"config.h"' ] ||
			echo "$f: first include is $first, not \"$own\""
	done
}
nothing "a file's own header comes first" "$(own_first)"

# --- fences: which directories may include a library's header

# fence HEADERS-PATTERN ALLOWED-FILES-PATTERN
fence() {
	in_code "#[[:space:]]*include[[:space:]]*<($1)>" | grep -Ev "^($2)"
}
nothing "tracefs.h stays in tracefs and in hist/query-kernel.c" \
	"$(fence 'tracefs\.h' 'libtfs/tracefs/|libtfs/hist/query-kernel\.c:')"
nothing "libtraceevent's headers stay in their rooms" \
	"$(fence '(traceevent/)?(event-parse|kbuffer|trace-seq)\.h' \
		'libtfs/(tracefs|tracedat|printfmt|decode|filter|pipeline|view)/|libtfs/hist/query-kernel\.c:|plugins/')"
nothing "zlib.h stays in tracedat/compress.c and in crc32.c, gzip-none.c and inflate-none.c of base" \
	"$(fence 'zlib\.h' 'libtfs/(tracedat/compress|base/crc32|base/gzip-none|base/inflate-none)\.c:')"
nothing "libdeflate.h stays in base/inflate.c and base/gzip.c" \
	"$(fence 'libdeflate\.h' 'libtfs/base/(inflate|gzip)\.c:')"
nothing "zstd.h stays in tracedat/compress-zstd.c" "$(fence 'zstd\.h' 'libtfs/tracedat/compress-zstd\.c:')"
nothing "libelf's and libdw's headers stay in dso, insn, dwarf and probe" \
	"$(fence '(libelf|gelf|dwarf|elfutils/.*)\.h' 'libtfs/(dso|insn|dwarf|probe)/')"

# --- layers: tests/lint/rooms says what each room may use

layers() {
	printf '%s\n' "$code" | awk -F: '
	FILENAME == "tests/lint/rooms" {
		if ($0 ~ /^(#|limit |$)/)
			next
		n = split($0, word, /[: ]+/)
		if (word[1] == "except")
			except[word[2], word[3]] = 1
		else if (word[1] == "open")
			open[word[2] ".h", word[3]] = 1
		else
			for (i = 1; i <= n; i++)
				may[word[1], word[i]] = 1
		next
	}
	/#[ \t]*include[ \t]*"/ {
		n = split($1, part, "/")
		from = part[1] == "libtfs" ? part[2] : part[1] == "tracecmd" && part[2] !~ /[.]/ ? part[2] : part[1]
		file = $1
		sub(/^(libtfs|tracecmd)\//, "", file)
		sub(/\.[ch]$/, "", file)
		line = $0
		sub(/.*#[ \t]*include[ \t]*"/, "", line)
		sub(/".*/, "", line)
		if (line == "config.h")
			next
		if (line !~ /\//) {
			# A bare name: a header of the programs, or of the plugins.
			if (from != "tracecmd" && from != "plugins")
				print $1 ":" $2 ": \"" line "\" does not say which folder"
			next
		}
		to = line
		sub(/\/.*/, "", to)
		if (from == "plugins") {
			if (to != "syscalls" && to != "net")
				print $1 ":" $2 ": plugins may not include " line
		} else if (to == "base" || (from, to) in may) {
		} else if ((file, to) in except) {
			used[file, to] = 1
		} else {
			print $1 ":" $2 ": " from " may not include " line
		}
		if (line ~ /-internal\.h$/ && to != from) {
			if ((line, from) in open)
				opened[line, from] = 1
			else
				print $1 ":" $2 ": " line " is internal to " to
		}
	}
	END {
		for (pair in open)
			if (!(pair in opened)) {
				split(pair, word, SUBSEP)
				print "tests/lint/rooms: " word[2] " does not include " word[1] \
					": it is no longer open to it"
			}
		for (pair in except)
			if (!(pair in used)) {
				split(pair, word, SUBSEP)
				print "tests/lint/rooms: " word[1] " does not use " word[2] \
					": take its exception out"
			}
	}' tests/lint/rooms -
}
nothing "includes go to rooms below" "$(layers)"

# --- the build knows each file

no_row() {
	{
		find libtfs tracecmd plugins tests/lib -name '*.c' | while read -r f; do
			case $f in
			*/compress-zstd*.c | */demangle*.c | */tc-top-screen*.c | */inflate*.c | */gzip*.c) ;; # configure chooses
			*) echo "$f" ;;
			esac
		done
		find tests/unit -name 'test_*.c' | sed 's/\.c$//'
		find tests/fuzz -name 'fuzz_*.c' | sed 's,.*/\(.*\)\.c$,\1,'
	} | sort | awk 'FILENAME == "Makefile.in" {
			for (i = 1; i <= NF; i++)
				row[$i] = 1
			next
		}
		!($1 in row)' Makefile.in -
}
nothing "each source file has a row in Makefile.in" "$(no_row)"

# --- words

nothing "no word about where this was written" "$(git grep -nIE '(^|[^a-z])/work/|brief/|shared/' -- \
	. ':!tests/lint/source.sh' 2>/dev/null | head -20)"

finish
