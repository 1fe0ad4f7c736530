/** What was shown and forced goes through, in however many passes, and nothing else does. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mergedReport, type ResyncReport, reportExit, resyncPasses } from '../../cli/resync-passes.ts';
import type { Stack } from '../../cli/stack-functions.ts';
import { parseRequest } from '../../functions/resync/request.ts';
import { foreignRow, rowOf } from '../fakes/reconcile/route-tables.ts';
import { lease, SyncWorld, tableIds } from '../shared/reconcile/sync-world.ts';

const nodes = 30;
/** Milliseconds of a pass: 50 deletions at once, and 5 a second after that, are too few for all of them. */
const short = 3_000;

/** A world whose leases are lost, and the stack that syncs it; `between` is called after each pass that is forced. */
async function stackOfLost(between: (world: SyncWorld, pass: number) => void = () => {}) {
  const world = new SyncWorld();
  await world.settle(...Array.from({ length: nodes }, (_, n) => lease(n + 1)));
  world.leases.drop(...world.leases.all.map(({ subnet }) => subnet.text));
  let passes = 0;
  const stack: Stack = {
    async call(_name, asked) {
      const { config: _config, address: _address, tables, ...request } = parseRequest(asked);
      const { report } = await world.sync({
        ...request,
        only: tables,
        isManual: true,
        deadline: world.clock.now() + short,
      });
      if (request.force !== null) {
        passes += 1;
        between(world, passes);
      }
      return JSON.parse(JSON.stringify({ ok: true, ...report, plan: null }));
    },
  };
  const resync = async (force?: string): Promise<ResyncReport> =>
    mergedReport(await resyncPasses(stack, force === undefined ? {} : { force }, () => {}));
  const shown = (await resync()).guard.digest ?? '';
  world.forget();
  return { world, resync, shown, passes: () => passes };
}

const ours = (world: SyncWorld) => tableIds.map((id) => world.tables.text(id).length - 1);

describe('a digest that was shown', () => {
  it('lets all of it through, also when one pass has no time for it', async () => {
    const { world, resync, shown, passes } = await stackOfLost();
    const report = await resync(shown);
    assert.ok(passes() > 1, `${passes()} pass`);
    assert.deepEqual([report.guard.refused, report.message, reportExit(report)], [false, null, 0]);
    assert.equal(world.count('DeleteRoute'), nodes * tableIds.length);
    assert.deepEqual(ours(world), [0, 0, 0]);
  });

  it('lets nothing through that comes to be held between two passes', async () => {
    const later = [201, 202, 203, 204];
    const { world, resync, shown } = await stackOfLost((each, pass) => {
      if (pass === 1) each.tables.plant('rtb-2', ...later.map((n) => rowOf(`10.244.${n}.0/24`, `eni-${n}`)));
    });
    const report = await resync(shown);
    assert.equal(reportExit(report), 3);
    assert.deepEqual(ours(world), [0, later.length, 0]);
    assert.equal(report.guard.tables['rtb-2']?.held, later.length);
    assert.match(report.message ?? '', /: let through what was shown, and not what is held back since$/);
    const again = await resync(report.guard.digest ?? '');
    assert.deepEqual([reportExit(again), ours(world)], [0, [0, 0, 0]]);
  });

  it('goes on with what is left when somebody else has removed a part meanwhile', async () => {
    const { world, resync, shown } = await stackOfLost((each, pass) => {
      const last = each.tables
        .text('rtb-3')
        .filter((text) => text.startsWith('10.244.'))
        .at(-1)
        ?.split(' ')[0];
      if (pass === 1 && last !== undefined) each.tables.uproot('rtb-3', last);
    });
    assert.equal(reportExit(await resync(shown)), 0);
    assert.deepEqual(ours(world), [0, 0, 0]);
  });
});

describe('a digest that fits nothing', () => {
  it('lets nothing through, and the answer names the one that is held now', async () => {
    const { world, resync, shown } = await stackOfLost();
    const report = await resync('00000000000000aa');
    assert.equal(reportExit(report), 3);
    assert.equal(world.count('DeleteRoute'), 0);
    assert.equal(
      report.message,
      `--force 00000000000000aa: what is held back now has the digest ${shown}: nothing was let through`,
    );
  });

  it('is said to fit nothing where nothing is held', async () => {
    const { resync, shown, world } = await stackOfLost();
    await resync(shown);
    world.tables.uproot('rtb-1', '10.244.1.0/24');
    world.tables.plant('rtb-1', foreignRow('192.0.2.0/24', 'eni-x'));
    const report = await resync(shown);
    assert.deepEqual([reportExit(report), report.changes], [0, []]);
    assert.equal(report.message, `--force ${shown}: nothing is held back under this digest: nothing was let through`);
  });
});
