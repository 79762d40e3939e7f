# SPDX-License-Identifier: GPL-2.0-or-later
"""Used by t-heatmap.sh in a folder with events, heat.html, heat.svg and lost.html: prints a line "ok NAME" or
"not ok NAME" for each of its checks. Expected numbers are of the system calls in events."""
import json
import re
import sys

import webdriver

COLUMNS = 40
CELLS = '''const m = tc.map, out = [];
for (let c = 0; c < m.meta.columns; c++)
	for (let r = 0; r < m.rows; r++)
		if (m.count(c, r))
			out.push([c, String(m.low(r)), String(m.low(r + 1)), m.count(c, r)]);
return out;'''


def check(name, got, want):
    if got == want:
        print(f'ok {name}', flush=True)
    else:
        print(f'not ok {name}', flush=True)
        print(f'# {name}\n got {got!r:.900}\nwant {want!r:.900}', file=sys.stderr)


def reads():
    """(end, duration) of each read"""
    begun, out = {}, []
    with open('events', encoding='utf-8') as events:
        for line in events:
            r = json.loads(line)
            if r.get('event') == 'syscalls:sys_enter_read':
                begun[r['pid']] = int(r['ts'])
            elif r.get('event') == 'syscalls:sys_exit_read' and r['pid'] in begun:
                out.append((int(r['ts']), int(r['ts']) - begun.pop(r['pid'])))
    return out


def check_cells(name, b, values, column):
    """Each value is in the cell of its column whose bounds hold it."""
    cells = [(c, int(low), int(high), n) for c, low, high, n in b.run(CELLS)]
    want = []
    for c, low, high, _ in cells:
        want.append((c, low, high, sum(column(end) == c and low <= took < high for end, took in values)))
    check(name, cells, want)
    check(f'{name}: none is missing', sum(n for _, _, _, n in cells), len(values))


def main():
    values = reads()
    first, last = min(v[0] for v in values), max(v[0] for v in values)
    width = (last - first) // COLUMNS + 1

    def column(end):
        return (end - first) // width

    with webdriver.Browser() as b:
        b.open('heat.html')
        check('the page has all values', b.run('return tc.map.meta.total'), len(values))
        check('a hostile title is text', b.run('return [window.hacked === undefined, document.images.length]'),
              [True, 0])
        check('durations beside the rows', b.run('return [999, 100000, 110000, 1500, 20000000, 3e9].map(duration)'),
              ['999 ns', '100 us', '110 us', '1.5 us', '20 ms', '3 s'])
        check_cells('rows of quarters of an octave', b, values, column)
        for name, percent in (('p50', 50), ('p99', 99)):
            want = []
            for c in range(COLUMNS):
                took = sorted(t for end, t in values if column(end) == c)
                want.append(took[-(-percent * len(took) // 100) - 1] if took else 0)
            check(f'{name} of each column', [int(n) for n in b.run(
                f'return Array.from(tc.map.columns.{name}, String)')], want)
        b.keys('l')
        check('L makes rows of equal height', b.run('return tc.map.isLinear'), True)
        check_cells('rows of equal height', b, values, column)
        b.keys('l')
        b.run("tc.map.select(0, 0)")
        b.run("document.getElementById('map').focus()")
        b.keys('\ue014')
        check('an arrow selects the next cell', b.run('return tc.map.selected'), [1, 0])
        all_of = sum(column(end) == 1 for end, _ in values)
        check('it is described', re.search(r': (\d+) of (\d+) ', b.run(
            "return document.getElementById('detail').textContent")).group(2), str(all_of))
        check('no script error, no request', b.errors(), [])
        b.open('lost.html')
        check('a loss is drawn', b.run('return tc.map.meta.gaps.length'), 1)
        check('nor with a loss', b.errors(), [])
    svg = open('heat.svg', encoding='utf-8').read()
    counts = [int(n) for n in re.findall(r': (\d+) \([\d.]+% of this time', svg)]
    check('the picture has all values', sum(counts), len(values))
    check('and no script', '<script' in svg, False)
    check('the end', True, True)


main()
