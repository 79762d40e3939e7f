/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/cpus.h"

#include <errno.h>

#include "base/err.h"

static int fault(struct tfs_err *err, const char *s, const char *at)
{
	if (*at)
		tfs_err_say(err, -EINVAL, "'%s' is not a list of CPUs: unexpected '%s'", s, at);
	else
		tfs_err_say(err, -EINVAL, "'%s' is not a list of CPUs: a number is missing", s);
	tfs_err_input(err, s, (int)(at - s));
	tfs_err_hint(err, "write numbers and ranges with commas between them, as in 0-3,8");
	return -EINVAL;
}

/* Steps @at over a number; @s is the whole text, for the error. */
static int take_cpu(const char *s, const char **at, unsigned int *cpu, struct tfs_err *err)
{
	const char *p = *at;
	unsigned int n = 0;

	if (*p < '0' || *p > '9')
		return fault(err, s, p);
	for (; *p >= '0' && *p <= '9'; p++) {
		n = n * 10 + (unsigned int)(*p - '0');
		if (n < TFS_CPUS_MAX)
			continue;
		tfs_err_say(err, -ERANGE, "'%s': no CPU has a number above %d", s,
			    TFS_CPUS_MAX - 1);
		tfs_err_input(err, s, (int)(*at - s));
		return -ERANGE;
	}
	*at = p;
	*cpu = n;
	return 0;
}

int tfs_cpus_parse(const char *s, struct tfs_cpus *out, struct tfs_err *err)
{
	struct tfs_cpus cpus = { { 0 } };
	const char *p = s, *start;
	unsigned int first, last;
	int rc;

	for (;;) {
		start = p;
		rc = take_cpu(s, &p, &first, err);
		if (rc)
			return rc;
		last = first;
		if (*p == '-') {
			p++;
			rc = take_cpu(s, &p, &last, err);
			if (rc)
				return rc;
		}
		if (last < first) {
			tfs_err_say(err, -EINVAL, "'%s': the range %u-%u runs backwards", s, first,
				    last);
			tfs_err_input(err, s, (int)(start - s));
			return -EINVAL;
		}
		for (; first <= last; first++)
			tfs_cpus_add(&cpus, first);
		if (*p != ',' && *p != ':')
			break;
		p++;
	}
	if (*p == '\n' && !p[1])
		p++;
	if (*p)
		return fault(err, s, p);
	*out = cpus;
	return 0;
}

void tfs_cpus_add(struct tfs_cpus *cpus, unsigned int cpu)
{
	if (cpu < TFS_CPUS_MAX)
		cpus->bits[cpu / 8] |= (unsigned char)(1u << (cpu % 8));
}

bool tfs_cpus_has(const struct tfs_cpus *cpus, unsigned int cpu)
{
	return cpu < TFS_CPUS_MAX && (cpus->bits[cpu / 8] & (1u << (cpu % 8)));
}

unsigned int tfs_cpus_count(const struct tfs_cpus *cpus)
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < sizeof(cpus->bits); i++)
		n += (unsigned int)__builtin_popcount(cpus->bits[i]);
	return n;
}
