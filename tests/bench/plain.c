/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain FILE: its text line by line through a buffer of 1 MiB to the standard output: what printing
 * the lines costs when nothing has to be found out about them. The file is read beforehand.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOM (1 << 20)

static int print(const char *text, size_t size)
{
	static char out[ROOM];
	const char *end = text + size, *nl;
	size_t used = 0, len;

	for (; text < end; text = nl) {
		nl = memchr(text, '\n', (size_t)(end - text));
		nl = nl ? nl + 1 : end;
		len = (size_t)(nl - text);
		if (len > ROOM - used) {
			if (write(STDOUT_FILENO, out, used) < 0)
				return 1;
			used = 0;
		}
		if (len > ROOM)
			return 1;
		memcpy(out + used, text, len);
		used += len;
	}
	return write(STDOUT_FILENO, out, used) < 0;
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	struct stat st;
	void *text;

	if (fd < 0 || fstat(fd, &st) || st.st_size <= 0) {
		fprintf(stderr, "usage: plain FILE\n");
		return 2;
	}
	text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (text == MAP_FAILED)
		return 1;
	return print(text, (size_t)st.st_size);
}
