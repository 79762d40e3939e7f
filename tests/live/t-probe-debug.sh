#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Debug information and sources are found wherever they may be: the definitions are those of the
# plain build, whose values t-probe.sh compares with what the program says.
#
# needs: root tracefs
# area: probe

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"

probe=$TC_BUILDDIR/tc-probe
[ -x "$probe" ] || skip_all "tc-probe is not built in $TC_BUILDDIR"
cc=${CC:-cc}
command -v "$cc" >/dev/null || skip_all "no C compiler"
command -v objcopy >/dev/null || skip_all "no objcopy"
unset DEBUGINFOD_URLS

# shellcheck disable=SC2317 # the trap calls it
debug_clean() {
	[ -z "${server:-}" ] || kill "$server" 2>/dev/null
	tap_clean
}
trap debug_clean EXIT

mkdir src
cat >src/prog.c <<'END'
#include <stdio.h>
struct item { int a; unsigned b : 3; const char *s; };
static int twice(int v) { return 2 * v; }
__attribute__((noinline)) int use(struct item *item, long factor)
{
	printf("%d %ld %d\n", item->a, factor, twice(item->b));
	return item->a;
}
int main(void)
{
	struct item i = { 3, 2, "x" };
	return use(&i, 7) - 3;
}
END
wanted='use item->a item->b item->s factor'

# as_plain NAME FILE: the same definition as of the plain build, but for the path
as_plain() {
	"$probe" -x "$2" -D "p:e=$wanted" -D p:m=main 2>err | sed 's/ [^ ]*:0x/ 0x/' >out
	same "$1" out plain.out
}

# build_id FILE: as in the path of its debug file
build_id() {
	readelf -n "$1" | sed -n 's|.*Build ID: \(..\)|\1/|p'
}

# built NAME FLAGS...: dir NAME with prog from it; fails if the compiler cannot
built() {
	rm -rf "$1"
	cp -r src "$1"
	what=$1
	shift
	(cd "$what" && "$compiler" -g "$@" -c prog.c && "$compiler" "$@" -Wl,--build-id prog.o -o prog) 2>/dev/null
}

for compiler in "$cc" clang; do
	command -v "$compiler" >/dev/null || { skip "$compiler" "is not here"; continue; }
	for v in 4 5; do
		c="$compiler DWARF $v"
		built plain -O1 -gdwarf-$v || { skip "$c" "does not compile"; continue; }
		"$probe" -x plain/prog -D "p:e=$wanted" -D p:m=main 2>err | sed 's/ [^ ]*:0x/ 0x/' >plain.out
		has "$c: in the file" plain.out "a=+0(%di):s32 b=+4(%di):b3@0/"
		built split -O1 -gdwarf-$v -gsplit-dwarf && as_plain "$c: split (.dwo)" split/prog
		mkdir away
		cp split/prog away/prog
		as_plain "$c: split, the program elsewhere" away/prog
		mv split/prog.dwo away
		as_plain "$c: split, the .dwo beside the program" away/prog
		mv away/prog.dwo away/other
		"$probe" -x away/prog -D "$wanted" >out 2>err
		is "$c: split without its .dwo is an error" "$?" 1
		has "$c: which says where it should be" err "$tap_dir/split/prog.dwo"
		runs "$c: a function can still be probed" "$probe" -x away/prog -D use
		if command -v llvm-dwp >/dev/null; then
			cp away/other split/prog.dwo
			llvm-dwp split/prog.dwo -o away/prog.dwp 2>/dev/null
			rm split/prog.dwo
			if "$probe" -x away/prog -D "$wanted" >out 2>err; then
				as_plain "$c: packed (.dwp)" away/prog
			else
				has "$c: packed (.dwp) is named" err "$tap_dir/away/prog.dwp"
			fi
		fi
		rm -rf away
		built z -O1 -gdwarf-$v -gz=zlib && as_plain "$c: compressed" z/prog
		cp plain/prog z/old
		objcopy --compress-debug-sections=zlib-gnu z/old && as_plain "$c: compressed (.zdebug)" z/old

		for form in none zlib zlib-gnu; do
			rm -rf link
			mkdir -p link/.debug
			objcopy --only-keep-debug --compress-debug-sections=$form plain/prog link/prog.debug
			objcopy --strip-all --add-gnu-debuglink=link/prog.debug plain/prog link/prog
			as_plain "$c: .gnu_debuglink ($form)" link/prog
			mv link/prog.debug link/.debug
			as_plain "$c: .gnu_debuglink, in .debug ($form)" link/prog
		done
		if command -v dwz >/dev/null; then
			cp plain/prog dwz1
			if dwz dwz1 2>/dev/null; then
				as_plain "$c: dwz" dwz1
				cp plain/prog dwz1
				cp plain/prog dwz2
				dwz -m "$tap_dir/dwz.alt" dwz1 dwz2 2>/dev/null &&
					as_plain "$c: dwz with a common file" dwz1
				rm -rf link
				mkdir -p link/.dwz
				objcopy --only-keep-debug plain/prog link/prog.debug
				cp link/prog.debug link/other.debug
				if (cd link && dwz -r -m .dwz/common prog.debug other.debug) 2>/dev/null; then
					objcopy --compress-debug-sections=zlib link/prog.debug
					objcopy --strip-all --add-gnu-debuglink=link/prog.debug plain/prog link/prog
					as_plain "$c: dwz with a common file beside it, compressed" link/prog
				fi
			else
				skip "$c: dwz" "it does not take what $compiler writes"
			fi
		fi
	done
done

# --- of another build

compiler=$cc
built plain -O1
built older -O0
older=$(LC_ALL=C readelf -n older/prog | sed -n 's/.*Build ID: //p')
"$probe" -x plain/prog -D "p:e=$wanted" -D p:m=main 2>err | sed 's/ [^ ]*:0x/ 0x/' >plain.out
rm -rf link
mkdir link
objcopy --only-keep-debug older/prog link/prog.debug
objcopy --strip-debug --add-gnu-debuglink=link/prog.debug plain/prog link/prog
"$probe" -x link/prog -D "$wanted" >out 2>err
is "a debug file of another build is not used" "$?" 1
has "the build-id is printed" err "$older"
"$probe" -x link/prog -D use >out 2>err
has "a wrong debug file that is not needed gets a notice" err "of another build"
# without build-ids the checksum of the link decides
"$cc" -g -O1 -Wl,--build-id=none src/prog.c -o noid
objcopy --only-keep-debug noid link/noid.debug
objcopy --strip-debug --add-gnu-debuglink=link/noid.debug noid link/noid
runs "without build-ids the checksum is compared" "$probe" -x link/noid -D "$wanted"
printf x >>link/noid.debug
"$probe" -x link/noid -D "$wanted" >out 2>err
is "and a file that was changed is not used" "$?" 1
has "the reason is printed" err "checksum"

# --- other places

id=$(LC_ALL=C readelf -n plain/prog | sed -n 's/.*Build ID: //p')
rest=${id#??}
dir=${id%"$rest"}
mkdir -p "root/usr/lib/debug/.build-id/$dir" root/opt root/usr/lib/debug/opt
objcopy --only-keep-debug plain/prog prog.debug
objcopy --strip-all plain/prog root/opt/prog
cp prog.debug "root/usr/lib/debug/.build-id/$dir/$rest.debug"
"$probe" --symfs root -x /opt/prog -D "p:e=$wanted" 2>err | sed 's/ [^ ]*:0x/ 0x/' >out
head -n 1 plain.out >one.out
same "by build-id below --symfs" out one.out
"$probe" -v --symfs root -x /opt/prog -D "$wanted" >out 2>err
has "-v prints where it was found" err "root/usr/lib/debug/.build-id/$dir/$rest.debug"
mv "root/usr/lib/debug/.build-id/$dir/$rest.debug" root/usr/lib/debug/opt/prog.debug
objcopy --add-gnu-debuglink=prog.debug root/opt/prog
"$probe" --symfs root -x /opt/prog -D "p:e=$wanted" 2>err | sed 's/ [^ ]*:0x/ 0x/' >out
same "by .gnu_debuglink below --symfs" out one.out
ln -s /opt/prog root/link
"$probe" --symfs root -x /link -D "p:e=$wanted" 2>err | sed 's/ [^ ]*:0x/ 0x/' >out
same "an absolute link below --symfs stays there" out one.out

# minidebuginfo: names of local functions, no variables
if command -v xz >/dev/null; then
	cat >>src/prog.c <<'END'
__attribute__((noinline, used)) static void hidden(void) { puts("hidden"); }
END
	"$cc" -g -O1 -rdynamic src/prog.c -o full
	nm full | awk '/ [tT] /{ print $3 }' | sort >names
	nm -D full --defined-only | awk '/ T /{ print $3 }' | sort >dynamic
	comm -23 names dynamic >keep
	objcopy --only-keep-debug full mini.debug
	objcopy -S --remove-section .gdb_index --remove-section .comment \
		--keep-symbols=keep mini.debug mini 2>/dev/null
	xz -f mini
	objcopy --strip-all --add-section .gnu_debugdata=mini.xz full full.mini
	want=$("$probe" -x full -D p:h=hidden | sed 's/.*:0x/0x/')
	is "a name of .gnu_debugdata" "$("$probe" -x full.mini -D p:h=hidden 2>err | sed 's/.*:0x/0x/')" "$want"
	"$probe" -x full.mini -D 'use factor' >out 2>err
	is "which has no variables" "$?" 1

	# what -F lists is not all there is
	objcopy --strip-all full full.stripped
	"$probe" -x full.stripped -F "*" >out 2>err
	same "-F of a stripped program lists its exports" out dynamic
	has "the message says that there is more" err "its symbol table is stripped"
	has "and where that would be" err "/usr/lib/debug/.build-id/$(build_id full.stripped)"
	"$probe" -q -x full.stripped -F >out 2>err
	is "-q does not" "$(wc -l <err)" 0
	for whole in full full.mini; do
		"$probe" -x "$whole" -F >out 2>err
		is "-F of $whole prints no notice" "$(wc -l <err)" 0
	done
	strip -o unexported plain/prog
	"$probe" -x unexported -F 'use*' >out 2>err
	is "a stripped program without the function" "$?" 1
	has "the hint says why" err "its symbol table is stripped"
fi

# a server on this machine
if command -v debuginfod >/dev/null; then
	mkdir served cache
	cp prog.debug served
	port=$((20000 + $$ % 20000))
	debuginfod -d :memory: -p $port -F served >server.log 2>&1 &
	server=$!
	export DEBUGINFOD_URLS="http://127.0.0.1:$port" DEBUGINFOD_CACHE_PATH="$tap_dir/cache"
	objcopy --strip-all plain/prog alone
	# shellcheck disable=SC2317 # wait_for runs it
	served() {
		# what the server has not scanned yet is kept there as missing
		rm -rf cache/*
		"$probe" -x alone -D use
	}
	wait_for $server served
	as_plain "debuginfod" alone
	mv plain/prog.c prog.c.served
	"$probe" -x alone -L use >lines 2>err
	is "a source that no server has is an error" "$?" 1
	mv prog.c.served plain/prog.c
	rm -rf cache/*
	"$probe" -x alone -L use >lines 2>err
	has "its source, where the path says" lines "printf"
	kill "$server"
	wait "$server"
	server=
	unset DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH
else
	skip "debuginfod" "is not installed"
fi

# --- sources

"$probe" -x plain/prog -L use >lines 2>err
has "the source where it was compiled" lines "printf(\"%d"
mkdir -p moved/sub/plain
mv plain/prog.c moved/sub/plain
"$probe" -x plain/prog -L use >lines 2>err
is "a source that was moved away is an error" "$?" 1
has "the lines that can be probed are shown" lines "      2"
has "the searched paths are printed" err "$tap_dir/plain/prog.c"
"$probe" -x plain/prog -s moved/sub -L use >lines 2>err
has "-s finds it by the end of its path" lines "printf(\"%d"
"$probe" -x plain/prog -s moved/sub -D 'e=use;*printf*' >out 2>err
is "-s serves patterns too" "$?" 0
mkdir -p "root/usr/src/debug/prog-1.0" root/opt
cp plain/prog root/opt/whole
cp -r moved/sub/plain "root/usr/src/debug/prog-1.0"
"$probe" --symfs root -x /opt/whole -L use >lines 2>err
has "below usr/src/debug" lines "printf(\"%d"

# --- nothing to be found

"$cc" -O1 -Wl,--build-id src/prog.c -o bare
"$probe" -x bare -L use >lines 2>err
is "-L without debug information is an error" "$?" 1
has "the symbol table is shown" lines "in .text"
addr=$(nm bare | awk '$3 == "use" { sub(/^0*/, "", $1); print $1 }')
size=$(nm -S bare | awk '$4 == "use" { print $2 }')
has "address and size are the symbol's" lines "<use> at 0x$addr, $((0x$size)) bytes"
id=$(LC_ALL=C readelf -n bare | sed -n 's/.*Build ID: //p')
has "the build-id is printed" err "$id"
has "the paths are printed" err "/usr/lib/debug/.build-id/"
has "the way out is printed" err "DEBUGINFOD_URLS=https://"
mkdir -p pkg/etc pkg/var/lib/dpkg/info pkg/usr/bin
cp bare pkg/usr/bin/bare
echo 'ID=debian' >pkg/etc/os-release
printf '/.\n/bin\n/bin/bare\n' >pkg/var/lib/dpkg/info/tool:amd64.list
"$probe" --symfs pkg -x /usr/bin/bare -V use >out 2>err
has "the package is named" err "tool-dbgsym"
has "and the server of the distribution" err "debuginfod.debian.net"
printf 'NAME=x\nID="rocky"\nID_LIKE="rhel centos fedora"\n' >pkg/etc/os-release
"$probe" --symfs pkg -x /usr/bin/bare -V use >out 2>err
has "by build-id where packages have that" err "/usr/lib/debug/.build-id/${id%"${id#??}"}/${id#??}.debug"
# --- a module, with a kernel beside it as perf probe takes it

cat >mod.c <<'END'
struct item { int a; unsigned long b; };
__attribute__((section(".modinfo"), used)) static const char name[] = "name=tc_mod";
__attribute__((section(".gnu.linkonce.this_module"), used)) static char this_module[64];
int mod_open(struct item *item, long flags);
int mod_open(struct item *item, long flags) { return item->a + (int)flags; }
END
"$cc" -g -O2 -fno-pic -fno-asynchronous-unwind-tables -c mod.c -o tc_mod.ko
wanted='mod_open a=item->a b=item->b flags'
"$probe" -k bare -m ./tc_mod.ko -D "$wanted" >both.out 2>err
is "-k and -m go together" "$?" 0
has "the module is looked into" both.out "tc_mod:mod_open+0 a="
if perf probe -k bare -m ./tc_mod.ko -D "$wanted" >perf.out 2>err; then
	sed -i 's/.*:mod_open+0//' both.out perf.out
	same "the arguments are perf's" both.out perf.out
else
	skip "the arguments are perf's" "no perf, or it cannot read the module"
fi
"$probe" -k ./nothing -m ./tc_mod.ko -D mod_open >out 2>err
is "a missing kernel image is an error, as in perf" "$?" 1
has "it is named" err "'./nothing'"
finish
