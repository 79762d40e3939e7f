# SPDX-License-Identifier: GPL-2.0-or-later
"""flame_pages.py PAGE: makes large.html and deep.html of a page of --flame, with other columns, and
prints the weight of each: 100,000 frames, and a stack as deep as there are, with its weight on top."""
import base64
import gzip
import random
import re
import sys


def column(name, width, values):
    raw = b''.join(bytes(v >> 8 * k & 255 for v in values) for k in range(width))
    data = base64.b64encode(gzip.compress(raw)).decode()
    return f'<script type="application/x-tc" id="col-{name}.0" data-n="{len(values)}" data-w="{width}">{data}</script>\n'


def make(page, path, tree, texts):
    parents, names, weights = zip(*tree)
    columns = [column('parent', 4, [i - p for i, p in enumerate(parents)]), column('name', 4, names),
               column('self', 8, weights), column('samples', 8, weights),
               column('names', 1, ''.join(t + '\0' for t in texts).encode()), column('dsos', 1, b''),
               column('dso', 4, [0] * len(texts)), column('family', 1, [1] * len(texts)),
               column('shade', 1, [i % 8 for i in range(len(texts))])]
    page = re.sub(r'<script type="application/x-tc".*?</script>\n', '', page, flags=re.S)
    at = page.rindex('<script>\n')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(page[:at] + ''.join(columns) + page[at:])
    return sum(weights)


def main():
    with open(sys.argv[1], encoding='utf-8') as f:
        page = f.read()
    r = random.Random(1)
    tree, path, last = [(0, 0, 0)], [0], {}
    for i in range(1, 100000):
        while len(path) > 1 and (len(path) > 60 or r.random() < 0.45):
            path.pop()
        name = last[path[-1]] = last.get(path[-1], 0) + 1
        tree.append((path[-1], name, r.randrange(1, 100)))
        path.append(i)
    names = ['all'] + [f'function_{i:06d}' for i in range(1, 100000)]
    print(make(page, 'large.html', tree, names))
    deep = [(max(i - 1, 0), min(i, 1), 0) for i in range(2048)] + [(2047, 2, 7)]
    print(make(page, 'deep.html', deep, ['all', 'again', 'leaf']))


main()
