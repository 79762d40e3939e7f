# SPDX-License-Identifier: GPL-2.0-or-later
#
# components.awk ROOMS SIZES SYMBOLS - the graph of what objects need from each other: the size of each
# room, calls that go up, and the strongly connected components: sets of files that all need each other.
#
# ROOMS is tests/lint/rooms. A line of SIZES is "room lines", one of SYMBOLS "file type symbol", as
# nm -P -g has type and symbol; file is "room/name". Prints "RULE: TEXT" for each violation; all other
# lines begin with "# ".

function room(file) {
	return substr(file, 1, index(file, "/") - 1)
}

function visit(file,    i) {
	seen[file] = 1
	for (i = 1; i <= outs[file]; i++)
		if (!(out[file, i] in seen))
			visit(out[file, i])
	left[++n_left] = file
}

function gather(file, component,    i) {
	in_component[file] = component
	member[component, ++members[component]] = file
	for (i = 1; i <= ins[file]; i++)
		if (!(into[file, i] in in_component))
			gather(into[file, i], component)
}

function uses(from, to, symbol) {
	if ((from, to) in arrow)
		return
	arrow[from, to] = symbol
	out[from, ++outs[from]] = to
	into[to, ++ins[to]] = from
	n_arrows++
	if (room(from) != room(to) && !((room(from), room(to)) in may) &&
	    !((from, room(to)) in except)) {
		print "up: " from " calls " symbol "() of " to
		n_up++
	}
}

FNR == 1 { part++ }
/^#/ || NF == 0 { next }

part == 1 && $1 == "limit" {
	limit[$2] = $3
	next
}
part == 1 && $1 == "open" { next }
part == 1 && $1 == "except" {
	except[$2, $3] = 1
	next
}
part == 1 {
	name = $1
	sub(/:$/, "", name)
	above[name] = 1
	may[name, "base"] = 1
	for (i = 2; i <= NF; i++) {
		may[name, $i] = 1
		if ($i in above)
			print "rooms: " name " may not use " $i ", which is not below it"
	}
	next
}

part == 2 {
	lines[$1] += $2
	total += $2
	next
}

!($1 in is_file) {
	is_file[$1] = 1
	file[++files] = $1
}
$2 == "U" {
	n_wanted++
	wants[n_wanted] = $1
	wanted[n_wanted] = $3
	next
}
$2 != "w" && $2 != "v" { defines[$3] = $1 }

END {
	for (i = 1; i <= n_wanted; i++)
		if (wanted[i] in defines && defines[wanted[i]] != wants[i])
			uses(wants[i], defines[wanted[i]], wanted[i])
	for (name in lines)
		if (100 * lines[name] > limit["share"] * total)
			printf("share: %s has %d of %d lines: more than %d %%\n", name, lines[name],
			       total, limit["share"])
	sort = "sort -k2nr"
	for (name in lines)
		printf("# %6d lines %5.1f %%  %s\n", lines[name], 100 * lines[name] / total, name) | sort
	close(sort)

	for (i = 1; i <= files; i++)
		if (!(file[i] in seen))
			visit(file[i])
	for (i = n_left; i > 0; i--)
		if (!(left[i] in in_component)) {
			gather(left[i], ++components)
			size = members[components]
			if (size < 2)
				continue
			text = ""
			for (j = 1; j <= size; j++)
				text = text " " member[components, j]
			print "# component of " size ":" text
			if (size > limit["component"])
				print "component: " size " files need each other, at most " limit["component"] ":" text
		}
	printf "# %d objects, %d arrows, %d up\n", files, n_arrows, n_up
}
