/** The demo checks itself; here only that it holds, and that it can fail. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { leaseway } from '../cli/leaseway.ts';

/** Two sandboxes at once are what two cores carry. */
describe('the demo', { concurrency: 2 }, () => {
  it('ends with 0 and shows tables, plan lines and checks', async () => {
    const { code, stdout, stderr } = await leaseway(['demo']);
    assert.equal(code, 0, `${stdout}\n${stderr}`);
    assert.match(stdout, /^ {2}rtb-a rtb-b rtb-c {2}\+ 10\.244\.\d+\.0\/24 -> eni-a1$/m);
    assert.match(stdout, /^ {2}✓ routes were written by 18 CreateRoute$/m);
    assert.match(stdout, /\d+ checks, all true/);
  });

  for (const [sabotage, caught] of [
    ['table3', /every listed table routes all six subnets: rtb-c has no /],
    ['delete', /the blackholes are gone, nothing else changed: rtb-a still has /],
    ['replace', /points to the new interface: rtb-a has [^ ]+ at eni-a1, not /],
  ] as const) {
    it(`ends with 1 when ${sabotage} is sabotaged, by the check that finds it`, async () => {
      const { code, stderr } = await leaseway(['demo', '--sabotage', sabotage]);
      assert.equal(code, 1);
      assert.match(stderr, caught);
    });
  }
});
