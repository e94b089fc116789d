import { describe, expect, it } from 'vitest';
import { measureSuite } from '../../../bench/measure.mjs';
import { renderChart } from '../../../bench/report/chart.mjs';
import { chartGroups, type Run, renderPage } from '../../../bench/report/page.mjs';
import { summarize } from '../../../bench/report/profile.mjs';
import { caseTables, countVerdicts, toText, verdictTable } from '../../../bench/report/tables.mjs';
import { judge, type Measured, ratio, spread, stolenShare, value } from '../../../bench/results.mjs';
import { QUICK, type Suite } from '../../../bench/suite.mjs';
import stdio from '../../../bench/suites/stdio.mjs';

const TINY = { ...QUICK, warmMs: 50, windowMs: 100 };

const suite: Suite = {
  id: 'made-up',
  title: 'made up',
  about: 'Numbers that were made up.',
  metrics: [{ id: 'perSecond', title: 'calls/s', unit: '/s', digits: 0 }],
  cases: () => [
    {
      id: 'one',
      title: 'one <case>',
      contenders: ['limit', 'plumb', 'tmcp'],
      chart: 'perSecond',
      targets: [{ metric: 'perSecond', title: 'share', against: {}, atLeast: 0.8 }],
    },
  ],
  open: async (contender) => {
    if (contender === 'tmcp') throw new Error('It did not start');
    return { turn: async () => ({ perSecond: contender === 'limit' ? 1000 : 700 }), close: async () => {} };
  },
};

async function madeUpRun(): Promise<Run> {
  const { measured, failures } = await measureSuite(
    suite,
    TINY,
    () => true,
    () => {},
  );
  const all: Measured = { 'made-up': measured };
  return {
    date: '2026-01-02T03:04:05.678Z',
    commit: 'abc',
    settings: TINY,
    seconds: 1,
    machine: { node: 'v20', system: 'linux', processor: 'x', cores: 2, memoryGb: 4, pinned: true },
    versions: { plumb: '1.0.0' },
    measured: all,
    verdicts: suite.cases(TINY).flatMap((one) => judge(all, suite.id, one)),
    failures,
  };
}

describe('the bench', () => {
  it('measures a real server, and sees that it answers', { timeout: 60_000 }, async () => {
    const { measured, failures } = await measureSuite(
      stdio,
      TINY,
      (id) => id === 'limit',
      () => {},
    );
    expect(failures).toEqual([]);
    expect(measured.pipelined?.limit?.perSecond?.[0]).toBeGreaterThan(100);
    expect(measured.pipelined?.limit?.cpuUs?.[0]).toBeGreaterThan(0);
    const [table] = caseTables({ stdio: measured }, stdio, TINY, { spread: false });
    expect(toText(table ?? { title: '', head: [], rows: [] })).toMatch(/bare limit +[\d,]+ /);
  });

  it('goes on when a contender fails, and tells of it', async () => {
    const { failures, measured } = await madeUpRun();
    expect(failures).toMatchObject([{ contender: 'tmcp', message: 'It did not start' }]);
    expect(measured['made-up']?.one?.plumb?.perSecond).toEqual([700, 700]);
  });

  it('lets those of a group take turns, in fresh processes each round and in the other order', async () => {
    const events: string[] = [];
    const turning: Suite = {
      ...suite,
      cases: () =>
        ['one', 'two'].map((id) => ({ id, title: id, group: 'g', contenders: ['limit', 'plumb'], turns: 2 })),
      open: async (contender, { id }) => {
        events.push(`open ${id} ${contender}`);
        return {
          turn: async () => ({ perSecond: events.push(`${id} ${contender}`) }),
          close: async () => void events.push('close'),
        };
      },
    };
    const { measured } = await measureSuite(
      turning,
      { ...TINY, rounds: 2 },
      () => true,
      () => {},
    );
    const turn = ['one limit', 'one plumb', 'two limit', 'two plumb'];
    const round = (order: string[]) => [
      ...order.map((name) => `open ${name}`),
      ...order,
      ...order,
      ...order.map(() => 'close'),
    ];
    expect(events).toEqual([...round(turn), ...round(turn.toReversed())]);
    expect(measured.two?.plumb?.perSecond).toHaveLength(4);
  });

  it('counts the turns in which the host took no more than in most', () => {
    const plumb = { perSecond: [80, 10, 60, 20], stolen: [0, 0.5, 0.01, 0.3] };
    const limit = { perSecond: [100, 1000, 100, 1000], stolen: [0.01, 0, 0, 0.3] };
    const measured = { s: { c: { plumb, limit } } };
    const of = { suite: 's', case: 'c', contender: 'plumb', metric: 'perSecond' };
    expect(ratio(measured, of)).toBe(0.7);
    expect(value(measured, of)).toEqual({ median: 70, min: 60, max: 80 });
    expect(stolenShare(measured)).toMatchObject({ min: 0, max: 0.5 });
    const calm = { s: { c: { plumb: { ...plumb, stolen: [0, 0, 0, 0] } } } };
    expect(value(calm, of)).toEqual({ median: 40, min: 10, max: 80 });
  });

  it('calls a time out of reach that the bare limit takes as well', () => {
    const one = {
      id: 'c',
      title: 'a call',
      contenders: [],
      targets: [{ metric: 'ms', title: 'ms', atMost: 1 }],
    };
    const verdict = (plumb: number, limit: number) =>
      judge({ s: { c: { plumb: { ms: [plumb] }, limit: { ms: [limit] } } } }, 's', one);
    expect(verdict(3, 2)).toMatchObject([{ met: false, limit: 2 }]);
    expect(verdict(3, 0.5)[0]).not.toHaveProperty('limit');
    expect(verdict(0.5, 2)).toMatchObject([{ met: true }]);
    expect(toText(verdictTable(verdict(3, 2)))).toContain('out of reach: the bare limit takes 2.00');
    expect(countVerdicts(verdict(3, 2))).toBe('0 of 1 targets met, 1 out of reach on this machine');
  });

  it('calls a time out of reach that the share wanted of the limit takes', () => {
    const one = {
      id: 'c',
      title: 'a call',
      contenders: [],
      targets: [
        { metric: 'perSecond', title: 'share', against: {}, atLeast: 0.5 },
        { metric: 'ms', title: 'ms', atMost: 1 },
      ],
    };
    const verdict = (plumb: number, limit: number) =>
      judge({ s: { c: { plumb: { ms: [plumb] }, limit: { ms: [limit] } } } }, 's', one).slice(1);
    expect(verdict(3, 0.75)).toMatchObject([{ met: false, limit: 0.75, share: 0.5 }]);
    expect(verdict(3, 0.25)[0]).not.toHaveProperty('limit');
    expect(verdict(0.5, 0.75)).toMatchObject([{ met: true }]);
    expect(toText(verdictTable(verdict(3, 0.75)))).toContain('takes 0.75, and 0.5 of its calls 1.50');
  });

  it('forms ratios from the turns that both took', () => {
    const measured = {
      s: { c: { plumb: { perSecond: [80, null, 40, 300] }, limit: { perSecond: [100, 9, 60] } } },
    };
    const of = { suite: 's', case: 'c', contender: 'plumb', metric: 'perSecond' };
    expect(ratio(measured, of)).toBe(0.75);
    expect(ratio(measured, { ...of, metric: 'cpuUs' })).toBeUndefined();
    expect(spread([3, null, 1, 2, 10])).toEqual({ median: 2.5, min: 1, max: 10 });
  });

  it('does not call a target met that was missed or not measured', async () => {
    const { verdicts } = await madeUpRun();
    expect(verdicts).toMatchObject([{ value: 0.7, bound: 0.8, met: false }]);
    expect(toText(verdictTable(verdicts))).toContain('NOT MET');
    const [unmeasured] = suite.cases(TINY).flatMap((one) => judge({}, suite.id, one));
    expect(unmeasured?.met).toBe(false);
  });

  it('writes a page with the tables, the targets and the notes, and a chart', async () => {
    const run = await madeUpRun();
    const page = renderPage(run, [suite], { chart: 'x.svg', notes: '## Where the rest of the time goes\n' });
    expect(page).toContain('| Plumb | 700 | 0.70 |');
    expect(page).toContain('## 0 of 1 targets met');
    expect(page).toContain('## Where the rest of the time goes');
    const chart = renderChart(chartGroups(run, [suite]));
    expect(chart).toContain('one &lt;case&gt;');
    expect(chart).toMatch(/<rect class="bar ours"[^>]*width="427\.0"/);
    expect(chart.match(/<rect/g)).toHaveLength(1);
  });

  it('tells the points of a curve in one table', async () => {
    const { measured } = await madeUpRun();
    const [table, ...others] = caseTables(measured, { ...suite, curve: true }, TINY, { spread: true });
    expect(others).toEqual([]);
    expect(table?.head).toEqual(['', 'bare limit: calls/s', 'Plumb: calls/s', 'tmcp: calls/s']);
    expect(table?.rows).toEqual([['one <case>', '1,000', '700', '-']]);
  });

  it('tells from a profile where the time went, leaving out the time that was idle', () => {
    const frame = (functionName: string, url: string) => ({ functionName, url, lineNumber: 0 });
    const { places, functions } = summarize({
      nodes: [
        { id: 1, callFrame: frame('(idle)', '') },
        { id: 2, callFrame: frame('parse', 'node:internal/http/parser') },
        { id: 3, callFrame: frame('handle', 'file:///x/dist/server/endpoint.js') },
      ],
      samples: [1, 2, 3, 2],
      timeDeltas: [1000, 10, 20, 50],
    });
    expect(places).toEqual([
      ['Node', 0.75],
      ['server/endpoint.js', 0.25],
    ]);
    expect(functions[0]).toEqual(['parse, node:internal/http/parser', 0.75]);
  });
});
