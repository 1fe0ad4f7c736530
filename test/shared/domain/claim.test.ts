import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, answerItem, isFinal, parseAnswer } from '../../../shared/domain/answer.ts';
import { parseCidr } from '../../../shared/domain/cidr.ts';
import { type Claim, claimIdOf, claimItem, parseClaim } from '../../../shared/domain/claim.ts';

const claim: Claim = {
  claimId: 'c-1',
  network: 'default',
  subnet: parseCidr('10.244.7.0/24', 'subnet'),
  eniId: 'eni-0abc',
  onLinkPrefix: 24,
  mtu: 9001,
  revision: 12,
  agentVersion: '0.1.0',
  release: false,
};

test('a claim is read back as it was written, and all but its id and network may be absent', () => {
  assert.deepEqual(parseClaim({ pk: 'arn', sk: 'claim', ...claimItem(claim) }), claim);
  const least = parseClaim({ claimId: 'c-2', network: 'default' });
  assert.deepEqual(least, {
    claimId: 'c-2',
    network: 'default',
    subnet: null,
    eniId: null,
    onLinkPrefix: null,
    mtu: null,
    revision: null,
    agentVersion: null,
    release: false,
  });
  assert.deepEqual(claimItem(least), { claimId: 'c-2', network: 'default' });
});

test('a malformed claim is refused with the field, and its id can still be told', () => {
  for (const [field, value] of [
    ['network', ''],
    ['subnet', '10.244.7/24'],
    ['eniId', 'i-1'],
    ['onLinkPrefix', 129],
    ['mtu', '9001'],
  ] as const) {
    const item = { ...claimItem(claim), [field]: value };
    assert.throws(() => parseClaim(item), { field: `claim.${field}` });
    assert.equal(claimIdOf(item), 'c-1');
  }
  assert.equal(claimIdOf({ claimId: 7 }), null);
  assert.equal(claimIdOf(null), null);
});

test('an answer is read back as it was written', () => {
  const answers: Answer[] = [
    { claimId: 'c', status: 'pending', reason: 'EC2 does not know i-1 yet' },
    { claimId: 'c', status: 'refused', reason: 'i-1 is terminated' },
    {
      claimId: 'c',
      status: 'lost',
      reason: '10.244.7.0/24 went to i-2',
      subnet: parseCidr('10.244.8.0/24', 'subnet'),
      ipv6Subnet: null,
      vtepMac: '0a:00:00:00:00:01',
      expiresAt: 1_790_000_000,
    },
  ];
  for (const answer of answers) assert.deepEqual(parseAnswer({ sk: 'answer', ...answerItem(answer) }), answer);
  assert.deepEqual(
    answers.map((answer) => isFinal(answer.status)),
    [false, true, true],
  );
  assert.throws(() => parseAnswer({ claimId: 'c', status: 'maybe' }), { name: 'InvalidInput' });
});
