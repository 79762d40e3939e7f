/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls whose lines are known one by one, as strace(1) would print them: they fail, take
 * numbers that nothing else has, or have one result only. Ends with exit status 7, or as the
 * argument says: "kill": by SIGKILL; "loop": never, after a line was printed; "flood": a million
 * calls.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (!strcmp(how, "kill"))
		return kill(getpid(), SIGKILL);
	if (!strcmp(how, "loop")) {
		puts("ready");
		fflush(stdout);
		for (;;) {
			close(54321);
			usleep(1000);
		}
	}
	for (int i = 0; !strcmp(how, "flood") && i < 1000000; i++)
		close(54321);
	close(12345);
	lseek(23456, 1234567, SEEK_END);
	fcntl(34567, F_GETFD);
	ftruncate(45678, 98765);
	mprotect(NULL, 0, PROT_READ | PROT_WRITE);
	_exit(7);
}
