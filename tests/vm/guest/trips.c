/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trips FILE - the round trips of a recording that is not compressed: trace clock, reference, bound
 *
 * Looks for records of type 1, of 56 bytes and method 3 (option 0x7c12, trace.dat(5)) anywhere in
 * the file, of this machine's byte order. Each is printed once.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SIZE 56

static char data[64 << 20];

int main(int argc, char **argv)
{
	static const unsigned char head[] = { 1, 0, SIZE, 0, 0, 0 };
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	uint64_t times[3], last = 0;
	uint32_t numbers[4];
	size_t n;

	if (!f)
		return 2;
	n = fread(data, 1, sizeof(data), f);
	for (size_t i = 0; i + sizeof(head) + SIZE <= n; i++) {
		if (memcmp(data + i, head, sizeof(head)) != 0)
			continue;
		memcpy(times, data + i + sizeof(head), sizeof(times));
		memcpy(numbers, data + i + sizeof(head) + sizeof(times), sizeof(numbers));
		if (!numbers[0] || numbers[1] != 3 || numbers[2] || numbers[3] || times[0] <= last)
			continue;
		printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", times[0], times[1], times[2]);
		last = times[0];
	}
	return fclose(f) != 0;
}
