#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Files that a stranger made, and what they name: FIFOs and devices are not opened, what is large or
# becomes large is not read, and what is honest is found as ever.
#
# area: gate report

# shellcheck source=tests/hostile/lib.sh
. "${TC_SRCDIR:-$(dirname "$0")/../..}/tests/hostile/lib.sh"

for tool in objcopy strip xz gzip truncate; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done
cat >prog.c <<'END'
int global = 3;
__attribute__((noinline)) int use(int value, const char *name)
{
	return value + name[0] + global;
}
int main(int argc, char **argv)
{
	return use(argc, argv[0]) < 0;
}
END
"$cc" -g -O2 -Wl,--build-id=none -o prog prog.c 2>/dev/null || skip_all "$cc does not compile"
"$cc" -g -O2 -Wl,--build-id=sha1 -o prog.id prog.c

# ends NAME STATUS TEXT COMMAND...: it ends soon, with this status and text
ends() {
	what=$1 status=$2 text=$3
	shift 3
	bounded "$@"
	is "$what: it ends" "$?" "$status"
	[ -z "$text" ] || has "$what: it says why" err "$text"
}

# --- the file itself
mkfifo fifo
ln -s fifo to-fifo
for option in -x -k -m; do
	ends "a FIFO for $option" 1 'it is not a regular file' "$probe" $option ./fifo -F
done
ends "a link to a FIFO" 1 'it is not a regular file' "$probe" -x ./to-fifo -F
ends "a device" 1 'it is not a regular file' "$probe" -x /dev/zero -F
ends "a file of /proc" 1 'it is not a regular file' "$probe" -x /proc/self/maps -F
ends "a directory" 1 'it is a directory' "$probe" -x ./ -F
truncate -s 1T large
ends "a sparse file" 1 'not an ELF file' "$probe" -x ./large -F

# --- .gnu_debuglink
objcopy --only-keep-debug prog prog.debug
strip -g -o linked prog
objcopy --add-gnu-debuglink=prog.debug linked
bounded "$probe" -x ./linked -D 'use value'
is "an honest debug file is used, found by its checksum" "$?-$(grep -c 'value=' out)" 0-1
cp prog.debug kept
printf 'x' >>prog.debug
ends "a wrong checksum" 1 'its checksum differs' "$probe" -x ./linked -D 'use value'
for bad in fifo /dev/zero large; do
	rm prog.debug
	ln -s $bad prog.debug
	ends "debug file: $bad" 1 'no debug information' "$probe" -x ./linked -D 'use value'
	has "debug file: $bad: it is named" err "prog.debug' is"
done
ends "-F with such a debug file" 0 '' "$probe" -x ./linked -F
cp kept prog.id.debug
objcopy --only-keep-debug prog.id prog.id.debug
strip -g -o linked.id prog.id
objcopy --add-gnu-debuglink=prog.id.debug linked.id
rm prog.id.debug
ln -s fifo prog.id.debug
ends "a FIFO where a build-id is" 1 'no debug information' "$probe" -x ./linked.id -D 'use value'

# --- .dwo files
for version in 4 5; do
	mkdir -p split$version beside$version
	(cd split$version && "$cc" -g -gdwarf-$version -gsplit-dwarf -O2 -c -o prog.o ../prog.c &&
		"$cc" -o prog prog.o) 2>/dev/null
	[ -e split$version/prog.dwo ] || {
		skip "DWARF $version: .dwo files" "$cc makes none"
		continue
	}
	bounded "$probe" -x split$version/prog -D 'use value name'
	is "DWARF $version: a .dwo is read" "$?-$(grep -c 'value=' out)" 0-1
	cp split$version/prog beside$version/other
	bounded "$probe" -x beside$version/other -D 'use value'
	is "DWARF $version: found in the compilation directory" "$?-$(grep -c 'value=' out)" 0-1
	mv split$version/prog.dwo good.dwo
	cp good.dwo beside$version/prog.dwo
	bounded "$probe" -x beside$version/other -D 'use value'
	is "DWARF $version: found beside the program" "$?-$(grep -c 'value=' out)" 0-1
	for bad in fifo /dev/zero large; do
		ln -sf "$(cd "$(dirname $bad)" && pwd)/${bad##*/}" split$version/prog.dwo
		ends "DWARF $version: .dwo: $bad" 1 'prog.dwo' "$probe" -x split$version/prog -D 'use value'
		ends "DWARF $version: -V, .dwo: $bad" 1 '' "$probe" -x split$version/prog -V use
	done
	# another unit's, and then the right one where it was compiled
	printf 'int other;\n' >x.c
	"$cc" -g -gdwarf-$version -gsplit-dwarf -O2 -c -o x.o x.c
	mv x.dwo beside$version/prog.dwo
	rm split$version/prog.dwo
	mv good.dwo split$version/prog.dwo
	bounded "$probe" -x beside$version/other -D 'use value'
	is "DWARF $version: one of another unit is ignored" "$?-$(grep -c 'value=' out)" 0-1
done
# an absolute name, by an object that says where its .dwo is
if "$cc" -g -gsplit-dwarf -O2 -c -o "$tmp/abs.o" -dumpdir "$tmp/" prog.c 2>/dev/null &&
	"$cc" -o abs abs.o 2>/dev/null; then
	for dwo in *.dwo; do
		rm "$dwo"
		mkfifo "$dwo"
	done
	ends "a .dwo with an absolute name, a FIFO" 1 '' "$probe" -x ./abs -D 'use value'
fi

# --- what dwz moved elsewhere: a name that is in another file
cat >alt.s <<'END'
	.section .debug_abbrev,"",@progbits
	.byte 1, 0x11, 0		# unit, no children
	.byte 3
	.uleb128 0x1f21			# its name is in the other file
	.byte 0x13, 0x0b, 0, 0, 0
	.section .debug_info,"",@progbits
	.long 2f - 1f
1:	.short 4
	.long 0
	.byte 8
	.uleb128 1
	.long 0
	.byte 12
2:
	.section .gnu_debugaltlink,"",@progbits
	.asciz "alt"
	.fill 20, 1, 0x5a
END
"$cc" -Wl,--build-id=none -o alt-prog prog.c alt.s 2>/dev/null
for bad in fifo /dev/zero large; do
	ln -sf $bad alt
	ends "a dwz file elsewhere: $bad" 0 '' "$probe" -x ./alt-prog -F
	ends "-D, a dwz file elsewhere: $bad" 1 '' "$probe" -x ./alt-prog -D 'use value'
done
if command -v dwz >/dev/null; then
	for n in 1 2; do
		cat >dwz$n.c <<-END
		#include <stdio.h>
		#include <sys/stat.h>
		struct item { long first; struct item *next; struct stat st; FILE *f; };
		__attribute__((noinline)) long use(struct item *item)
		{
			return item->next->first + fprintf(item->f, "$n");
		}
		int main(int argc, char **argv)
		{
			struct item a = { argc, &a, { 0 }, stderr };
			return argv && use(&a) < $n;
		}
		END
		"$cc" -g -O2 -o dwz$n dwz$n.c
	done
	dwz -m common dwz1 dwz2 2>/dev/null
	bounded "$probe" -x ./dwz1 -D 'use item->next->first'
	is "the dwz file is found" "$?-$(grep -c 'first=' out)-$(wc -c <err)" 0-1-0
	mkdir elsewhere
	mv common elsewhere
	ln -s "$tmp/fifo" common
	ends "and is not if it is a FIFO" 1 '' "$probe" -x ./dwz1 -D 'use item->next->first'
else
	skip "the dwz file is found" "dwz is not installed"
fi

# --- sources
truncate -s 30G sparse.c
for source in /proc/kmsg "$tmp/fifo" "$tmp/sparse.c" /dev/zero /proc/self/maps; do
	{
		printf '#line 1 "%s"\n' "$source"
		cat prog.c
	} >named.c
	"$cc" -g -O2 -o named named.c
	ends "a source called $source" 1 'cannot read the source' "$probe" -x ./named -L use
	ends "a pattern of $source" 1 'cannot read the source' "$probe" -x ./named -D 'use;return*'
done
bounded "$probe" -x ./prog -L use
is "an honest source is shown" "$?-$(grep -c 'return value + name' out)" 0-1

# --- what expands
strip -s -o bomb prog
head -c 300000000 /dev/zero | xz -1 >zeros.xz
objcopy --add-section .gnu_debugdata=zeros.xz bomb
ends "a symbol table out of proportion" 1 'expands out of all proportion' \
	"$probe" -x ./bomb -D use
ends "-F of it" 1 'expands out of all proportion' "$probe" -x ./bomb -F
strip -g -o mini.elf prog
xz -k mini.elf
strip -s -o mini prog
objcopy --add-section .gnu_debugdata=mini.elf.xz mini
bounded "$probe" -x ./mini -D use
is "an honest symbol table is read" "$?-$(grep -c 'probe_mini/use' out)" 0-1
ends "a compressed file out of proportion" 1 'out of all proportion' "$probe" -x ./zeros.xz -F
head -c 600000000 /dev/zero | gzip -1 >zeros.gz
ends "a gzip file out of proportion" 1 'out of all proportion' "$probe" -x ./zeros.gz -F
finish
