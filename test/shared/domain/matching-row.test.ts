import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCidr } from '../../../shared/domain/cidr.ts';
import { matchesOf } from '../../../shared/domain/matching-row.ts';
import { parseWorld } from '../../../shared/domain/world.ts';
import { blackhole, local, row, strangers, worldFile } from './world-file.ts';

/** The row that takes packets to an address, as `10.244.9.0/24 -> eni-9`, with what is not usual about it. */
function taker(address: string, routes: readonly Record<string, unknown>[]): string {
  const world = parseWorld(worldFile({ tables: { 'rtb-1': routes } }));
  const match = matchesOf(parseCidr(address, 'address'), world.tables, world.config)['rtb-1'];
  if (match === undefined || match.row === null) return 'nobody';
  const { destination, nextHop, state, isOurs } = match.row;
  return `${destination} -> ${nextHop}${state === 'active' ? '' : ` ${state}`}${isOurs ? ' ours' : ''}`;
}

describe('the row that takes packets to an address', () => {
  it('is the longest that holds it, whoever made it', () => {
    const wide = row('10.244.0.0/16', null, { VpcPeeringConnectionId: 'pcx-1' });
    assert.equal(taker('10.244.9.1/32', strangers), '0.0.0.0/0 -> nat-1');
    assert.equal(taker('10.244.9.1/32', [...strangers, wide]), '10.244.0.0/16 -> pcx-1');
    assert.equal(taker('10.244.9.1/32', [wide, row('10.244.9.0/24', 'eni-9')]), '10.244.9.0/24 -> eni-9 ours');
    assert.equal(taker('10.244.9.1/32', [row('10.244.9.0/25', 'eni-9'), wide]), '10.244.9.0/25 -> eni-9');
    assert.equal(taker('10.0.7.1/32', strangers), '10.0.0.0/16 -> local');
    assert.equal(taker('fd00:244::1/128', strangers), '::/0 -> eigw-1');
  });

  it('is a blackhole as much as any other', () => {
    assert.equal(
      taker('10.244.9.1/32', [...strangers, blackhole('10.244.9.0/24', null)]),
      '10.244.9.0/24 -> blackhole blackhole ours',
    );
  });

  it('is nobody where none holds it, and never one that the route server filters', () => {
    assert.equal(taker('10.244.9.1/32', [local]), 'nobody');
    assert.equal(taker('10.244.9.1/32', [local, row('10.244.9.0/24', 'eni-9', { State: 'filtered' })]), 'nobody');
  });

  it('of two for one destination is the static one', () => {
    const propagated = row('10.244.9.0/24', null, { GatewayId: 'vgw-1', Origin: 'EnableVgwRoutePropagation' });
    for (const rows of [
      [propagated, row('10.244.9.0/24', 'eni-9')],
      [row('10.244.9.0/24', 'eni-9'), propagated],
    ]) {
      assert.equal(taker('10.244.9.1/32', rows), '10.244.9.0/24 -> eni-9 ours');
    }
  });

  it('holds a block as a whole', () => {
    assert.equal(taker('10.244.8.0/23', [...strangers, row('10.244.9.0/24', 'eni-9')]), '0.0.0.0/0 -> nat-1');
  });

  it('may be a prefix list, which is named and not looked into', () => {
    const world = parseWorld(worldFile({ tables: { 'rtb-1': strangers, 'rtb-2': [local] } }));
    const matches = matchesOf(parseCidr('10.244.9.1/32', 'address'), world.tables, world.config);
    assert.deepEqual([matches['rtb-1']?.prefixLists, matches['rtb-2']?.prefixLists], [['pl-6ba54002'], []]);
  });
});
