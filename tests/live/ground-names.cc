/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that C++ looks up: as ground.c, each function says what it sees under each of them. */
#include <cstdio>

static char said[1 << 16];
static size_t used;

#define SAY(...) (used += (size_t)snprintf(said + used, sizeof(said) - used, __VA_ARGS__))
#define NUMBER(v) SAY("\t" #v "=0x%x", (unsigned int)(v))
#define OWN __attribute__((noinline))

int w = 1;
static int only = 2;
namespace {
int hidden = 3;
}
inline namespace v1 {
int deep = 4;
}

namespace aa {
int w = 11;
int mine = 12;
OWN int f(int a)
{
	SAY("aa::f");
	NUMBER(a);
	NUMBER(w);
	NUMBER(::w);
	NUMBER(mine);
	NUMBER(only);
	SAY("\n");
	return a + w++ + ::w++ + mine++ + only++;
}
}

namespace bb {
int w = 21;
struct Base {
	static int common;
	static int own;
};
int Base::common = 31;
int Base::own = 32;
struct Derived : Base {
	static int own;
	static int w;
	int m;
	OWN int g(int a)
	{
		SAY("bb::Derived::g");
		NUMBER(a);
		NUMBER(w);
		NUMBER(bb::w);
		NUMBER(::w);
		NUMBER(own);
		NUMBER(Base::own);
		NUMBER(common);
		NUMBER(aa::mine);
		SAY("\n");
		return a + m + w++ + bb::w++ + own++ + common++;
	}
};
int Derived::own = 33;
int Derived::w = 34;
OWN int f(int a)
{
	SAY("bb::f");
	NUMBER(a);
	NUMBER(w);
	NUMBER(::w);
	NUMBER(aa::w);
	NUMBER(Derived::own);
	NUMBER(bb::Base::common);
	SAY("\n");
	return a + w++;
}
namespace in {
OWN int k(int a)
{
	SAY("bb::in::k");
	NUMBER(w);
	NUMBER(deep);
	NUMBER(v1::deep);
	NUMBER(hidden);
	SAY("\n");
	return a + w++ + deep++ + hidden++;
}
}
}

namespace cc {
using namespace bb;
using aa::mine;
int other = 41;
OWN int h(int a)
{
	SAY("cc::h");
	NUMBER(mine);
	NUMBER(other);
	NUMBER(Derived::own);
	SAY("\n");
	return a + mine++ + other++;
}
}

OWN int top(int a)
{
	int w = a * 2;

	SAY("top");
	NUMBER(::w);
	NUMBER(aa::w);
	NUMBER(bb::w);
	NUMBER(deep);
	SAY("\n");
	return a + w;
}

int main(void)
{
	bb::Derived d;

	d.m = 5;
	for (int n = 1; n < 4; n++)
		aa::f(n), bb::f(n), d.g(n), bb::in::k(n), cc::h(n), top(n);
	fwrite(said, 1, used, stdout);
	return 0;
}
