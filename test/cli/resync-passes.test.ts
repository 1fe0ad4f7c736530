import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reportText } from '../../cli/report-text.ts';
import { mergedReport, type ResyncReport, reportExit, resyncPasses } from '../../cli/resync-passes.ts';
import type { Stack } from '../../cli/stack-functions.ts';
import { noPaint } from '../../shared/domain/render-plan-text.ts';
import type { TableReport } from '../../shared/reconcile/report.ts';
import { lease, planOfParts } from '../shared/domain/world-file.ts';

function table(id: string, more: Partial<TableReport> = {}): TableReport {
  return {
    id,
    status: 'ok',
    created: 0,
    replaced: 0,
    deleted: 0,
    blackholes: 0,
    failures: [],
    pending: 0,
    left: 0,
    overflow: [],
    retryAt: null,
    ...more,
  };
}

function reportOf(more: Partial<ResyncReport> = {}): ResyncReport {
  return {
    syncId: 's',
    network: 'default',
    mode: 'enforce',
    status: 'ok',
    message: null,
    tables: [table('rtb-1')],
    changes: [],
    guard: { refused: false, digest: null, forced: [], tables: {} },
    map: { revision: 1, held: 0, renewed: false },
    cutOff: [],
    drift: 0,
    readAt: 1,
    confirmedAt: 1,
    more: false,
    plan: planOfParts({}),
    ...more,
  };
}

/** Answers with one report after the other and notes what it was asked. */
function stackOf(...reports: ResyncReport[]): Stack & { readonly requests: unknown[] } {
  const requests: unknown[] = [];
  return {
    requests,
    async call(name, request) {
      requests.push({ name, ...request });
      const report = reports[requests.length - 1];
      if (report === undefined) throw new Error('asked once too often');
      return { ok: true, ...report };
    },
  };
}

const change = (destination: string) => ({
  routeTableId: 'rtb-1',
  action: 'create' as const,
  destination,
  nextHop: 'eni-1',
  was: null,
  reason: 'missing',
});

describe('passes of a resync', () => {
  it('go on while the report says more, with the same request', async () => {
    const stack = stackOf(
      reportOf({ tables: [table('rtb-1', { created: 90, left: 20, status: 'left' })], more: true }),
      reportOf({ tables: [table('rtb-1', { created: 20 })] }),
    );
    const progress: string[] = [];
    const reports = await resyncPasses(stack, { tables: ['rtb-1'] }, (line) => progress.push(line));
    assert.equal(reports.length, 2);
    assert.deepEqual(stack.requests, [
      { name: 'resync', tables: ['rtb-1'] },
      { name: 'resync', tables: ['rtb-1'] },
    ]);
    assert.deepEqual(progress, ['pass 1: 90 writes, 20 steps left']);
  });

  it('are one report: sums of what was done, the first plan, the last word on the rest', () => {
    const plan = planOfParts({ leases: [lease(1)] });
    const merged = mergedReport([
      reportOf({
        plan,
        tables: [table('rtb-1', { created: 2, left: 1, status: 'left' })],
        changes: [change('a')],
        more: true,
      }),
      reportOf({ tables: [table('rtb-1', { created: 1, deleted: 3 })], changes: [change('b')] }),
    ]);
    assert.equal(merged.plan, plan);
    assert.deepEqual(merged.tables, [table('rtb-1', { created: 3, deleted: 3 })]);
    assert.deepEqual(merged.changes, [change('a'), change('b')]);
    assert.equal(merged.more, false);
  });
});

describe('how a resync ends', () => {
  const changes = planOfParts({ leases: [lease(1)] });
  const refused = { refused: true, digest: 'd', forced: [], tables: {} };
  const cases: readonly [string, Partial<ResyncReport>, number, (readonly string[])?][] = [
    ['all right', {}, 0],
    ['written and not visible yet', { tables: [table('rtb-1', { status: 'pending', pending: 1 })] }, 0],
    ['nothing could be planned', { status: 'failed', plan: null, tables: [] }, 1],
    ['no configuration', { status: 'unconfigured', plan: null, tables: [] }, 1],
    ['a table failed', { status: 'partial', tables: [table('rtb-1', { status: 'failed' })] }, 1],
    ['a table is missing', { status: 'partial', tables: [table('rtb-1', { status: 'missing' })] }, 1],
    ['a table is left alone for now', { status: 'partial', tables: [table('rtb-1', { status: 'waiting' })] }, 1],
    ['work is left', { status: 'partial', tables: [table('rtb-1', { status: 'left' })] }, 1],
    [
      'work is left in a table that was not asked for',
      { status: 'partial', tables: [table('rtb-1'), table('rtb-2', { status: 'left' })] },
      0,
      ['rtb-1'],
    ],
    ['refused', { status: 'refused', guard: refused }, 3],
    [
      'refused, and a table failed',
      { status: 'partial', guard: refused, tables: [table('rtb-1', { status: 'failed' })] },
      1,
    ],
    ['a dry run with changes', { mode: 'dry-run', plan: changes }, 2],
    ['a dry run that is refused', { mode: 'dry-run', plan: changes, guard: refused }, 3],
    ['a dry run without changes', { mode: 'dry-run' }, 0],
    ['observed changes', { mode: 'observe', plan: changes }, 2],
  ];
  for (const [name, report, code, only] of cases) {
    it(`${code}: ${name}`, () => assert.equal(reportExit(reportOf(report), only ?? null), code));
  }
});

describe('a report for people', () => {
  it('has a block a table with what was done and what failed, and says what to do about a refusal', () => {
    const report = reportOf({
      status: 'partial',
      guard: { refused: true, digest: '00000000000000aa', forced: [], tables: {} },
      changes: [change('10.244.1.0/24')],
      tables: [
        table('rtb-1', { created: 1, overflow: ['10.244.9.0/24'] }),
        table('rtb-2', {
          status: 'failed',
          left: 2,
          failures: [
            {
              action: 'CreateRoute',
              destination: '10.244.1.0/24',
              code: 'UnauthorizedOperation',
              message: 'You are not authorized',
              permanent: true,
            },
          ],
        }),
      ],
    });
    assert.deepEqual(reportText(report, noPaint).split('\n'), [
      'rtb-1  ok, no room for 10.244.9.0/24',
      '  + 10.244.1.0/24 -> eni-1  missing',
      '',
      'rtb-2  failed, 2 steps left',
      '  CreateRoute 10.244.1.0/24: UnauthorizedOperation: You are not authorized (somebody has to change something first)',
      '',
      'partial, 1 route written, 1 failure, deletions held back by the guard; if they are meant: --force 00000000000000aa',
    ]);
  });

  it('sums up the tables that were asked for, and names what is wrong in others', () => {
    const failures = [{ action: 'CreateRoute', destination: null, code: 'X', message: 'm', permanent: false }];
    const tables = [
      table('rtb-1', { created: 1 }),
      table('rtb-2', { status: 'failed', failures }),
      table('rtb-3', { status: 'left', left: 2 }),
    ];
    const report = reportOf({ status: 'partial', tables });
    const last = (only: readonly string[] | null) => reportText(report, noPaint, only).split('\n').at(-1);
    assert.equal(last(['rtb-1']), 'ok, 1 route written; not asked for: rtb-2 failed, rtb-3 left');
    assert.equal(last(['rtb-2']), 'partial, 1 route written, 1 failure; not asked for: rtb-3 left');
    assert.equal(last(null), 'partial, 1 route written, 1 failure');
    const held = reportOf({ ...report, guard: { refused: true, digest: 'd', forced: [], tables: {} } });
    assert.match(reportText(held, noPaint, ['rtb-1']), /\nrefused, 1 route written, deletions held back/);
  });
});
