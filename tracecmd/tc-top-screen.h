/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TOP_SCREEN_H
#define TC_TOP_SCREEN_H

#include <stdbool.h>

struct tfs_err;
struct tfs_top_page;
struct top_screen;

/** enum top_key - keys that are not characters; those below 256 are */
enum top_key {
	TOP_KEY_NONE = 0,
	TOP_KEY_ENTER = '\n',
	TOP_KEY_UP = 256,
	TOP_KEY_DOWN,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_END,
	TOP_KEY_BACKSPACE,
	TOP_KEY_ESCAPE,
	TOP_KEY_OTHER,
};

/*
 * The terminal as a screen, by ncurses. Without ncurses (tc-top-screen-none.c) there is none.
 * Whatever ends the program, the terminal is as it was before: see cli/signals.h for crashes.
 */

/** top_screen_can() - can there be one? Both ends are a terminal, which is not a dumb one */
bool top_screen_can(void);
/**
 * top_screen_open() - take the terminal over
 * @color: rows may be told apart by colours as well
 *
 * Return: 0; -EOPNOTSUPP without ncurses; -ENOTTY for a terminal that it does not know.
 */
int top_screen_open(bool color, struct top_screen **out, struct tfs_err *err);
/** top_screen_close() - give it back as it was; takes NULL */
void top_screen_close(struct top_screen *screen);
/** top_screen_size() - columns and lines, as they are now */
void top_screen_size(const struct top_screen *screen, unsigned int *width, unsigned int *height);
/** top_screen_draw() - show the page */
void top_screen_draw(struct top_screen *screen, const struct tfs_top_page *page);
/** top_screen_key() - the next key: a character or enum top_key; TOP_KEY_NONE if none is pressed */
int top_screen_key(struct top_screen *screen);
/** top_screen_resize() - the terminal has another size */
void top_screen_resize(struct top_screen *screen);
/** top_screen_pause() - give the terminal back for a while; top_screen_draw() takes it again */
void top_screen_pause(struct top_screen *screen);

#endif
