# SPDX-License-Identifier: GPL-2.0-or-later
"""Used by t-flame.sh in a folder with flame.html, hostile.html, diff.html, folded, folded.other, stamps,
and what flame_pages.py makes: prints a line "ok NAME" or "not ok NAME" for each of its checks. Expected
numbers are of a model of the folded text."""
import sys
import urllib.parse

import webdriver


def check(name, got, want):
    if got == want:
        print(f'ok {name}', flush=True)
    else:
        print(f'not ok {name}', flush=True)
        print(f'# {name}\n got {got!r:.900}\nwant {want!r:.900}', file=sys.stderr)


def load(path):
    stacks = {}
    for line in open(path, encoding='utf-8'):
        stack, weight = line.rstrip('\n').rsplit(' ', 1)
        stacks[tuple(stack.split(';'))] = stacks.get(tuple(stack.split(';')), 0) + int(weight)
    return stacks


def lines(stacks):
    return sorted(f'{";".join(s)} {w}' for s, w in stacks.items() if w)


def total(stacks, has=lambda stack: True):
    return sum(w for s, w in stacks.items() if has(s))


def below(stacks, path):
    return total(stacks, lambda s: s[:len(path)] == path)


def callers(stacks):
    return {s[::-1]: w for s, w in stacks.items()}


def around(stacks, name):
    callees, calling = {}, {}
    for s, w in stacks.items():
        if name in s:
            at = s.index(name)
            callees[s[at + 1:]] = callees.get(s[at + 1:], 0) + w
            calling[s[:at][::-1]] = calling.get(s[:at][::-1], 0) + w
    return callees, calling


def near(a, b):
    return abs(a - b) < 0.01


def zooming(b, stacks, path):
    frame = b.run('return tc.frame(arguments[0])', ';'.join(path))
    whole = b.run("return tc.frame('')")
    check('a frame weighs what its stacks weigh', frame['total'], below(stacks, path))
    check('a frame is as wide as its share', near(frame['width'], whole['width'] * frame['total'] / total(stacks)), True)
    b.press((frame['x'], frame['y']))
    check('a click zooms to it', b.run('return tc.zoomed().total[0]'), frame['total'])
    check('it takes the whole width then', near(b.run('return tc.frame(arguments[0]).width', ';'.join(path)),
                                                whole['width']), True)
    fragment = b.run('return location.hash')
    check('the fragment names it', urllib.parse.parse_qs(fragment[1:])['zoom'], [';'.join(path)])
    b.keys('Escape')
    check('Escape zooms out by one frame', b.run('return tc.zoomed().total[0]'), below(stacks, path[:-1]))
    b.keys('0')
    check('0 resets the zoom', b.run('return tc.zoomed().total[0]'), total(stacks))
    b.run('history.go(-2)')
    b.wait(lambda: b.run('return tc.zoomed().total[0]') == frame['total'], 'the page before')
    b.click('#reset')
    check('the button resets it, too', b.run('return tc.zoomed().zoom'), [])
    return fragment


def searching(b, stacks):
    b.keys('/')
    b.type('#search', 'SCHED')
    hit = total(stacks, lambda s: any('sched' in f for f in s))
    frames = {s[:i + 1] for s in stacks for i in range(len(s)) if 'sched' in s[i]}
    check('a search counts each stack once', b.run('return tc.matched().weight'), hit)
    check('a search counts all frames', b.run('return tc.matched().frames'), len(frames))
    check('its share is shown', b.run("return document.getElementById('matched').textContent"),
          f'{100 * hit / total(stacks):.2f}% matched')
    b.run("tc.search('(')")
    check('a broken expression is searched as text', b.run('return tc.matched().weight'), 0)
    b.run("tc.search('schedule_timeout|do_wait')")
    either = total(stacks, lambda s: any('schedule_timeout' in f or 'do_wait' in f for f in s))
    check('an expression', b.run('return tc.matched().weight'), either)
    kept = {s: w for s, w in stacks.items() if any('schedule_timeout' in f or 'do_wait' in f for f in s)}
    b.click('#keep')
    check('Keep leaves the stacks that match', b.run('return tc.folded()'), lines(kept))
    b.run("tc.search('^sh$')")
    b.click('#drop')
    kept = {s: w for s, w in kept.items() if 'sh' not in s}
    check('Remove leaves the others', b.run('return tc.folded()'), lines(kept))
    fragment = b.run('return location.hash')
    b.click('#undo')
    b.click('#undo')
    check('Undo brings them back', b.run('return tc.folded()'), lines(stacks))
    return fragment, kept


def turning(b, stacks):
    up = [b.run('return tc.frame(arguments[0]).y', p) for p in ('', 'sh')]
    b.keys('i')
    down = [b.run('return tc.frame(arguments[0]).y', p) for p in ('', 'sh')]
    check('callees are above their caller, or below it', (up[0] > up[1], down[0] < down[1]), (True, True))
    b.keys('i')
    b.keys('c')
    check('Callers turns the stacks round', b.run('return tc.folded()'), lines(callers(stacks)))
    b.keys('f')
    name = 'do_syscall_64'
    path = next(s for s in stacks if name in s)
    at = ';'.join(path[:path.index(name) + 1])
    frame = b.run('return tc.frame(arguments[0])', at)
    b.press((frame['x'], frame['y']))
    b.click('#view-around')
    callees, calling = around(stacks, name)
    check('Around has what the function called',
          sorted(s for s in b.run('return tc.folded(0)')), lines({s: w for s, w in callees.items() if s}))
    check('Around has its callers', sorted(b.run('return tc.folded(1)')), lines({s: w for s, w in calling.items() if s}))
    check('both weigh the same', b.run('return tc.zoomed().total'), [total(callees)] * 2)
    b.keys('f')


def functions(b, stacks):
    own, through = {}, {}
    for s, w in stacks.items():
        own[s[-1]] = own.get(s[-1], 0) + w
        for f in {*s}:
            through[f] = through.get(f, 0) + w
    check('the table sums functions', sorted(b.run('return tc.table()')),
          sorted([f, own.get(f, 0), w] for f, w in through.items()))
    b.keys('t')
    check('its first row is the heaviest', b.run("return document.querySelector('tbody tr td.n').title"),
          f'{max(own.values())} samples')
    b.keys('t')


def copying(b, path):
    for p in path[:2]:
        b.keys('Up')
    b.run('tc.do("reset")')
    frame = b.run('return tc.frame(arguments[0])', ';'.join(path))
    b.press((frame['x'], frame['y']))
    b.keys('y')
    b.wait(lambda: b.run('return tc.copied') is not None, 'copying')
    check('the name is copied', b.run('return tc.copied'), path[-1])
    b.click('#copy-stack')
    b.wait(lambda: b.run('return tc.copied') != path[-1], 'copying')
    check('the stack is copied', b.run('return tc.copied'), ';'.join(path))
    b.keys('0')


def keyboard(b, stacks):
    b.run("document.getElementById('flame').focus()")
    b.keys('Escape')
    b.keys('Up', 'Up', 'Enter')
    heads = {s[0] for s in stacks}
    widest = max(sorted(heads), key=lambda h: below(stacks, (h,)))
    check('arrows and Enter zoom to the widest frame', b.run('return tc.zoomed().zoom'), [widest])
    b.keys('0')


def timing(b, times):
    heat, first = b.run('return tc.heat()'), min(times)
    times = [t - first for t in times]
    check('every sample is in a cell', (sum(heat['cells']), heat['start']), (len(times), str(first)))
    period, rows = heat['period'], 50
    cells = [0] * len(heat['cells'])
    for t in times:
        cells[t // period * rows + min(rows - 1, t % period * rows // period)] += 1
    check('cells are parts of a period', heat['cells'], cells)
    b.keys('s')
    box = b.run("const r = document.getElementById('heat').getBoundingClientRect();"
                'return [r.left, r.top, r.width, r.height]')
    columns = heat['columns']
    at = [(box[0] + box[2] * (c + 0.5) / columns, box[1] + box[3] * 0.5) for c in (columns // 4, columns // 2)]
    b.drag(*at)
    begin, end = (int(x) for x in b.run('return tc.zoomed().range'))
    check('a dragged range begins and ends in the cells', (begin // period, (end - 1) // period),
          (columns // 4, columns // 2))
    check('its samples are drawn', b.run('return tc.total()'), sum(begin <= t < end for t in times))
    fragment = b.run('return location.hash')
    b.click('#all-time')
    check('All draws everything', b.run('return tc.total()'), len(times))
    b.run("document.getElementById('heat').focus()")
    b.keys('Right')
    check('an arrow selects the first column', b.run('return tc.total()'), sum(t < period for t in times))
    b.keys('Right', shift=True)
    check('with Shift also the next', b.run('return tc.total()'), sum(t < 2 * period for t in times))
    b.keys('Escape')
    check('Escape selects everything', b.run('return tc.total()'), len(times))
    b.keys('s')
    return fragment, sum(begin <= t < end for t in times)


def differing(b, stacks, other):
    b.open('diff.html')
    want = sorted(f'{";".join(s)} {stacks.get(s, 0)} {other.get(s, 0)}' for s in {*stacks, *other})
    check('a difference has what both recordings have', b.run('return tc.folded()'), want)
    check('and their totals', [b.run('return tc.before()'), b.run('return tc.total()')], [total(stacks), total(other)])
    heads = sorted({s[0] for s in stacks} & {s[0] for s in other})
    frame, whole = (b.run('return tc.frame(arguments[0])', p) for p in (heads[0], ''))
    check('widths are of the one after', near(frame['width'], whole['width'] * below(other, (heads[0],)) / total(other)), True)
    # frames without weight after, below the outermost of which is drawn what they called
    after = {s[:i] for s in other for i in range(len(s) + 1)}
    vanished = {}
    for s, w in stacks.items():
        outer = next((i for i in range(len(s)) if s[:i + 1] not in after), None)
        if outer is not None:
            vanished[s[outer]] = vanished.get(s[outer], 0) + w
    got = [line.rsplit(' ', 1) for line in b.run('return tc.folded(1)')]
    check('the strip has what only the one before has', sum(int(w) for _, w in got), sum(vanished.values()))
    frame = b.run('return tc.frame(arguments[0], 1)', got[0][0].split(';')[0])
    check('in widths of that one', near(frame['width'], whole['width'] * frame['total'] / total(stacks)), True)
    b.press((frame['x'], frame['y']))
    check('the strip zooms, too', b.run('return tc.zoomed().band'), 1)
    check('a difference has no errors', b.errors(), [])


def many(b):
    with open('weights', encoding='utf-8') as f:
        large, deep = (int(line) for line in f)
    b.open('large.html')
    check('100,000 frames weigh what they weigh', b.run('return [tc.total(), tc.frame("").total]'), [large, large])
    check('only what is seen is drawn', 0 < b.run('return tc.boxes') < 20000, True)
    b.run('tc.search("function_00000[13579]")')
    check('they can be searched', 0 < b.run('return tc.matched().weight') <= large, True)
    b.keys('Escape')
    b.keys('c')
    check('turned round they weigh the same', b.run('return tc.zoomed().total'), [large])
    check('many frames cause no error', b.errors(), [])
    b.open('deep.html')
    leaf = ';'.join(['again'] * 2047 + ['leaf'])
    frame = b.run('return tc.frame(arguments[0])', leaf)
    check('a stack of 2048 frames has its leaf', (frame['path'] == leaf, frame['total']), (True, deep))
    b.run('tc.search("leaf")')
    b.keys('n')
    check('which a search brings into view', 0 < b.run('return tc.frame(arguments[0]).y', leaf) < 900, True)
    b.run('tc.search("again")')
    check('recursion counts once', b.run('return tc.matched().weight'), deep)
    b.run('tc.search("")')
    b.keys('c')
    check('its callers', b.run('return tc.frame("leaf;again;again").total'), deep)
    check('a deep stack causes no error', b.errors(), [])


def main():
    stacks = load('folded')
    times = [int(line.replace('.', '')) for line in open('stamps', encoding='utf-8')]
    path = max(stacks, key=lambda s: (len(s) < 9, stacks[s]))
    with webdriver.Browser() as b:
        b.open('flame.html')
        check('the page has the stacks', b.run('return tc.folded()'), lines(stacks))
        fragment = zooming(b, stacks, path)
        range_, in_range = timing(b, times)
        filters, kept = searching(b, stacks)
        turning(b, stacks)
        functions(b, stacks)
        copying(b, path)
        keyboard(b, stacks)
        check('no script error, no request', b.errors(), [])
        b.open('diff.html')
        b.open('flame.html', fragment)
        check('a fragment opens the same zoom', b.run('return tc.zoomed().total[0]'), below(stacks, path))
        b.open('diff.html')
        b.open('flame.html', range_)
        check('a fragment opens the same range', b.run('return tc.total()'), in_range)
        b.open('diff.html')
        b.open('flame.html', filters)
        check('a fragment opens the same filters', b.run('return tc.folded()'), lines(kept))
        b.open('hostile.html')
        check('hostile names are text', b.run('return [tc.total(), window.hacked === undefined, '
                                              'document.images.length, document.scripts.length]'),
              [total(stacks), True, 0, b.run('return document.scripts.length')])
        frame = b.run("return tc.frame(tc.folded().find(s => s.includes('<img')).replace(/ \\d+$/, ''))")
        b.press((frame['x'], frame['y']))
        b.keys('t')
        check('also in the tip and the table', b.run('return [window.hacked === undefined, document.images.length]'),
              [True, 0])
        check('hostile names cause no error', b.errors(), [])
        differing(b, stacks, load('folded.other'))
        many(b)
    check('the end', True, True)


main()
