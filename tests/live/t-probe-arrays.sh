#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Arrays of variable length (C), and those whose place, bounds and strides are in a descriptor (Fortran):
# what can be recorded is what the program says; what depends on numbers of the running program is refused.
#
# needs: root tracefs uprobes
# area: probe

# shellcheck disable=SC2016 # dollars are the probes'

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"
# shellcheck source=tests/live/probe-lib.sh
. "$TC_SRCDIR/tests/live/probe-lib.sh"

cc=${CC:-cc}
command -v "$cc" >/dev/null || skip_all "there is no C compiler ($cc)"

# never NAME DEFINITION REGEX: no argument of what would be recorded matches
never() {
	"$probe" -x ./prog -D "$2" >out 2>err
	if grep -Eq "$3" out; then
		fail "$1" "'$2' gives:" "$(cat out)"
	else
		pass "$1"
	fi
}

cat >prog.c <<'END'
#include <alloca.h>
#include <stdio.h>
#define OWN __attribute__((noinline))
/* what is found in a frame that nobody has written yet */
OWN void soil(void) { volatile long a[64]; for (int i = 0; i < 64; i++) a[i] = (long)&a[63 - i]; }
OWN int rows(int n, int a[n][n])
{
	printf("@ rows n=%d first=%d second=%d\n", n, a[0][0], a[0][1]);
	__asm__ volatile("" ::: "memory");
	return n;
}
OWN int local(int n)
{
	int v[n];
	for (int i = 0; i < n; i++)
		v[i] = i + 100;
	__asm__ volatile("" ::: "memory");
	printf("@ local v=%d w=%d\n", v[0], v[1]);
	return v[n - 1];
}
OWN int both(int n)
{
	int m = n * 2;
	int v[m];
	char *t = alloca((unsigned)m);
	v[0] = 7;
	v[1] = m;
	t[0] = 'x';
	t[1] = 0;
	__asm__ volatile("" ::: "memory");
	printf("@ both v=%d t=\"%s\"\n", v[1], t);
	__asm__ volatile("" ::: "memory");
	return v[1];
}
int main(void)
{
	int m[3][3] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } };
	for (int i = 2; i < 6; i++) {
		soil();
		CALL;
	}
	return m[0][0] != 1;
}
END
line() {
	grep -n "$1" prog.c | cut -d: -f1
}

for cc in "$cc" clang; do
	command -v "$cc" >/dev/null || { skip "$cc" "there is no $cc"; continue; }
	for opt in -O0 -O1 -O2; do
		"$cc" -g "$opt" '-DCALL=rows(3, m)' prog.c -o prog 2>err || skip_all "$cc does not compile"
		values "$cc $opt, rows" ./prog 'rows=rows n first=a[0][0] second=a[0][1]'
		refuses "$cc $opt: a row of unknown size" ./prog 'rows a[2][0]' 'known only when the program runs'
		"$cc" -g "$opt" '-DCALL=local(i)' prog.c -o prog
		values "$cc $opt, at a line" ./prog "local=prog.c:$(line '@ local') v[0] w=v[1]"
		never "$cc $opt: nothing is read of a local before it is written" 'local v[0] v[1]' 'v='
		"$probe" -x ./prog -D 'local v=&v' >out 2>err
		is "$cc $opt: its address can be had" "$(grep -c ' v=' out)" "$(grep -c '^p:' out)"
		"$cc" -g "$opt" '-DCALL=both(i)' prog.c -o prog
		never "$cc $opt: nor of all of them" 'both $vars' ' (v|t|m)='
	done
	"$cc" -g -O0 '-DCALL=both(i)' prog.c -o prog
	values "$cc -O0, alloca" ./prog "both=prog.c:$(line '@ both') v=v[1] t"
done

cat >prog.f90 <<'END'
module mm
  type :: pt
    integer :: k
    integer :: c(-2:3)
  end type
contains
  subroutine fixed(b, m, p)
    integer :: b(6), m(2,3)
    type(pt) :: p
    print '(A,I0,A,I0,A,I0,A,I0,A,I0)', '@ fixed b1=', b(1), ' b6=', b(6), ' m21=', m(2,1), ' m13=', m(1,3), ' c=', p%c(-1)
  end subroutine
  subroutine moved(v, q)
    integer, allocatable :: v(:), q(:,:)
    print '(A,I0,A,I0)', '@ moved v=', v(lbound(v,1)), ' q=', q(lbound(q,1),lbound(q,2))
  end subroutine
  subroutine shape(w, u)
    integer :: w(:), u(:,:)
    print '(A,I0,A,I0)', '@ shape w=', w(1), ' u=', u(1,1)
  end subroutine
end module
program t
  use mm
  integer, allocatable :: a(:), q(:,:)
  integer :: b(6) = (/11,12,13,14,15,16/), m(2,3)
  type(pt) :: p
  p%k = 5; p%c = (/71,72,73,74,75,76/)
  m = reshape((/21,22,23,24,25,26/), (/2,3/))
  allocate(a(-3:3), q(2,2)); a = 33; a(-3) = 32; q = 44; q(1,1) = 43
  call fixed(b, m, p)
  call moved(a, q)
  call shape(b(2::2), m(2:,:))
  call shape(b(6:1:-2), m(:,2:))
end program
END
if command -v gfortran >/dev/null; then
	for opt in -O0 -O2; do
		gfortran -g "$opt" -fno-inline prog.f90 -o prog
		values "gfortran $opt" ./prog 'fixed=fixed b1=b[1] b6=b[6] m21=m[2][1] m13=m[1][3] p.c[-1]' \
			'moved=moved v=*v q=**q' 'shape=shape w=w[1] u=u[1][1]'
		refuses "gfortran $opt: after the end" ./prog 'fixed b[7]' 'from 1 to 6'
		refuses "gfortran $opt: where a lower bound is a number of the program" ./prog 'moved v[1]' \
			'the index of the first element is known only when the program runs'
		refuses "gfortran $opt: where a stride is" ./prog 'shape w[2]' 'how far its elements are apart'
		refuses "gfortran $opt: a descriptor is not its elements" ./prog 'moved v' 'bounds are known only'
		refuses "gfortran $opt: nor with a type" ./prog 'moved v:x32[2]' 'bounds are known only'
	done
else
	skip "Fortran" "there is no gfortran"
fi

finish
