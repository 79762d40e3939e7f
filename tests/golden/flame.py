# SPDX-License-Identifier: GPL-2.0-or-later
"""Flame graphs, read back as folded text.

    flame.py svg FILE       frames of a picture by where their boxes are
    flame.py html FILE      frames of a page by its columns
    flame.py plain          standard input, folded text, without what --folded adds to names
    flame.py diff A B       two folded texts as "stack A B"

Prints lines "frame;frame;... WEIGHT", or "... BEFORE AFTER" of a difference, sorted. A picture that
breaks its own rules (a box whose width is not its weight, a frame beside its caller) is an error.
"""
import base64
import gzip
import re
import sys
import xml.etree.ElementTree as ET

SVG = '{http://www.w3.org/2000/svg}'
WIDTH = 1180
ROW = 16


def fail(why):
    sys.exit(f'flame.py: {why}')


def boxes_of(path):
    """(name, weight, x, y, width) of each frame"""
    root = ET.parse(path).getroot()
    for e in root.iter():
        if e.tag == SVG + 'script' or any(a.lower().startswith('on') for a in e.attrib):
            fail('the picture has a script')
    for g in root.iter(SVG + 'g'):
        title, rect = g.find(SVG + 'title').text, g.find(SVG + 'rect')
        m = re.fullmatch(r'(.*) \(([\d,]+) [^ ]+, [\d.]+%(; [+-][\d.]+%)?( before; now none)?\)', title, re.S)
        if not m:
            fail(f'not a title: {title!r}')
        if not m[4]:
            yield (m[1], int(m[2].replace(',', '')), *(float(rect.get(k)) for k in ('x', 'y', 'width')))


def svg(path):
    boxes = sorted(boxes_of(path), key=lambda b: (-b[3], b[2]))
    total, bottom = boxes[0][1], boxes[0][3]
    rows, own, stacks = {}, {}, {}
    for name, weight, x, y, width in boxes:
        if abs(width - weight * WIDTH / total) > 0.06:
            fail(f'{name} weighs {weight} of {total} and is {width} wide')
        below = [b for b in rows.get(y + ROW, []) if b[0] - 0.11 <= x and x + width <= b[0] + b[1] + 0.11]
        if y != bottom and not below:
            fail(f'{name} at {x},{y} is not on its caller')
        at = max(below, key=lambda b: min(x + width / 2 - b[0], b[0] + b[1] - x - width / 2))[2] if below else ''
        stack = f'{at};{name}' if at else name
        rows.setdefault(y, []).append((x, width, stack))
        own[stack] = own.get(stack, 0) + weight
        if at:
            own[at] -= weight
    for stack, weight in own.items():
        if weight and ';' in stack:
            stacks[stack.split(';', 1)[1]] = weight
    return stacks


def columns_of(path):
    """The columns of a page, as lists of numbers, or bytes"""
    text = open(path, encoding='utf-8').read()
    blocks = {}
    for name, i, n, width, data in re.findall(r'<script type="application/x-tc" id="col-([\w-]+)\.(\d+)" '
                                              r'data-n="(\d+)" data-w="(\d+)">([^<]*)</script>', text):
        planes, n, width = gzip.decompress(base64.b64decode(data, validate=True)), int(n), int(width)
        if len(planes) != n * width:
            fail(f'column {name} has {len(planes)} bytes')
        if width == 1:
            values = planes
        else:
            values = [int.from_bytes(planes[k::n], 'little') for k in range(n)]
        if int(i):
            blocks[name] += values
        else:
            blocks[name] = values
    return blocks


def html(path):
    c = columns_of(path)
    names = c['names'].decode('utf-8', 'replace').split('\0')[:-1]
    before = c.get('self-before')
    paths, stacks = [()], {}
    for i in range(1, len(c['parent'])):
        if not 0 < c['parent'][i] <= i:
            fail(f'frame {i} is called by {i - c["parent"][i]}')
        paths.append(paths[i - c['parent'][i]] + (names[c['name'][i]],))
        own = (before[i], c['self'][i]) if before else c['self'][i]
        if own if not before else any(own):
            stacks[';'.join(paths[i])] = own
    return stacks


def folded(file):
    stacks = {}
    for line in file:
        stack, weight = line.rstrip('\n').rsplit(' ', 1)
        stack = re.sub(r'_\[[kjiw]\](?=;|$)', '', stack)
        stacks[stack] = stacks.get(stack, 0) + int(weight)
    return stacks


def diff(before, after):
    a, b = (folded(open(p, encoding='utf-8', errors='replace')) for p in (before, after))
    return {s: (a.get(s, 0), b.get(s, 0)) for s in {*a, *b}}


def main(what, *paths):
    stacks = folded(sys.stdin) if what == 'plain' else {'svg': svg, 'html': html, 'diff': diff}[what](*paths)
    lines = [f'{s} {w if isinstance(w, int) else " ".join(map(str, w))}' for s, w in stacks.items()]
    print('\n'.join(sorted(lines)))


main(*sys.argv[1:])
