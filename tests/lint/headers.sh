#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks what a change of a header costs: at most the percentage of the product's objects that "limit rebuild"
# in tests/lint/rooms has depend on it (as the compiler wrote into their .d files), and a header includes
# another one of base for a struct that it holds by value only. For a pointer a declaration is enough.
# base/strbuf.h, which declares what few need, is included where that is called.
#
# area: gate build

set -u
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT INT TERM
obj=$(cd "$TC_BUILDDIR" && pwd)/obj
cd "$TC_SRCDIR" || exit 1

# --- includes that a declaration can replace

# needless STRUCT HEADER FILE...: the files that include HEADER and only point to its struct
needless() {
	struct=$1 header=$2
	shift 2
	awk -v struct="$struct" -v line="#include \"$header\"" -v header="$header" '
		function end_file() {
			if (has && !uses)
				print file " includes " header " for a pointer: declare struct " struct
			has = uses = 0
		}
		BEGIN {
			use = "struct " struct " [a-z]|" struct "_[a-z]*[(]|enum " struct "_|" toupper(struct) "_[A-Z]"
		}
		FNR == 1 {
			end_file()
			file = FILENAME
		}
		index($0, line) == 1 { has = 1 }
		!/^(#include| \*|\/\*)/ && $0 ~ use { uses = 1 }
		END { end_file() }' "$@"
}

cat >"$dir/pointer.h" <<'END'
#include "base/strbuf-core.h"
/* a struct tfs_strbuf by pointer */
int f(struct tfs_strbuf *out);
END
cat >"$dir/value.h" <<'END'
#include "base/strbuf-core.h"
struct s {
	struct tfs_strbuf text;
};
END
is "reports a header that includes another one for a pointer" \
	"$(needless tfs_strbuf base/strbuf-core.h "$dir/pointer.h" "$dir/value.h")" \
	"$dir/pointer.h includes base/strbuf-core.h for a pointer: declare struct tfs_strbuf"
find libtfs tracecmd -name '*.h' >"$dir/headers"
for struct in strbuf strvec strmap hashmap err cursor meaning; do
	header=base/$struct.h
	[ $struct = strbuf ] && header=base/strbuf-core.h
	# shellcheck disable=SC2046
	nothing "no header includes $header for a pointer" \
		"$(needless "tfs_$struct" "$header" $(cat "$dir/headers"))"
done

# --- base/strbuf-core.h is enough for most

# unused_strbuf FILE...: the files that include base/strbuf.h and use nothing that it declares itself
unused_strbuf() {
	functions=$(sed -n 's/^.*int \(tfs_strbuf_[a-z]*\)(.*/\1/p; s/^void \(tfs_strbuf_[a-z]*\)(.*/\1/p' \
		libtfs/base/strbuf.h | paste -s -d '|')
	awk -v use="($functions)[(]" '
		function end_file() {
			if (has && !uses)
				print file " includes base/strbuf.h: base/strbuf-core.h is enough"
			has = uses = 0
		}
		FNR == 1 {
			end_file()
			file = FILENAME
		}
		/^#include "base\/strbuf\.h"/ { has = 1 }
		$0 ~ use { uses = 1 }
		END { end_file() }' "$@"
}

echo '#include "base/strbuf.h"' >"$dir/unused.h"
{
	echo '#include "base/strbuf.h"'
	echo 'int f(struct tfs_strbuf *s) { return tfs_strbuf_room(s, 1); }'
} >"$dir/used.h"
is "reports a file that includes base/strbuf.h and needs base/strbuf-core.h only" \
	"$(unused_strbuf "$dir/unused.h" "$dir/used.h")" \
	"$dir/unused.h includes base/strbuf.h: base/strbuf-core.h is enough"
# shellcheck disable=SC2046
nothing "no file includes base/strbuf.h where base/strbuf-core.h is enough" \
	"$(unused_strbuf $(find libtfs tracecmd tests -name '*.[ch]' ! -path libtfs/base/strbuf.c))"

# --- objects that are compiled again when a header is touched

# dependents HEADER: sources whose object depends on it
dependents() {
	find "$obj/libtfs" "$obj/tracecmd" -name '*.d' -exec grep -l "libtfs/$1" {} + | while read -r d; do
		source=${d#"$obj/"}
		[ ! -f "${source%.d}.c" ] || echo "${source%.d}.c"
	done
}
sed -n 's/^limit rebuild //p' tests/lint/rooms >"$dir/limits"
if [ -z "$(find "$obj/libtfs" -name '*.d' 2>/dev/null | head -1)" ]; then
	skip "touching a header rebuilds no more objects than the limit" "nothing is built"
else
	all=$(find "$obj/libtfs" "$obj/tracecmd" -name '*.d' | wc -l)
	while read -r header limit; do
		n=$(dependents "$header" | wc -l)
		name="touching $header rebuilds at most $limit percent of the objects"
		if [ $((100 * n)) -gt $((limit * all)) ]; then
			fail "$name" "it rebuilds $n of $all"
		else
			pass "$name"
			echo "# it rebuilds $n of $all"
		fi
	done <"$dir/limits"
fi
finish
