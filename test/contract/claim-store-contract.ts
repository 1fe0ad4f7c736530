/** What every `ClaimStore` does. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type Answer, parseAnswer } from '../../shared/domain/answer.ts';
import { parseCidr } from '../../shared/domain/cidr.ts';
import { type Claim, parseClaim } from '../../shared/domain/claim.ts';
import type { ClaimStore } from '../../shared/keeper/ports.ts';
import { arnOf } from './lease-samples.ts';

export interface ClaimStoreSubject {
  readonly store: ClaimStore;
  /** The node writes. */
  claim(instanceArn: string, claim: Claim): Promise<void>;
}

const claim: Claim = {
  claimId: 'claim-1',
  network: 'default',
  subnet: parseCidr('10.244.1.0/24', 'subnet'),
  eniId: 'eni-1',
  onLinkPrefix: 24,
  mtu: 9001,
  revision: null,
  agentVersion: '1.0.0',
  release: false,
};

const granted: Answer = {
  claimId: 'claim-1',
  status: 'granted',
  reason: null,
  subnet: parseCidr('10.244.1.0/24', 'subnet'),
  ipv6Subnet: null,
  vtepMac: '02:00:00:00:00:01',
  expiresAt: 1_793_577_600,
};

export function runClaimStoreContract(name: string, make: (t: TestContext) => Promise<ClaimStoreSubject>): void {
  describe(name, () => {
    test('has null where there is none', async (t) => {
      const { store } = await make(t);
      assert.deepEqual(await store.read(arnOf('i-1')), { claim: null, answer: null });
    });

    test('reads what the node wrote, and only that node', async (t) => {
      const { store, claim: write } = await make(t);
      await write(arnOf('i-1'), claim);
      const read = await store.read(arnOf('i-1'));
      assert.deepEqual(parseClaim(read.claim), claim);
      assert.equal(read.answer, null);
      assert.equal((await store.read(arnOf('i-2'))).claim, null);
    });

    test('replaces the answer, whatever it was', async (t) => {
      const { store } = await make(t);
      await store.writeAnswer(arnOf('i-1'), granted);
      assert.deepEqual(parseAnswer((await store.read(arnOf('i-1'))).answer), granted);
      const refused: Answer = { claimId: 'claim-2', status: 'refused', reason: 'out of subnets' };
      await store.writeAnswer(arnOf('i-1'), refused);
      const { answer } = await store.read(arnOf('i-1'));
      assert.deepEqual(parseAnswer(answer), refused);
      assert.ok(!Object.hasOwn(answer as object, 'subnet'));
    });
  });
}
