#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Classes of C++'s library that hold something else: smart pointers, optionals, arrays and vectors.
#
# needs: root tracefs uprobes
# area: probe

# shellcheck disable=SC2016 # dollars are the probes'

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"
# shellcheck source=tests/live/probe-lib.sh
. "$TC_SRCDIR/tests/live/probe-lib.sh"

cat >prog.cc <<'END'
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#define OWN __attribute__((noinline))
enum class kind { leaf, branch = 4 };
struct node { int id; kind what; double weight; std::unique_ptr<node> next; };
struct closer { void operator()(node *n) const { delete n; } };
static const char *name(kind k) { return k == kind::leaf ? "leaf" : "branch"; }
OWN int smart(std::unique_ptr<node> &u, const std::shared_ptr<node> &s, std::unique_ptr<node, closer> &c, std::unique_ptr<int[]> &a)
{
	printf("@ smart u=0x%lx id=%d what=%s weight=%g far=%d s=0x%lx sid=%d cid=%d a=%d\n", (long)u.get(), u->id, name(u->what), u->weight, u->next->id, (long)s.get(), s->id, c->id, a[1]);
	__asm__ volatile("" ::: "memory");
	return u->id;
}
OWN int rows(const std::vector<int> &v, std::vector<node> &n, std::array<short, 3> &f, std::vector<std::unique_ptr<node>> &p)
{
	printf("@ rows v=%d last=%d first=%d id=%d f={%d,%d,%d} one=%d pid=%d\n", v[0], v[2], v[0], n[1].id, f[0], f[1], f[2], f[1], p[1]->id);
	__asm__ volatile("" ::: "memory");
	return v[0];
}
struct holder { std::optional<int> o; std::optional<node> n; };
OWN int perhaps(holder *h, std::optional<kind> &k)
{
	printf("@ perhaps value=%d o=%d o_set=0x%x id=%d k=%s k_set=0x%x\n", *h->o, *h->o, h->o.has_value(), h->n->id, name(*k), k.has_value());
	__asm__ volatile("" ::: "memory");
	return *h->o;
}
static node make(int id) { return node{ id, id & 1 ? kind::leaf : kind::branch, id * 1.25, nullptr }; }
int main()
{
	for (int i = 1; i < 4; i++) {
		auto u = std::make_unique<node>(make(i));
		u->next = std::make_unique<node>(make(i + 100));
		auto s = std::make_shared<node>(make(i * 7));
		std::unique_ptr<node, closer> c(new node(make(-i)));
		std::unique_ptr<int[]> a(new int[2]{ i, i * 9 });
		smart(u, s, c, a);
		std::vector<int> v{ i, 5, -i };
		std::vector<node> n;
		n.push_back(make(1));
		n.push_back(make(i * 3));
		std::array<short, 3> f{ (short)i, (short)-i, 300 };
		std::vector<std::unique_ptr<node>> p;
		p.push_back(nullptr);
		p.push_back(std::make_unique<node>(make(i * 11)));
		rows(v, n, f, p);
		holder h{ i * 2, make(i * 5) };
		std::optional<kind> k(i & 1 ? kind::branch : kind::leaf);
		perhaps(&h, k);
	}
	return 0;
}
END

# holders NAME COMPILER OPTION...
holders() {
	holders_name=$1
	shift
	"$@" -std=c++17 -g prog.cc -o prog 2>err || { skip "$holders_name" "it does not compile"; return; }
	values "$holders_name" ./prog \
		'smart=smart u id=u->id what=u->what weight=u->weight far=u->next->id s sid=s->id cid=c->id a=a[1]' \
		'rows=rows v=v[0] last=v[2] first=*v id=n[1].id f one=f[1] pid=p[1]->id' \
		'perhaps=perhaps value=*h->o h->o id=h->n->id k'
}

cxx=${CXX:-c++}
for opt in -O0 -O2; do
	command -v "$cxx" >/dev/null && holders "$cxx $opt" "$cxx" "$opt"
	command -v clang++ >/dev/null || continue
	# without this option clang describes only the parts of libstdc++'s classes that the unit instantiates
	holders "clang++ $opt" clang++ "$opt" -fstandalone-debug
	holders "libc++ $opt" clang++ "$opt" -stdlib=libc++
done
if [ -x prog ]; then
	refuses "an array's end is known" ./prog 'rows f[3]' 'the array has 3 elements'
	refuses "an unknown member of the held type" ./prog 'smart u->nothing' "no member 'nothing'"
	refuses "a vector has no members of its elements" ./prog 'rows n.id' "no member 'id'"
	refuses "a number has no members" ./prog 'perhaps h->o.id' "no member 'id'"
else
	skip "C++" "there is no C++ compiler"
fi

finish
