# SPDX-License-Identifier: GPL-2.0-or-later
#
# C source in, the same lines out without comments and with strings emptied: what greps may look at.
# "FILE:LINE:" is put before each line.

function strip(line,    out, c, i) {
	out = ""
	for (i = 1; i <= length(line); i++) {
		c = substr(line, i, 1)
		if (in_comment) {
			if (c == "*" && substr(line, i + 1, 1) == "/") {
				in_comment = 0
				i++
			}
		} else if (quote) {
			if (c == "\\")
				i++
			else if (c == quote) {
				quote = ""
				out = out c
			}
		} else if (c == "/" && substr(line, i + 1, 1) == "*") {
			in_comment = 1
			i++
		} else if (c == "\"" || c == "'") {
			quote = c
			out = out c
		} else {
			out = out c
		}
	}
	quote = ""
	return out
}

FNR == 1 { in_comment = 0 }
# The operand of #include is not a string.
/^[ \t]*#[ \t]*include/ && !in_comment { print FILENAME ":" FNR ":" $0; next }
{ print FILENAME ":" FNR ":" strip($0) }
