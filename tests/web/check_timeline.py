# SPDX-License-Identifier: GPL-2.0-or-later
"""check_timeline.py FOLDER: uses pages of tc-report --html, and compares what they say then with numbers
of tc-report --json of the same recording."""
import collections
import os
import re
import sys

import tap
import webdriver
from recording import Recording, inside, report

CHART = "document.getElementById('chart').getBoundingClientRect()"


class Page:
    def __init__(self, browser, path, *args):
        self.b, self.recording = browser, Recording(path)
        report('--html', 'page.html', '-i', path, *args)
        browser.open('page.html')
        box = browser.run(f'const r = {CHART}; return [r.left, r.top, r.width, r.height]')
        self.left, self.top, self.width = box[0] + 168, box[1], box[2] - 168

    def view(self):
        return self.b.run('return [tc.view.begin, tc.view.end]')

    def x_of(self, t):
        begin, end = self.view()
        return self.left + (t - begin) / (end - begin) * self.width

    def frame(self):
        """until what was asked for is drawn"""
        self.b.run('return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')

    def search(self, text):
        return self.b.run('return tc.search(arguments[0]).then(hits => hits && Array.from(hits))', text)


def zoom(p):
    b, r = p.b, p.recording
    b.keys('f')
    p.frame()
    begin, end = p.view()
    length = r.events[-1]['ts'] - r.base
    tap.ok(begin <= 0 and end >= length, 'shows all of the recording', p.view(), length)
    b.press((p.left + 300, p.top + 5))
    b.keys('w')
    p.frame()
    at = begin + 300 / p.width * (end - begin)
    new = p.view()
    tap.ok(abs((new[1] - new[0]) - (end - begin) * 0.75) < 1, 'W shows three quarters', new)
    tap.ok(abs(p.x_of(at) - p.left - 300) < 1, 'what is at the mouse stays there', p.x_of(at))
    b.scroll((p.left + 300, p.top + 60), -200, control=True)
    p.frame()
    last = p.view()
    tap.ok(abs((last[1] - last[0]) - (new[1] - new[0]) / 2) < 1, 'Ctrl + wheel zooms', last)
    b.keys('d')
    p.frame()
    moved = p.view()
    tap.ok(abs(moved[0] - last[0] - 0.12 * (last[1] - last[0])) < 1, 'D moves right', moved)
    for _ in range(8):
        b.keys(*['w'] * 12)
    p.frame()
    begin, end = p.view()
    tap.same(round(end - begin), 20, 'zooms to nanoseconds')
    b.keys('0', 'f')
    b.run('tc.view.fit()')
    p.frame()


def search(p):
    b, events = p.b, p.recording.events
    for query, want in [
            ('event:sched_switch', lambda e: e['name'] == 'sched_switch'),
            ('event:sched:sched_wak*,irq:*', lambda e: e['name'].startswith('sched_wak') or e['system'] == 'irq'),
            ('event:sched_switch cpu:1', lambda e: e['name'] == 'sched_switch' and e['cpu'] == 1),
            ('-event:sched_* cpu:0-3', lambda e: not e['name'].startswith('sched_')),
            (f"task:{events[0]['pid']}", lambda e: e['pid'] == events[0]['pid'])]:
        tap.same(p.search(query), [i for i, e in enumerate(events) if want(e)], f'finds {query}')
    texts = p.recording.texts()
    word = '==> ' + p.recording.switches()[5]['fields']['next_comm']
    tap.same(p.search(f'text:"{word}"'), [i for i, t in enumerate(texts) if word.lower() in t],
             f'finds "{word}" in texts')
    tap.same(b.run("return tc.search('cpu:x')"), None, 'refuses what is not a list of CPUs')
    tap.same(b.run("return document.getElementById('hits').textContent"),
             "'x' is not a list of CPUs (0-3,7)", 'and says why')
    # typed, with keys
    b.keys('Escape')
    b.keys('/')
    b.type('#search', 'event:sched_wakeup_new')
    want = [i for i, e in enumerate(events) if e['name'] == 'sched_wakeup_new']
    b.wait(lambda: b.run('return tc.app.hits && tc.app.hits.length') == len(want), 'hits')
    b.run('tc.view.fit()')
    b.keys('Enter')
    tap.same(b.run('return tc.selection.event'), want[0], 'Enter goes to the first')
    b.keys('Enter')
    tap.same(b.run('return tc.selection.event'), want[1], 'and to the next')
    b.keys('Enter', shift=True)
    tap.same(b.run('return tc.selection.event'), want[0], 'Shift + Enter back')


def filtered(p):
    """only matches: rows and table"""
    b, events = p.b, p.recording.events
    b.click('#only')
    b.run('tc.view.fit()')
    p.frame()
    want = [e for e in events if e['name'] == 'sched_wakeup_new']
    groups = b.run('return tc.layout.shown.map(g => g.key)')
    tap.same(sorted(groups), sorted({f"cpu:0:{e['cpu']}" for e in want} | {f"task:0:{e['pid']}" for e in want}),
             'only rows that match are left')
    b.wait(lambda: b.run("return document.querySelector('#eventtable tbody').rows[0]?.cells[3].textContent") ==
           'sched_wakeup_new', 'rows of the matches')
    shown = b.run("return [document.getElementById('eventtable').getAttribute('aria-rowcount'),"
                  "document.getElementById('eventcount').textContent,"
                  "document.querySelector('#eventtable tbody').rows[0].cells[0].textContent,"
                  "document.querySelector('#eventtable tbody').rows[0].cells[3].textContent]")
    ts = want[0]['ts']
    tap.same(shown, [str(len(want) + 1), f'{len(want)} matching events in view',
                     f'{ts // 10**9}.{ts % 10**9:09}', 'sched_wakeup_new'], 'and events')
    b.click('#only')
    b.press((p.left + 100, p.top + 5))
    b.keys('Escape', 'Escape', 'Escape')
    b.run("tc.app.searchBox.value = ''; return tc.search('')")
    p.frame()
    tap.same(b.run("return document.getElementById('eventcount').textContent"),
             f"{len(events):,} events in view", 'without the search all are back')


def markers(p):
    b, r = p.b, p.recording
    one, two = r.switches()[3], r.switches()[40]
    for key, e in (('1', one), ('2', two)):
        b.run('return tc.app.selectEvent(arguments[0])', r.events.index(e))
        b.point((p.left - 100, p.top + 5))
        b.keys(key)
    tap.same(b.run('return tc.markers'), [one['ts'] - r.base, two['ts'] - r.base], 'markers are at events')
    text = b.run("return document.getElementById('markers').textContent")
    ns = two['ts'] - one['ts']
    unit, name = (10**3, 'µs') if ns < 10**6 else (10**6, 'ms')
    shown = text.split('2 − 1 = ')[1]
    tap.same((float(shown.split()[0]) * unit, shown.split()[1]), (float(ns), name), 'their difference is shown')
    b.keys('1', shift=True)
    tap.same(b.run('return tc.markers[0]'), None, 'Shift + 1 removes one')
    b.keys('Escape')


def sums(spans, t0, t1):
    """by key: count and ns"""
    got = collections.defaultdict(lambda: [0, 0])
    for key, begin, end in spans:
        ns = inside(begin, end, t0, t1)
        if ns is not None:
            got[key][0] += 1
            got[key][1] += ns
    return dict(got)


def drag(p):
    b, r = p.b, p.recording
    b.run('tc.view.fit()')
    p.frame()
    first, last = r.middle()
    length = last - first
    b.drag((p.x_of(first - r.base + length * 0.1), p.top + 120), (p.x_of(first - r.base + length * 0.8), p.top + 90))
    b.wait(lambda: b.run('return !!tc.statistics'), 'statistics')
    t0, t1 = (t + r.base for t in b.run('return tc.view.range'))
    tap.ok(first < t0 < t1 < last, 'a drag selects a range', first, t0, t1, last)
    s = b.run('const s = tc.statistics; return { events: s.events, types: s.types, slices: s.slices, '
              'tasks: s.tasks, cpus: s.cpus, lost: s.lost }')
    events = [e for e in r.events if t0 <= e['ts'] < t1]
    tap.same(s['events'], len(events), 'events in it')
    tap.same({t['name']: t['count'] for t in s['types']},
             dict(collections.Counter(e['event'] for e in events)), 'events by type')
    runs = list(r.runs())
    tap.same({c['cpu']: c['busy'] for c in s['cpus'] if c['busy']},
             {k: v[1] for k, v in sums(((c, x, y) for c, _, x, y in runs), t0, t1).items() if v[1]},
             'time that CPUs are busy')
    tap.same({t['tid']: [t['runs'], t['run']] for t in s['tasks'] if t['run']},
             {k: v for k, v in sums(((t, x, y) for _, t, x, y in runs), t0, t1).items() if v[1]},
             'runs and run time by task')
    tap.same({t['tid']: t['wait'] for t in s['tasks'] if t['wait']},
             {k: v[1] for k, v in sums(r.waits(), t0, t1).items() if v[1]}, 'wait by task')
    calls = sums(((n, x, y) for n, _, x, y in r.calls()), t0, t1)
    got = {x['name']: [x['count'], x['sum']] for x in s['slices'] if not x['open']}
    tap.ok(calls, 'there are system calls to compare')
    tap.same({n: got[n] for n in calls if n in got}, {n: v for n, v in calls.items() if n in got},
             'count and sum of system calls by name')
    open_ones = {x['name']: x['count'] - x['open'] for x in s['slices'] if x['open'] and x['name'] in calls}
    tap.same(open_ones, {n: calls[n][0] for n in open_ones}, 'those without a beginning or end are apart')
    b.keys('Escape')


def rows(p):
    """slices of the rows, one by one"""
    b, r = p.b, p.recording
    first, last = (t - r.base for t in r.middle())
    got = b.run('''return tc.rows.filter(row => row.kind === 1).map(row => [row.id, Array.from(
        { length: row.n }, (_, i) => i).filter(i => row.begin[i] >= arguments[0] && row.end(i) <= arguments[1])
        .map(i => [tc.model.tids[row.name[i] - tc.model.firstTask], row.begin[i], row.end(i)])])''', first, last)
    want = collections.defaultdict(list)
    for cpu, tid, begin, end in r.runs():
        if begin - r.base >= first and end - r.base <= last:
            want[cpu].append([tid, begin - r.base, end - r.base])
    tap.same({cpu: v for cpu, v in got if v}, dict(want), 'slices of CPUs')
    irqs = b.run('return tc.rows.filter(row => row.kind === 0).flatMap(row => Array.from('
                 '{ length: row.n }, (_, i) => row.isOpen(i) ? null : [row.id, row.begin[i], row.end(i)]))')
    irqs = [i for i in irqs if i]
    missing = [i for i in ([c, x - r.base, y - r.base] for c, x, y in r.irqs()) if i not in irqs]
    tap.same(missing, [], 'each interrupt is a slice')


def keyboard(p):
    b = p.b
    b.run('tc.view.fit(); tc.view.focusRow = null; tc.view.selected = null; tc.view.canvas.focus()')
    b.keys('j', 'j')
    row = b.run('return tc.layout.tracks.indexOf(tc.view.focusRow)')
    tap.same(row, 1, 'J goes down the rows')
    b.keys('.')
    a = b.run('return tc.selection.i')
    b.keys('.')
    tap.same(b.run('return tc.selection.i'), a + 1, '. goes to the next slice')
    tip = b.run("""const s = tc.selection, v = tc.view, r = v.canvas.getBoundingClientRect();
        const track = tc.layout.tracks.find(t => t.row === s.row);
        v.focus(s.row.begin[s.i], s.row.end(s.i));
        return [r.left + v.xOf((s.row.begin[s.i] + s.row.end(s.i)) / 2), r.top + 24 + track.y + track.h / 2,
                tc.model.nameOf(s.row.name[s.i])]""")
    b.point(tip[:2])
    tap.ok(b.run("return !document.getElementById('tip').hidden && document.getElementById('tip').innerText")
           .startswith(tip[2]), 'the mouse over a slice shows its name', tip)
    b.keys('m')
    tap.same(b.run('return tc.view.range'), b.run('const s = tc.selection; return [s.row.begin[s.i], s.row.end(s.i)]'),
             'M makes it the range')
    b.keys('?')
    tap.ok(b.run("return document.getElementById('help').open"), '? opens the help')
    b.keys('Escape')
    theme = b.run('return document.documentElement.dataset.theme')
    b.keys('t')
    tap.ok(b.run('return document.documentElement.dataset.theme') != theme, 'T switches light and dark')
    b.keys('Escape')


def losses(b, path):
    p = Page(b, path)
    text = [line for line in report('-i', path).splitlines() if 'DROPPED' in line]
    want = sum(int(line.split('[')[1].split()[0]) for line in text if line.split('[')[1].split()[0].isdigit())
    tap.ok(text, 'the recording has losses')
    tap.same(b.run('return [tc.model.gaps.length, tc.model.gaps.reduce((n, g) => n + g.count, 0)]'),
             [len(text), want], 'gaps and lost events as in the text')
    open_at = b.run('''return tc.model.gaps.filter(g => tc.rows.some(row => row.kind === 1 && row.id === g.cpu &&
        row.inRange(g.begin, g.end).reduce((a, z) => z - a) && Array.from({ length: row.n }, (_, i) => i)
        .some(i => row.begin[i] < g.end && row.end(i) > g.begin))).length''')
    tap.same(open_at, 0, 'nothing runs on a CPU while its events are lost')
    tap.ok(b.run('''return tc.rows.some(row => Array.from({ length: row.n }, (_, i) => row.isOpen(i))
        .some(f => f & 4))'''), 'what was open is marked as cut')


def hosts(b, path):
    report('--html', 'two.html', '-i', path, '-i', path)
    b.open('two.html')
    inputs = b.run('return [0, 1].map(n => tc.rows.filter(row => row.input === n).length)')
    tap.ok(inputs[0] and inputs[0] == inputs[1], 'two recordings have rows of their own', inputs)
    tap.same(b.run('return tc.layout.heads.length'), 2, 'below two headings')


def hostile(b, path):
    """names of tasks and of the file that are markup, end a script, and act on a terminal"""
    names = {b'sh': b'</script><b>x', b'cat': b'<img src=x>\x1b[7m', b'rcu_preempt': b'"\'&\xff\r\n--><!--'}
    with open(path, 'rb') as f:
        data = f.read()
    for old, new in names.items():
        tap.ok(old.ljust(16, b'\0') in data, f'the recording has {old}')
        data = data.replace(old.ljust(16, b'\0'), new.ljust(16, b'\0'))
    # saved_cmdlines comes before the names in events: one is markup, and tasks called sh have none there
    tap.ok(b' rcu_preempt\n' in data, 'the recording has names of tasks')
    data = data.replace(b' rcu_preempt\n', b' <img src=x>\n')
    data = re.sub(rb'(?m)^(\d+) sh$', lambda line: b'9' * len(line[1]) + b' sh', data)
    name = '<b onclick=alert(1)>&amp;.dat'
    with open(name, 'wb') as f:
        f.write(data)
    report('--html', 'hostile.html', '-i', name)
    b.open('hostile.html')
    tap.same(b.run('return [document.title, document.getElementById("title").textContent]'), [name, name],
             'the name of the file is text')
    b.run('return tc.search("text:b>x")')
    b.run('tc.app.setRange(0, tc.model.end, true)')
    b.run('return tc.app.selectEvent(tc.app.hits[0])')
    b.wait(lambda: b.run("return document.querySelector('#details pre').textContent.includes('</script><b>x')"),
           'the text of an event')
    tap.same(b.run("return document.querySelectorAll('b, img').length"), 0, 'no markup comes from the recording')
    for text in ('</script><b>x', '<img src=x>'):
        tap.ok(b.run('return tc.model.taskNames.includes(arguments[0])', text), f'{text} is shown as it is')


def main():
    os.chdir(sys.argv[1])
    with webdriver.Browser() as b:
        p = Page(b, 'ev.dat')
        for step in (zoom, search, filtered, markers, drag, rows, keyboard):
            step(p)
        losses(b, 'lost.dat')
        hosts(b, 'ev.dat')
        hostile(b, 'plain.dat')
        tap.same(b.errors(), [], 'no script error, and no request')
    tap.finish()


main()
