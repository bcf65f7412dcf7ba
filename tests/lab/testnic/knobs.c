// SPDX-License-Identifier: GPL-2.0
/* Text parameters that can be written at run time, and that do not keep the newline echo(1) adds. */
#include <linux/slab.h>
#include <linux/string.h>

#include "testnic.h"

static int text_knob_set(const char *value, const struct kernel_param *param)
{
	struct text_knob *knob = param->arg;
	size_t length = strcspn(value, "\n");

	if (length >= sizeof(knob->text))
		return -ENOSPC;
	spin_lock(&knob->lock);
	memcpy(knob->text, value, length);
	knob->text[length] = '\0';
	spin_unlock(&knob->lock);
	return 0;
}

static int text_knob_get(char *buffer, const struct kernel_param *param)
{
	struct text_knob *knob = param->arg;
	char text[sizeof(knob->text)];

	text_knob_read(knob, text, sizeof(text));
	return scnprintf(buffer, PAGE_SIZE, "%s\n", text);
}

const struct kernel_param_ops text_knob_ops = {
	.set = text_knob_set,
	.get = text_knob_get,
};

bool text_knob_read(struct text_knob *knob, char *text, size_t size)
{
	spin_lock(&knob->lock);
	strscpy(text, knob->text, size);
	spin_unlock(&knob->lock);
	return text[0] != '\0';
}
