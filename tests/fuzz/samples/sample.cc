/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As sample.c, in C++: scopes, templates, references, members that are functions. */
namespace ns
{
struct base {
	int b;
};

template <typename T> struct pair : base {
	T first;
	T &second;
	static int count;

	pair(T a, T &b) : base{ 1 }, first(a), second(b)
	{
	}

	__attribute__((noinline)) T add(const T &other)
	{
		return first + second + other + b;
	}
};

template <> int pair<long>::count = 3;

enum class mode : short { off, on };

__attribute__((noinline)) int run(pair<long> &&p, mode m)
{
	struct local {
		int x;
	} l = { static_cast<int>(m) };

	return static_cast<int>(p.add(l.x)) + pair<long>::count;
}
} // namespace ns

int use(long a)
{
	long b = a + 1;

	return ns::run(ns::pair<long>(a, b), ns::mode::on);
}
