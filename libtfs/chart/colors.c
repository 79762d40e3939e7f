/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chart/colors.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/macros.h"
#include "base/strbuf-core.h"

/* Hues in degrees, from and to; lightness in percent on a bright background, from and to */
struct family {
	const char *name, *label;
	int hue[2], saturation, light[2];
};

enum { OTHER, USER, KERNEL, JIT, INLINED, WAKER, UNKNOWN, RED, YELLOW, GREEN, AQUA, BLUE, PURPLE };

static const struct family families[] = {
	[OTHER] = { NULL, "task", { 220, 220 }, 10, { 78, 84 } },
	[USER] = { "hot", "program", { 40, 56 }, 92, { 62, 72 } },
	[KERNEL] = { "orange", "kernel", { 14, 30 }, 88, { 62, 71 } },
	[JIT] = { NULL, "made at run time", { 95, 120 }, 50, { 62, 71 } },
	[INLINED] = { NULL, "inlined", { 174, 188 }, 50, { 64, 72 } },
	[WAKER] = { NULL, "waker", { 265, 285 }, 55, { 76, 82 } },
	[UNKNOWN] = { "grey", "no name", { 60, 60 }, 4, { 80, 86 } },
	[RED] = { "red", NULL, { 348, 364 }, 85, { 66, 75 } },
	[YELLOW] = { "yellow", NULL, { 46, 56 }, 85, { 58, 70 } },
	[GREEN] = { "green", NULL, { 105, 135 }, 48, { 60, 70 } },
	[AQUA] = { "aqua", NULL, { 172, 190 }, 52, { 60, 70 } },
	[BLUE] = { "blue", NULL, { 202, 218 }, 80, { 68, 77 } },
	[PURPLE] = { "purple", NULL, { 268, 290 }, 60, { 72, 80 } },
};

/* Those that a file's name chooses from */
static const unsigned char of_dso[] = { RED, YELLOW, GREEN, AQUA, BLUE, PURPLE };

static int refuse(const char *text, struct tfs_err *err)
{
	struct tfs_strbuf names = TFS_STRBUF_INIT;
	int rc = tfs_strbuf_adds(&names, "kind, dso");

	for (size_t i = 0; i < ARRAY_SIZE(families) && !rc; i++)
		if (families[i].name)
			rc = tfs_strbuf_addf(&names, ", %s", families[i].name);
	tfs_err_say(err, -EINVAL, "'%s' is not a choice of colors", text);
	tfs_err_hint(err, "%s", names.s);
	tfs_strbuf_release(&names);
	return -EINVAL;
}

int tfs_colors_parse(const char *text, unsigned int *scheme, struct tfs_err *err)
{
	if (!strcmp(text, "kind")) {
		*scheme = TFS_COLORS_KIND;
		return 0;
	}
	if (!strcmp(text, "dso")) {
		*scheme = TFS_COLORS_DSO;
		return 0;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(families); i++) {
		if (families[i].name && !strcmp(text, families[i].name)) {
			*scheme = TFS_COLORS_ONE + i;
			return 0;
		}
	}
	return refuse(text, err);
}

unsigned int tfs_color_families(void)
{
	return ARRAY_SIZE(families);
}

const char *tfs_color_label(unsigned int family)
{
	return families[family].label;
}

unsigned int tfs_color_family(unsigned int scheme, const struct tfs_fold_name *name)
{
	static const unsigned char of_kind[] = {
		[TFS_FRAME_OTHER] = OTHER,     [TFS_FRAME_USER] = USER,
		[TFS_FRAME_KERNEL] = KERNEL,   [TFS_FRAME_JIT] = JIT,
		[TFS_FRAME_INLINED] = INLINED, [TFS_FRAME_WAKER] = WAKER,
	};

	if (scheme >= TFS_COLORS_ONE)
		return scheme - TFS_COLORS_ONE;
	/* "[unknown]", "[libc.so.6]": code whose name nobody knows */
	if (name->kind == TFS_FRAME_USER && name->text[0] == '[')
		return UNKNOWN;
	if (scheme == TFS_COLORS_DSO && name->kind == TFS_FRAME_USER && name->dso)
		return of_dso[tfs_hash32(name->dso, strlen(name->dso)) % ARRAY_SIZE(of_dso)];
	return (size_t)name->kind < ARRAY_SIZE(of_kind) ? of_kind[name->kind] : OTHER;
}

unsigned int tfs_color_shade(const struct tfs_fold_name *name)
{
	/* the low bits of FNV-1a of short names follow their last letter */
	uint32_t hash = tfs_hash32(name->text, name->len);

	return (hash ^ hash >> 11 ^ hash >> 22) % TFS_COLOR_SHADES;
}

/* A channel of a color by hue in degrees, saturation and lightness in percent; @n is 0, 8 or 4 */
static uint32_t channel(int hue, int saturation, int light, int n)
{
	int k = (n * 30 + hue) % 360;
	int a = saturation * (light < 50 ? light : 100 - light);
	/* max(-1, min(k - 3, 9 - k, 1)) of k in twelfths of the circle, here in degrees */
	int slope = k - 90 < 270 - k ? k - 90 : 270 - k;

	if (slope > 30)
		slope = 30;
	if (slope < -30)
		slope = -30;
	return (uint32_t)((light * 100 * 30 - a * slope) * 255 / (100 * 100 * 30));
}

uint32_t tfs_color_rgb(unsigned int family, unsigned int shade, enum tfs_color_theme theme)
{
	const struct family *f = &families[family];
	int n = TFS_COLOR_SHADES - 1, s = (int)shade;
	int hue = f->hue[0] + (f->hue[1] - f->hue[0]) * s / n;
	/* not in step with the hue, so that neighbours differ */
	int light = f->light[0] + (f->light[1] - f->light[0]) * (s * 3 % TFS_COLOR_SHADES) / n;
	int saturation = f->saturation;

	if (theme == TFS_COLOR_DARK) {
		light = light * 58 / 100;
		saturation = saturation * 62 / 100;
	}
	return channel(hue, saturation, light, 0) << 16 | channel(hue, saturation, light, 8) << 8 |
	       channel(hue, saturation, light, 4);
}

uint32_t tfs_color_step(int step, enum tfs_color_theme theme)
{
	static const uint32_t same[] = { 0xe6e6e9, 0x46464d };
	static const uint32_t heavier[] = { 0xe0691c, 0xd55e00 };
	static const uint32_t lighter[] = { 0x3f95cc, 0x0072b2 };
	uint32_t from = same[theme], to = step > 0 ? heavier[theme] : lighter[theme], rgb = 0;
	int part = step < 0 ? -step : step, a, b;

	for (int shift = 0; shift <= 16; shift += 8) {
		a = (int)(from >> shift & 0xff);
		b = (int)(to >> shift & 0xff);
		/* the first step is seen at once */
		if (part)
			a += (b - a) * (part + 1) / (TFS_COLOR_STEPS + 1);
		rgb |= (uint32_t)a << shift;
	}
	return rgb;
}
