import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Claim } from '../../../shared/domain/claim.ts';
import { arn, claimBench, granted, subnet } from './claim-bench.ts';

const expires = Date.parse('2026-11-02T00:00:00Z') / 1000;
const grant = (text: string) => (claim: Claim) => granted(claim, text, expires);
const minute = 60_000;
const hour = 60 * minute;

test('a claim is repeated with a new id after 2, 4, 8 to 60 s until it is answered', async (t) => {
  const bench = claimBench(t);
  await bench.clock.advance(5 * minute);
  const gaps = bench.written.slice(1).map(({ at }, index) => Math.round((at - (bench.written[index]?.at ?? 0)) / 1000));
  assert.deepEqual(gaps.slice(0, 7), [2, 4, 8, 16, 32, 60, 60]);
  assert.equal(new Set(bench.written.map(({ claimId }) => claimId)).size, bench.written.length);
  assert.equal(bench.claiming.isWaiting(), true);
  assert.match(
    bench.log.infos.at(-1) ?? '',
    /^waiting for an answer to the claim for \d+ s, \d+ written: nobody answered/,
  );
});

test('a grant is remembered with the boot it was made in', async (t) => {
  const bench = claimBench(t);
  bench.keeper = grant('10.244.1.0/24');
  await bench.clock.advance(3_000);
  assert.equal(bench.claiming.status().state, 'granted');
  assert.equal(bench.claiming.isWaiting(), false);
  const { instanceArn, subnet: held, bootId, expiresAt } = bench.remembered ?? assert.fail('nothing is remembered');
  assert.deepEqual([instanceArn, held.text, bootId, expiresAt], [arn, '10.244.1.0/24', 'boot-1', expires]);
});

test('an answer to another claim, of an earlier life, is none', async (t) => {
  const bench = claimBench(t);
  bench.keeper = (claim) => ({ ...granted(claim, '10.244.1.0/24', expires), claimId: 'of an earlier life' });
  await bench.clock.advance(minute);
  assert.equal(bench.claiming.status().state, 'claiming');
});

test('a late answer to the claim before the last one counts', async (t) => {
  const bench = claimBench(t);
  await bench.clock.advance(3_000);
  const [first] = bench.written;
  bench.keeper = () => granted(first ?? assert.fail('nothing was written'), '10.244.1.0/24', expires);
  await bench.clock.advanceUntil(() => bench.claiming.status().state === 'granted', minute);
});

test('pending is waited for, and its reason is shown', async (t) => {
  const bench = claimBench(t);
  bench.keeper = ({ claimId }) => ({ claimId, status: 'pending', reason: 'EC2 does not list i-1 yet' });
  await bench.clock.advance(10_000);
  assert.match(bench.claiming.status().problems.join(), /pending: EC2 does not list i-1 yet/);
  bench.keeper = grant('10.244.1.0/24');
  await bench.clock.advanceUntil(() => bench.claiming.status().state === 'granted', 2 * minute);
  assert.deepEqual(bench.claiming.status().problems, []);
});

test('a refusal is said once, shown, and asked about again every minute', async (t) => {
  const bench = claimBench(t, { subnet: subnet('10.244.7.0/24') });
  bench.keeper = ({ claimId }) => ({ claimId, status: 'refused', reason: '10.244.7.0/24 is held by i-9' });
  await bench.clock.advance(10 * minute);
  assert.ok(bench.written.length >= 9 && bench.written.length <= 11, `${bench.written.length}`);
  assert.ok(bench.written.every((claim) => claim.subnet?.text === '10.244.7.0/24'));
  assert.deepEqual(bench.log.warnings, ['the claim is refused: 10.244.7.0/24 is held by i-9']);
  bench.keeper = grant('10.244.7.0/24');
  await bench.clock.advanceUntil(() => bench.claiming.status().state === 'granted', 2 * minute);
});

test('the previous subnet is a wish: refused, any other will do', async (t) => {
  const bench = claimBench(t, { previous: subnet('10.244.3.0/24') });
  bench.keeper = (claim) =>
    claim.subnet === null
      ? granted(claim, '10.244.9.0/24', expires, 'lost')
      : { claimId: claim.claimId, status: 'refused', reason: '10.244.3.0/24 is held by i-2' };
  await bench.clock.advance(10_000);
  assert.deepEqual(
    bench.written.map((claim) => claim.subnet?.text ?? null),
    ['10.244.3.0/24', null],
  );
  assert.equal(bench.claiming.status().subnet?.text, '10.244.9.0/24');
});

test('G4: a lost lease names the bridge with the old address and the remedy, until the bridge is gone', async (t) => {
  const bench = claimBench(t, { previous: subnet('10.244.3.0/24') });
  bench.old = [{ dev: 'cni0', isBridge: true, address: '10.244.3.1/24' }];
  bench.keeper = (claim) => granted(claim, '10.244.9.0/24', expires, 'lost');
  await bench.clock.advance(5 * minute);
  const warning =
    /10\.244\.3\.0\/24 .* now holds 10\.244\.9\.0\/24: cni0 still has 10\.244\.3\.1\/24.*`ip link delete cni0`/;
  assert.equal(bench.log.warnings.filter((text) => warning.test(text)).length, 1);
  assert.match(bench.claiming.status().problems.join(), warning);
  assert.deepEqual(
    bench.remembered?.lost.map(({ text }) => text),
    ['10.244.3.0/24'],
  );

  bench.old = [];
  await bench.clock.advance(minute);
  assert.deepEqual(bench.claiming.status().problems, []);
  assert.deepEqual(bench.remembered?.lost, []);
});

test('a lost lease is remembered over a restart', async (t) => {
  const lost = [subnet('10.244.3.0/24')];
  const remembered = {
    instanceArn: arn,
    bootId: null,
    subnet: subnet('10.244.9.0/24'),
    ipv6Subnet: null,
    expiresAt: expires,
    lost,
  };
  const bench = claimBench(t, { remembered, previous: remembered.subnet });
  bench.old = [{ dev: 'eth9', isBridge: false, address: '10.244.3.1/24' }];
  bench.keeper = grant('10.244.9.0/24');
  await bench.clock.advance(3_000);
  assert.match(bench.claiming.status().problems.join(), /`ip address delete 10\.244\.3\.1\/24 dev eth9`/);
});

test('a lease is renewed every quarter of LeaseSeconds, with the revision that was applied', async (t) => {
  const bench = claimBench(t);
  bench.keeper = grant('10.244.1.0/24');
  await bench.clock.advance(3_000);
  bench.leaseSeconds = 86_400;
  bench.revision = 41;
  await bench.clock.advance(7 * hour);
  assert.equal(bench.written.length, 2);
  assert.equal(bench.written[1]?.revision, 41);
  assert.equal(bench.written[1]?.subnet?.text, '10.244.1.0/24');
  const after = (bench.written[1]?.at ?? 0) / hour;
  assert.ok(after > 5.9 && after <= 6.01, `${after} h`);
});

test('a shorter lease is renewed by its new length at once', async (t) => {
  const bench = claimBench(t);
  bench.keeper = grant('10.244.1.0/24');
  bench.leaseSeconds = 86_400;
  await bench.clock.advance(hour);
  bench.leaseSeconds = 3_600;
  await bench.clock.advance(minute);
  assert.equal(bench.written.length, 2);
});

test('without a map the expiry of the grant says when to renew', async (t) => {
  const bench = claimBench(t);
  bench.keeper = (claim) => granted(claim, '10.244.1.0/24', bench.clock.time / 1000 + 400);
  await bench.clock.advance(10 * minute);
  assert.ok(bench.written.length >= 6, `${bench.written.length}`);
});

test('a table that is away for an hour costs nothing but the wait', async (t) => {
  const bench = claimBench(t);
  bench.keeper = grant('10.244.1.0/24');
  bench.leaseSeconds = 3_600;
  await bench.clock.advance(3_000);
  bench.reachable = false;
  await bench.clock.advance(hour);
  assert.equal(bench.claiming.status().subnet?.text, '10.244.1.0/24');
  assert.match(bench.claiming.status().problems.join(), /ECONNREFUSED/);
  bench.reachable = true;
  await bench.clock.advanceUntil(() => bench.claiming.status().state === 'granted', 2 * minute);
  assert.deepEqual(bench.claiming.status().problems, []);
});

test('an end keeps the lease; a release is the last claim, and says so', async (t) => {
  const kept = claimBench(t);
  kept.keeper = grant('10.244.1.0/24');
  await kept.clock.advance(3_000);
  await kept.claiming.close();
  assert.deepEqual(
    kept.written.map(({ release }) => release),
    [false],
  );

  const given = claimBench(t);
  given.keeper = grant('10.244.1.0/24');
  await given.clock.advance(3_000);
  await given.claiming.release();
  assert.deepEqual(
    given.written.map(({ release }) => release),
    [false, true],
  );
});
