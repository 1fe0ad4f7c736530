/** What every `NodeClaims` does, with the keeper at the other end. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { NodeClaims } from '../../agent/claim/node-claims.ts';
import type { Answer } from '../../shared/domain/answer.ts';
import { parseCidr } from '../../shared/domain/cidr.ts';
import { type Claim, parseClaim } from '../../shared/domain/claim.ts';
import type { ClaimStore } from '../../shared/keeper/ports.ts';
import { describeContract } from './describe-contract.ts';
import { arnOf } from './lease-samples.ts';

export interface NodeClaimsSubject {
  node(instanceArn: string): NodeClaims;
  readonly keeper: ClaimStore;
}

const { signal } = new AbortController();
const subnet = parseCidr('10.244.3.0/24', 'subnet');

const claim: Claim = {
  claimId: 'claim-1',
  network: 'default',
  subnet,
  eniId: 'eni-1',
  onLinkPrefix: 24,
  mtu: 9001,
  revision: 7,
  agentVersion: '0.1.0',
  release: false,
};

const granted: Answer = {
  claimId: 'claim-1',
  status: 'granted',
  reason: null,
  subnet,
  ipv6Subnet: null,
  vtepMac: '02:00:00:00:00:01',
  expiresAt: 1_790_000_000,
};

export function runNodeClaimsContract(name: string, make: (t: TestContext) => Promise<NodeClaimsSubject>): void {
  describeContract(name, make, {}, (contract) => {
    contract('has no answer before the first one', async ({ node }) => {
      assert.equal(await node(arnOf('i-1')).readAnswer(signal), null);
    });

    contract('brings the claim to the keeper and its answer to the node', async ({ node, keeper }) => {
      const own = node(arnOf('i-1'));
      await own.write(claim, signal);
      assert.deepEqual(parseClaim((await keeper.read(arnOf('i-1'))).claim), claim);
      await keeper.writeAnswer(arnOf('i-1'), granted);
      assert.deepEqual(await own.readAnswer(signal), granted);
      assert.equal(await node(arnOf('i-2')).readAnswer(signal), null);
    });

    contract('replaces the claim as a whole, and leaves the answer', async ({ node, keeper }) => {
      const own = node(arnOf('i-1'));
      await own.write(claim, signal);
      await keeper.writeAnswer(arnOf('i-1'), granted);
      const bare = { ...claim, claimId: 'claim-2', subnet: null, eniId: null, mtu: null, release: true };
      await own.write(bare, signal);
      assert.deepEqual(parseClaim((await keeper.read(arnOf('i-1'))).claim), bare);
      assert.deepEqual(await own.readAnswer(signal), granted);
    });
  });
}
