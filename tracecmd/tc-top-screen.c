/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-top-screen.h"

#include <curses.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "base/err.h"
#include "base/macros.h"
#include "cli/signals.h"
#include "top/page.h"

struct top_screen {
	SCREEN *screen;
	bool color;
};

bool top_screen_can(void)
{
	const char *term = getenv("TERM");

	return term && *term && strcmp(term, "dumb") != 0 && isatty(STDIN_FILENO) &&
	       isatty(STDOUT_FILENO);
}

/* The text that gives the terminal back if the program crashes: main screen, cursor, attributes */
static void guard(const struct termios *before)
{
	static const char *const names[] = { "sgr0", "cnorm", "rmkx", "rmcup" };
	char text[TC_SIGNALS_GUARD] = "";
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char name[8];
		const char *s;
		size_t n;

		snprintf(name, sizeof(name), "%s", names[i]);
		s = tigetstr(name);
		n = s && s != (char *)-1 ? strcspn(s, "$") : 0;
		if (n && len + n < sizeof(text)) {
			memcpy(text + len, s, n);
			len += n;
		}
	}
	text[len] = '\0';
	tc_signals_guard(STDOUT_FILENO, text, before);
}

static void choose_colors(struct top_screen *s)
{
	if (s->color && has_colors() && start_color() == OK && use_default_colors() == OK)
		init_pair(1, COLOR_CYAN, -1);
	else
		s->color = false;
}

int top_screen_open(bool color, struct top_screen **out, struct tfs_err *err)
{
	struct top_screen *s = calloc(1, sizeof(*s));
	struct termios before;

	if (!s || tcgetattr(STDIN_FILENO, &before)) {
		free(s);
		return tfs_err_set(err, -ENOTTY, "cannot use the terminal");
	}
	s->screen = newterm(NULL, stdout, stdin);
	if (!s->screen) {
		free(s);
		tfs_err_say(err, -ENOTTY, "the terminal '%s' is not known", getenv("TERM"));
		tfs_err_hint(err, "--plain prints page after page");
		return -ENOTTY;
	}
	guard(&before);
	s->color = color;
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	choose_colors(s);
	*out = s;
	return 0;
}

void top_screen_close(struct top_screen *screen)
{
	if (!screen)
		return;
	curs_set(1);
	endwin();
	delscreen(screen->screen);
	tc_signals_guard(-1, "", NULL);
	free(screen);
}

void top_screen_size(const struct top_screen *screen, unsigned int *width, unsigned int *height)
{
	(void)screen;
	*width = (unsigned int)COLS;
	*height = (unsigned int)LINES;
}

static attr_t attribute_of(const struct top_screen *s, enum tfs_top_line_kind kind)
{
	switch (kind) {
	case TFS_TOP_LINE_HEADING:
		return A_BOLD | A_UNDERLINE;
	case TFS_TOP_LINE_SELECTED:
		return A_REVERSE;
	case TFS_TOP_LINE_SILENT:
		return A_DIM;
	case TFS_TOP_LINE_HEAD:
	case TFS_TOP_LINE_BOTTOM:
		return s->color ? COLOR_PAIR(1) : A_NORMAL;
	case TFS_TOP_LINE_ROW:
		break;
	}
	return A_NORMAL;
}

void top_screen_draw(struct top_screen *screen, const struct tfs_top_page *page)
{
	erase();
	for (size_t i = 0; i < page->n && (int)i < LINES; i++) {
		const struct tfs_top_page_line *l = &page->line[i];
		attr_t attribute = attribute_of(screen, l->kind);

		attron(attribute);
		mvaddnstr((int)i, 0, page->text.s + l->start, (int)l->len);
		attroff(attribute);
	}
	refresh();
}

int top_screen_key(struct top_screen *screen)
{
	static const struct {
		int curses, key;
	} keys[] = {
		{ ERR, TOP_KEY_NONE },
		{ KEY_UP, TOP_KEY_UP },
		{ KEY_DOWN, TOP_KEY_DOWN },
		{ KEY_PPAGE, TOP_KEY_PAGE_UP },
		{ KEY_NPAGE, TOP_KEY_PAGE_DOWN },
		{ KEY_HOME, TOP_KEY_HOME },
		{ KEY_END, TOP_KEY_END },
		{ KEY_BACKSPACE, TOP_KEY_BACKSPACE },
		{ 127, TOP_KEY_BACKSPACE },
		{ 8, TOP_KEY_BACKSPACE },
		{ 27, TOP_KEY_ESCAPE },
		{ '\r', TOP_KEY_ENTER },
		{ KEY_ENTER, TOP_KEY_ENTER },
	};
	int key = getch();

	(void)screen;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i].curses == key)
			return keys[i].key;
	return key < 256 ? key : TOP_KEY_OTHER;
}

void top_screen_resize(struct top_screen *screen)
{
	struct winsize size;

	(void)screen;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
}

void top_screen_pause(struct top_screen *screen)
{
	(void)screen;
	endwin();
}
