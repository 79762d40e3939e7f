#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-probe -D on programs that are compiled here: locations, arguments, messages. The addresses are
# nm's. tests/live checks that the values are right.
#
# area: gate probe

# shellcheck disable=SC2016 # dollars are the probes'

set -u
TC_BUILDDIR=${TC_BUILDDIR:-$PWD}
TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"

probe=$(cd "$TC_BUILDDIR" && pwd)/tc-probe
[ -x "$probe" ] || skip_all "tc-probe is not built in $TC_BUILDDIR"
cc=${CC:-cc}
command -v "$cc" >/dev/null || skip_all "there is no C compiler ($cc)"
LC_ALL=C
DEBUGINFOD_URLS=
TRACECRAFT_TRACEFS=/nonexistent
export LC_ALL DEBUGINFOD_URLS TRACECRAFT_TRACEFS
tmp=$(mktemp -d "${TMPDIR:-/tmp}/tc-define.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT HUP TERM
cd "$tmp" || exit 1

# ask ARG...: what tc-probe prints, to out and err
ask() {
	"$probe" "$@" >out 2>err
}

# has DESCRIPTION FILE TEXT
has() {
	if grep -qF -e "$3" "$2"; then
		pass "$1"
	else
		fail "$1" "wanted: $3" "$(cat "$2")"
	fi
}

# address FILE SYMBOL
address() {
	nm "$1" | awk -v s="$2" '$3 == s { sub(/^0+/, "", $1); print "0x" $1; exit }'
}

cat >prog.c <<'END'
#include <stdio.h>
__attribute__((noinline)) int work(int a, const char *s) { return printf("%d %s\n", a, s); }
__attribute__((noinline)) int other(int a) { return printf("%d\n", a); }
int main(int argc, char **argv) { return work(argc, argv[0]) + other(argc) == 99; }
END
"$cc" -g -O1 -no-pie -Wl,-z,noseparate-code prog.c -o prog || skip_all "$cc does not compile"
machine=$(readelf -h prog | sed -n 's/ *Machine: *//p')

# --- a definition as the kernel lists it ---
ask -x ./prog -D 'p:mine/w=work a s'
is "an event name with a slash is refused" "$?" 1
ask -q -x ./prog -D 'mine:w=work'
place=$(sed 's/^p:mine\/w //' out)
ask -D "p:mine/w $place first=%ip:x64"
is "the kernel's own line of a program is taken, without -x too" "$(cat out)" \
	"p:mine/w $place first=%ip:x64"
ask -D "r:mine/w $place rv=\$retval:s32"
is "and of a return" "$(cat out)" "r:mine/w $place rv=\$retval:s32"
ask -D "p:mine/w $place(0x10)"
is "a counter that is not a marker's is refused: the kernel would write there" "$?" 1
has "with the reason" err "0x10 is not the counter of a marker there"
# a marker with a counter, as <sys/sdt.h> writes them
cat >marked.c <<'END'
volatile unsigned short counter __attribute__((section(".probes")));
int main(void)
{
	__asm__ volatile("990: nop\n"
			 ".pushsection .note.stapsdt, \"\", \"note\"\n"
			 ".balign 4\n"
			 ".4byte 992f - 991f, 994f - 993f, 3\n"
			 "991: .asciz \"stapsdt\"\n"
			 "992: .balign 4\n"
			 "993: .8byte 990b, 0, counter\n"
			 ".asciz \"marked\"\n"
			 ".asciz \"here\"\n"
			 ".asciz \"\"\n"
			 "994: .balign 4\n"
			 ".popsection\n");
	return counter;
}
END
"$cc" -g -O1 -no-pie marked.c -o marked
ask -q -x ./marked -D '%sdt_marked:here'
place=$(sed 's/^p:[^ ]* //' out)
has "a marker has its counter" out ')'
ask -D "p:mine/w $place"
is "and the kernel's own line for it is accepted" "$(cat out)" "p:mine/w $place"
ask -q -x ./prog -D 'mine:w=work'
place=$(sed 's/^p:mine\/w //' out)
cp prog copy
ask -x ./copy -D "p:mine/w $place"
is "a line for another program is refused" "$?" 1
has "with both names" err "/prog', not for '"
ask -D "p:mine/w $PWD/prog:0x7fffffff"
is "an offset that nothing is loaded from is refused" "$?" 1
if [ "$machine" = "Advanced Micro Devices X86-64" ]; then
	ask -D "p:mine/w ${place%:*}:$(printf '0x%x' $((${place##*:} + 1)))"
	is "an offset inside an instruction is refused" "$?" 1
	# --- $argN ---
	ask -x ./prog -D 'work $arg2:string'
	is "\$arg2 of a program is refused" "$?" 1
	has "with the register" err "%si"
fi
ask -k ./prog -D 'r12:k/w work+0 $retval'
is "the kernel's line of a return probe keeps its maxactive" "$(cat out)" \
	'r12:k/w work+0 $retval'
ask -k ./prog -D 'p:k/w xfs:work a=a:string filename=filename'
is "a line for the kernel is left as it is" "$(cat out)" 'p:k/w xfs:work a=a:string filename=filename'
ask -D 'p vfs_read $arg*' -D 'r10:w vfs_read' -D 'e sched/sched_switch p=$next_pid if next_pid > 1' \
	-D 'tprobe:sched_switch prev->comm:string' -D 'eprobe:here=sched:sched_switch p=$next_pid'
is "with the names that the kernel would give" "$(cat out)" "$(cat <<'END'
p:kprobes/p_vfs_read_0 vfs_read $arg*
r10:kprobes/w vfs_read
e:eprobes/sched_switch sched/sched_switch p=$next_pid if next_pid > 1
t:probe/sched_switch sched_switch prev->comm:string
e:probe/here sched.sched_switch p=$next_pid
END
)"
ask -k ./prog --plan plan -a 'f:k/w work'
is "a plan has no fprobes" "$?-$(grep -c 'of type fprobe' err)" 1-1
ask -D 'p:k/w vfs_read
p:k/v vfs_read'
is "two lines are refused" "$?" 1
has "and that is said" err "one line of text"
ask -x ./prog -D 'p:k/w vfs_read'
has "a line for the kernel is not for a program" err "is for the kernel"
ask -k ./prog -D 'work c=$COMM s=%si:symstr n=(file)%di->f_path.dentry->d_name.name:string +-4(%ax) +0(a):x32 $arg*'
is "fetches that the kernel knows by itself are left to it" "$(cat out)" \
	'p:probe/work work+0 c=$COMM s=%si:symstr n=(file)%di->f_path.dentry->d_name.name:string +-4(%ax) +0(a):x32 $arg*'

# --- --maxactive ---
ask -k ./prog --maxactive=30 -D 'work%return $retval'
is "--maxactive is in the definition" "$(cut -d' ' -f1 out)" 'r30:probe/work__return'
ask -k ./prog --maxactive=30 -D work
is "a probe other than a return probe has none" "$?" 1
ask -x ./prog --maxactive=30 -D 'work%return'
is "nor has one in a program" "$?" 2
ask -k ./prog --maxactive=4097 -D 'work%return'
is "nor can it exceed the kernel's limit" "$?" 2
"$probe" -q -k ./prog --maxactive=30 --plan=- -D 'work%return' >plan 2>err
if grep -q '^build-id' plan; then
	has "it is in a plan" plan "event r30:probe/work__return"
else
	skip "it is in a plan" "the linker writes no build-id"
fi

# --- a symbol that has no size, as those of kallsyms have none ---
echo '.globl sizeless
.text
sizeless: ret' | "$cc" -x assembler -c - -o size.o
"$cc" -no-pie size.o prog.c -o size
ask -x ./size -L sizeless
has "-L shows where it is" out "<sizeless> at $(address size sizeless)"
is "and does not invent a size" "$(grep -c '0 bytes' out)" 0

# --- a debug file of another build ---
strip -o bare prog
"$cc" -g -O1 -DOTHER prog.c -x c - -o wrong <<'END'
int more;
END
objcopy --only-keep-debug wrong wrong.debug
objcopy --add-gnu-debuglink=wrong.debug bare 2>/dev/null
"$cc" -g -O2 prog.c -o wrong 2>/dev/null
objcopy --only-keep-debug wrong wrong.debug
ask -x ./bare -D work
is "a function without a symbol is not found" "$?" 1
has "and names the debug file that does not fit" err "wrong.debug"

# --- lists in hints ---
ask -x ./bare -V 0x"$(readelf -h prog | sed -n 's/.*Entry point.*0x//p')"
if grep -q "tried:" err; then
	is "paths that were tried are on lines of their own" \
		"$(sed -n '/tried:$/,$p' err | sed -n '2,$p' | grep -cv '^  /')" 0
else
	skip "paths that were tried are on lines of their own" "none was tried"
fi

# --- two files of one name, at the same line ---
mkdir a b
for d in a b; do
	echo "__attribute__((noinline)) static int helper(int x) { return x * $((${#d} + 1)); } int f$d(int x) { return helper(x); }" >$d/u.c
done
echo 'int fa(int), fb(int); int main(int c, char **v) { (void)v; return fa(c) + fb(c); }' >m.c
"$cc" -g -O1 a/u.c b/u.c m.c -o two
ask -x ./two -D helper
is "functions at the same line of two files of one name are ambiguous" "$?" 1
has "which are listed with their directories" err "helper@a/u.c (line 1), helper@b/u.c (line 1)"

# --- -F of a module's file ---
echo '__attribute__((section(".gnu.linkonce.this_module"))) char module[64] = "x";' |
	cat prog.c - >ko.c
"$cc" -g -O1 -c ko.c -o x.ko
ask -F ./x.ko
is "-F FILE.ko lists the module's functions" "$(grep -cx -e work -e other out)" 2

# --- types that stand for a name in the kernel ---
cat >kern.c <<'END'
struct qstr { unsigned long hash_len; const unsigned char *name; };
struct dentry { int flags; struct dentry *d_parent; struct qstr d_name; };
struct path { void *mnt; struct dentry *dentry; };
struct file { long mode; struct path f_path; };
struct pt_regs { unsigned long di, si; };
int opened(struct file *file, struct dentry *dentry, struct pt_regs *regs) { return file->mode + dentry->flags + (int)regs->si; }
int main(void) { return 0; }
END
if [ "$machine" = "Advanced Micro Devices X86-64" ]; then
	"$cc" -g -O1 kern.c -o kern
	ask -k ./kern -D 'opened file:%pD dentry:%pd up=dentry->d_parent:%pd'
	is "%pD and %pd print names" "$(sed 's/^[^ ]* [^ ]* //' out)" \
		'file=+0(+24(+16(%di))):string dentry=+0(+24(%si)):string up=+0(+24(+8(%si))):string'
	ask -k ./kern -D 'opened regs->si:ustring n=regs->si'
	is "a number that holds an address can be text" "$(sed 's/^[^ ]* [^ ]* //' out)" \
		'si=+0(+8(%dx)):ustring n=+8(%dx):x64'
	ask -x ./kern -D 'opened x=%di:%pd'
	is "a program's register has no such type" "$?" 1
fi

# --- C++ ---
cxx=${CXX:-c++}
cat >o.cc <<'END'
#include <cstdio>
#define DUP(T) __attribute__((noinline)) int dup(T a) { return printf("%d\n", (int)a); }
#define BOTH DUP(int) DUP(long)
BOTH
namespace v { inline namespace v1 { __attribute__((noinline)) int deep(int a) { return a + 1; } } }
template <class T> __attribute__((noinline)) int tt(T a) { return printf("%d\n", (int)a); }
int main(int argc, char **) { return dup(argc) + dup(2L) + v::deep(argc) + tt(1) + tt(2L) == 99; }
END
if command -v "$cxx" >/dev/null && "$cxx" -g -O1 -no-pie o.cc -o o 2>err; then
	if grep -q '^#define HAVE_LIBIBERTY 0' "$TC_BUILDDIR/config.h"; then
		skip "overloads on one line are listed with their parameters" "libiberty is not built in"
	else
		ask -x ./o -D dup
		is "overloads that a macro puts on one line are ambiguous" "$?" 1
		has "and listed with their parameters" err \
			"dup#1 (dup(int), o.cc:4), dup#2 (dup(long), o.cc:4)"
	fi
	ask -q -x ./o -D 'dup(int)'
	is "one of them can be chosen" "$(wc -l <out)" 1
	ask -q -x ./o -D tt
	is "copies of a template are probed together" "$(wc -l <out)" 2
	ask -q -x ./o -D v::v1::deep
	cp out full
	ask -q -x ./o -D v::deep
	is "an inline namespace can be left out of a name" "$(sed 's/.* //' out)" "$(sed 's/.* //' full)"
else
	skip "C++" "there is no C++ compiler ($cxx)"
fi

# --- arrays whose rows have the length of a variable ---
cat >rows.c <<'END'
#include <stdio.h>
__attribute__((noinline)) int rows(int n, int a[n][n]) { return printf("%d %d\n", a[0][1], a[2][0]); }
int main(void) { int m[3][3] = { { 1 } }; return rows(3, m) == 99; }
END
"$cc" -g -O1 -no-pie rows.c -o rows
ask -x ./rows -D 'rows a[0][1]'
is "the first row is where the array is" "$(sed 's/.*=+\(4\)(%[a-z0-9]*).*/\1/' out)" 4
ask -x ./rows -D 'rows a[2][0]'
is "another row is refused" "$?" 1
has "because how far it is, is not known" err "'a[2][0]': [2]: how far its elements are apart is known only when the program runs"

# --- Fortran: indexes begin at 1, columns come first, and descriptors are not elements ---
cat >f.f90 <<'END'
subroutine fixed(b, m)
  integer :: b(6), m(2,3)
  print *, b(1), m(2,1)
end subroutine
subroutine moved(v)
  integer, allocatable :: v(:)
  print *, v(1)
end subroutine
program p
end program
END
if command -v gfortran >/dev/null && gfortran -g -O1 -no-pie f.f90 -o f 2>err; then
	for row in 'b[1] 0' 'b[6] 20' 'm[1][1] 0' 'm[2][1] 4' 'm[1][2] 8'; do
		ask -x ./f -D "fixed ${row% *}"
		is "the place of ${row% *}" "$(sed 's/.*=+\([0-9]*\)(.*/\1/' out)" "${row#* }"
	done
	ask -x ./f -D 'fixed b[0]'
	has "there is no element before the first" err "[0]: the array goes from 1 to 6"
	ask -x ./f -D 'moved *v'
	is "the first element is where the descriptor points to" "$(sed 's/.*=\(+0(+0(%\).*/\1/' out)" '+0(+0(%'
	ask -x ./f -D 'moved v[1]'
	is "which index it has is not known" "$?" 1
else
	skip "Fortran" "there is no gfortran"
fi

# --- the line table's prologue ends before parameters are stored, as that of ldc2 does ---
cat >early.c <<'END'
int early(int a, int b) { return a - b; }
int main(int argc, char **argv) { return early(argc, 2) == 99; }
END
case $machine in
*X86-64*)
	"$cc" -g -O0 -fno-omit-frame-pointer -S early.c -o early.s
	sed '/movl.*%edi, -[0-9]*(%rbp)/{x;s/^/x/;/^x$/{x;s/^/\t.loc 1 1 0 prologue_end\n/;b};x;}' early.s >marked.s
	"$cc" -no-pie marked.s -o early
	ask -x ./early -D 'early a b'
	at=$(sed 's/.*:0x\([0-9a-f]*\) .*/\1/' out)
	is "the probe is after the store of the last one" \
		"$(objdump -d early | grep -B1 "^ *40*$at:" | sed -n '1s/.*mov.*%esi,.*/stored/p')" stored
	ask -x ./early -D 'early $params'
	is "also with all of them" "$(sed 's/.*:0x\([0-9a-f]*\) .*/\1/' out)" "$at"
	;;
*) skip "a prologue that ends early" "written for x86-64" ;;
esac

finish
