/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-top-screen.h"

#include <errno.h>

#include "base/err.h"

bool top_screen_can(void)
{
	return false;
}

int top_screen_open(bool color, struct top_screen **out, struct tfs_err *err)
{
	(void)color;
	(void)out;
	return tfs_err_say(err, -EOPNOTSUPP, "built without ncurses");
}

void top_screen_close(struct top_screen *screen)
{
	(void)screen;
}

void top_screen_size(const struct top_screen *screen, unsigned int *width, unsigned int *height)
{
	(void)screen;
	*width = *height = 0;
}

void top_screen_draw(struct top_screen *screen, const struct tfs_top_page *page)
{
	(void)screen;
	(void)page;
}

int top_screen_key(struct top_screen *screen)
{
	(void)screen;
	return TOP_KEY_NONE;
}

void top_screen_resize(struct top_screen *screen)
{
	(void)screen;
}

void top_screen_pause(struct top_screen *screen)
{
	(void)screen;
}
