# SPDX-License-Identifier: GPL-2.0-or-later
"""speedscope.py PACKAGE FILE.json... - what speedscope shows of files of tc-report --speedscope

PACKAGE is the unpacked npm package, which is opened from disk. For each profile of each file, the table of the view
"Sandwich" is read: the total and own weight of every function are those that the stacks in the file add up to.
"""
import base64
import collections
import json
import os
import re
import sys
import tempfile
import time

import webdriver

UNITS = {'': 1, 'ns': 1, '\u00b5s': 1e3, '\u03bcs': 1e3, 'ms': 1e6, 's': 1e9, 'min': 60e9}
CELL = re.compile(r'([0-9.,:]+)([^ 0-9]*) \(([<>]?[0-9.]+)%\)')
# Numbers are shown with three digits.
SHOWN = 0.01


def model(data, profile):
    """total and own weight of each name"""
    frames = [f['name'] for f in data['shared']['frames']]
    total, own = collections.Counter(), collections.Counter()
    for sample, weight in zip(profile['samples'], profile['weights']):
        names = [frames[i] for i in sample]
        for name in set(names):
            total[name] += weight
        own[names[-1]] += weight
    return total, own


def number(cell):
    m = CELL.fullmatch(cell.strip())
    assert m, cell
    value, unit, _ = m.groups()
    return float(value.replace(',', '')) * UNITS[unit]


def near(a, b):
    return abs(a - b) <= SHOWN * b


def check_table(text, want):
    """Rows of 'TOTAL', 'SELF', NAME; how many"""
    lines = [line.strip() for line in text.split('Symbol Name', 1)[1].strip().splitlines()]
    total, own = want
    n = 0
    for i in range(0, len(lines) - 2, 3):
        name = lines[i + 2]
        assert near(number(lines[i]), total[name]), (lines[i], name, total[name])
        assert near(number(lines[i + 1]), own[name]), (lines[i + 1], name, own[name])
        n += 1
    assert n and (n == len(total) or n > 20), (n, len(total))
    return n


def click(b, label):
    assert b.run('''for (const e of document.querySelectorAll('div'))
        for (const n of e.childNodes)
            if (n.nodeType == 3 && n.data.trim() == arguments[0]) { e.click(); return true }
        return false''', label), label


def check_file(b, package, path, script):
    with open(path, encoding='utf-8') as f:
        text = f.read()
    data = json.loads(text)
    with open(script, 'w', encoding='ascii') as f:
        f.write('speedscope.loadFileFromBase64("out.json", "%s")' %
                base64.b64encode(text.encode()).decode())
    b.goto('about:blank')
    b.goto('file://%s/dist/release/index.html#localProfilePath=%s' % (os.path.abspath(package), script))
    body = 'return document.body.innerText'
    b.wait(lambda: 'Sandwich' in b.run(body), 'the file is shown')
    click(b, 'Sandwich')
    b.wait(lambda: 'Symbol Name' in b.run(body), 'the table is shown')
    profiles, at, rows = data['profiles'], data['activeProfileIndex'], 0
    first = '(%d/%d)' % (at + 1, len(profiles))
    b.wait(lambda: len(profiles) == 1 or first in b.run(body), 'the heaviest is shown first: ' + first)
    while at > 0:
        b.keys('p')
        at -= 1
    for i, profile in enumerate(profiles):
        where = '(%d/%d)' % (i + 1, len(profiles))
        if len(profiles) > 1:
            b.wait(lambda w=where: w in b.run(body), where)
        for attempt in range(20):
            try:
                rows += check_table(b.run(body), model(data, profile))
                break
            except (AssertionError, AttributeError):
                if attempt == 19:
                    raise
                time.sleep(0.1)
        b.keys('n')
    print('ok %s: %d profiles, %d functions' % (os.path.basename(path), len(profiles), rows))


def main():
    package, files = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as tmp, \
            webdriver.Browser(arguments=('--allow-file-access-from-files',)) as b:
        for path in files:
            check_file(b, package, path, os.path.join(tmp, 'profile.js'))
    print('ok the end')


if __name__ == '__main__':
    main()
