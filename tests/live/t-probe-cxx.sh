#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# C++: references, classes, overloads, templates, operators, std::string.
#
# needs: root tracefs uprobes
# area: probe

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"
# shellcheck source=tests/live/probe-lib.sh
. "$TC_SRCDIR/tests/live/probe-lib.sh"

cxx=${CXX:-g++}
command -v "$cxx" >/dev/null || skip_all "there is no C++ compiler ($cxx)"

cat >prog.cc <<'END_OF_SOURCE'
#include <cstdio>
#include <string>
#include <string_view>

#define NOINLINE __attribute__((noinline))
#define SAY(...) (printf("@ " __VA_ARGS__), putchar('\n'), fflush(stdout))

namespace ns {
struct Base {
	int bq;
	int shade = 1;
	virtual ~Base() {}
	virtual int meth(int a) { return a; }
};
struct Side { long sq; long both; };
struct Other { long both; };
struct Two : public Side, public Other { int own; };
enum class Colour : unsigned char { red = 1, green = 2 };
struct Derived : public Base, public Side {
	int dq;
	int shade = 2;
	union { int ua; unsigned char uc; };
	std::string label;
	Derived(int d);
	~Derived();
	int meth(int a) override;
	int meth(double a);
	int meth(const char *s, int b) const;
	int operator()(int v);
	bool operator<(const Derived &o) const;
	static int stat(int z);
};
NOINLINE Derived::Derived(int d) : dq(d), label("lab")
{
	bq = d * 2;
	sq = d * 3;
	ua = d * 5;
	SAY("ctor d=%d", d);
}
NOINLINE Derived::~Derived() { SAY("dtor dq=%d", dq); }
NOINLINE int Derived::meth(int a)
{
	SAY("meth a=%d dq=%d bq=%d sq=%ld shade=%d ua=%d label=\"%s\"", a, dq, bq, sq, shade, ua,
	    label.c_str());
	return a + dq;
}
NOINLINE int Derived::meth(double a) { return (int)a; }
NOINLINE int Derived::meth(const char *s, int b) const { SAY("methstr s=\"%s\" b=%d", s, b); return b; }
NOINLINE int Derived::operator()(int v) { SAY("call v=%d", v); return v; }
NOINLINE bool Derived::operator<(const Derived &o) const { SAY("less dq=%d", o.dq); return dq < o.dq; }
NOINLINE int Derived::stat(int z) { SAY("stat z=%d", z); return z; }
}

template <typename T> NOINLINE T tmax(T a, T b)
{
	if (sizeof(T) == sizeof(long))
		SAY("tlong a=%ld b=%ld", (long)a, (long)b);
	else
		SAY("tint a=%d b=%d", (int)a, (int)b);
	return a > b ? a : b;
}

NOINLINE int two(ns::Two *t) { asm volatile("" ::: "memory"); return t->own; }
NOINLINE int overl(int a) { SAY("over a=%d", a); return a; }
NOINLINE int overl(const std::string &s) { SAY("overstr s=\"%s\"", s.c_str()); return (int)s.size(); }
NOINLINE int overl(std::string_view v, int k)
{
	SAY("view v=\"%.*s\" v_len=%zu k=%d", (int)v.size(), v.data(), v.size(), k);
	return k;
}
NOINLINE int refs(int &a, int &&b, ns::Derived &d, const ns::Derived *p, ns::Colour c)
{
	SAY("refs a=%d b=%d dq=%d sq=%ld c=%s", a, b, d.dq, p->sq, c == ns::Colour::green ? "green" : "red");
	a++;
	return a + b;
}
NOINLINE int ptrs(std::string *s, std::string_view &vr, int *&pr, const char (&arr)[5])
{
	SAY("ptrs s=\"%s\" vr=\"%.*s\" vr_len=%zu pr=%d arr=\"%s\"", s->c_str(), (int)vr.size(),
	    vr.data(), vr.size(), *pr, arr);
	return 4;
}
template <class... T> NOINLINE int packed(const char *tag, T... t)
{
	SAY("packed tag=\"%s\" a=%d b=%ld c=%d", tag, t...);
	return (0 + ... + (int)t);
}
template <class... T> static inline __attribute__((always_inline)) int within(T... t)
{
	SAY("within a=%d b=%ld", t...);
	return (0 + ... + (int)t);
}
namespace {
NOINLINE int hidden(int h) { SAY("hidden h=%d", h); return h; }
}

int main(int argc, char **)
{
	int n = 40 + argc, *pn = &n;
	ns::Two pair = {};

	two(&pair);
	{
		ns::Derived d(7), e(8);
		ns::Base *b = &d;
		b->meth(5);
		d.meth(2.5);
		d.meth("text", 6);
		d(8);
		ns::Derived::stat(9);
		if (e < d)
			return 1;
		refs(n, 17, d, &d, ns::Colour::green);
	}
	tmax<int>(3 + argc, 4);
	tmax<long>(5 + argc, 6);
	std::string s = "short", t = "a string longer than sixteen characters";
	std::string_view v = std::string_view(t).substr(0, 8);
	overl(argc);
	overl(t);
	overl(v, 2);
	ptrs(&s, v, pn, "four");
	hidden(argc + 4);
	packed("pack", argc, 20L + argc, (short)(300 - argc * 500));
	{
		volatile int one = argc + 30;
		volatile long two = argc - 400L;
		int a = one;
		long b = two;

		within(a, b);
	}
	fflush(stdout);
	return 0;
}
END_OF_SOURCE

echo '#include <string_view>' >empty.cc
"$cxx" -std=c++17 -c empty.cc 2>err || skip_all "$cxx has no C++17: $(head -n 1 err)"
for compiler in "$cxx" clang++; do
	"$compiler" -std=c++17 -c empty.cc 2>/dev/null || continue
	for level in -O0 -O2; do
		name="$compiler $level"
		"$compiler" -g "$level" -std=c++17 -o prog prog.cc 2>err
		is "$name: the program is built" "$?: $(head -n 2 err)" "0: "
		# gcc does not say what a pack is called
		pack=pack
		[ "$compiler" != clang++ ] || pack=t
		values "$name" ./prog \
			'ctor=ns::Derived::Derived(int) d' \
			'dtor=ns::Derived::~Derived dq=this->dq' \
			'meth=ns::Derived::meth(int) a this->dq this->bq this->sq this->shade this->ua this->label' \
			'methstr=ns::Derived::meth(char const*, int) s b' \
			'call=ns::Derived::operator() v' \
			'less=ns::Derived::operator< o.dq' \
			'stat=Derived::stat z' \
			'tint=tmax<int> a b' 'tlong=tmax<long> a b' \
			'over=overl(int) a' 'overstr=overl(const std::string &) s' \
			'view=overl(std::string_view, int) v k' \
			'refs=refs a b d.dq p->sq c' \
			'ptrs=ptrs s=s:string vr *pr arr' \
			'hidden=hidden h' "packed=packed tag a=$pack#0 b=$pack#1 c=$pack#2" \
			"within=within a=$pack#0 b=$pack#1"
		"$probe" -q -x ./prog -D 'packed $params' >out 2>err
		has "$name: \$params has the pack" out " ${pack}_0="
		has "$name: all of it" out " ${pack}_2="
	done
done

refuses "a member that two bases have" ./prog 'two t->both' "more than one base"
strip -o stripped --strip-debug prog
if grep -qs "HAVE_LIBIBERTY 0" "$TC_BUILDDIR/config.h"; then
	skip "demangled names of symbols" "built without libiberty"
else
	"$probe" -x ./prog -F >funcs
	has "functions are listed by their names in the source" funcs "ns::Derived::meth(int)"
	has "with their parameters" funcs "overl(int)"
	defines "without debug information, by name" ./stripped 'ns::Derived::stat' \
		'^p:probe_stripped/ns_Derived_stat [^ ]*/stripped:0x[0-9a-f]+$'
	defines "without debug information, one of several" ./stripped 'overl(std::string const&)' \
		'^p:probe_stripped/overl [^ ]*/stripped:0x[0-9a-f]+$'
	refuses "without debug information, several are ambiguous" ./stripped overl \
		"overl#1 (overl(int), 0x"
	cat >names.cc <<'END'
#include <cstdlib>
#include <new>
#include <string>
void *operator new[](std::size_t n) { return malloc(n); }
struct __attribute__((visibility("default"))) C {
	virtual ~C() {}
	int get() const { return 1; }
	int get() { return 2; }
	int both() & { return 3; }
	int both() && { return 4; }
	explicit operator char const *() const { return "c"; }
	std::string tagged() { return "t"; }
	int operator+=(int n) { return n; }
};
template<typename T> T same(T a, T b) { return a == b ? a : b; }
template<typename T> T *operator+(const C &, T *t) { return t; }
int (C::*const all[])() const = { &C::get };
int (C::*const bare)() = &C::get;
int (C::*const lref)() & = &C::both;
int (C::*const rref)() && = &C::both;
auto *const conversion = +[](const C &c) { return static_cast<char const *>(c); };
template class std::allocator<C>;
std::string (C::*const tag)() = &C::tagged;
int (C::*const add)(int) = &C::operator+=;
int (*const inst)(int, int) = same<int>;
int *(*const plus)(const C &, int *) = operator+<int>;
int main(int c, char **)
{
	C o;
	delete[] new int[c];
	return (o.*all[c - 1])() + (o.*bare)() + (o.*add)(c) + inst(c, 2) + *plus(o, &c) +
	       *conversion(o) + (o.*lref)() + (C().*rref)() + (int)(o.*tag)().size();
}
END
	"$cxx" -O0 -std=c++17 names.cc -o names
	is "the program with many kinds of names is built" "$?" 0
	"$probe" -x ./names -F '*' >funcs
	for name in 'operator new[](unsigned long)' 'C::get() const' 'C::both() &&' \
		'C::tagged[abi:cxx11]()' 'std::allocator<C>::allocator()' 'C::operator char const*() const'; do
		has "-F lists $name" funcs "$name"
	done
	while IFS= read -r name; do
		"$probe" -x ./names -D "$name" >out 2>&1 || echo "$name: $(head -n 1 out)"
	done <funcs >refused
	is "names that -F lists can be used" "$(cat refused)" ""
	is "a qualifier chooses one of two" "$("$probe" -x ./names -D 'C::get() const' |
		sed 's/.*:0x//')" "$(nm names | awk '$3 == "_ZNK1C3getEv" { sub(/^0+/, "", $1); print $1 }')"
fi
defines "by its mangled name" ./stripped _ZN2ns7Derived4statEi \
	'^p:probe_stripped/[A-Za-z0-9_]+ [^ ]*/stripped:0x[0-9a-f]+$'
finish
