/** What every `Rejects` does. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Rejects } from '../../shared/keeper/ports.ts';
import { Refusal } from '../../shared/reconcile/ports.ts';
import { type Differences, describeContract } from './describe-contract.ts';

export interface RejectsSubject {
  readonly rejects: Rejects;
  /** Bodies of the messages that lie there for a human, taken from there for good. */
  bodies(): Promise<readonly string[]>;
  /** From now on the queue is gone. */
  loseQueue(): Promise<void>;
}

/** @param differs see `describeContract` */
export function runRejectsContract(
  name: string,
  make: (t: TestContext) => Promise<RejectsSubject>,
  differs: Differences = {},
): void {
  describeContract(name, make, differs, (contract) => {
    contract('lays down what it was, where it came from and why', async ({ rejects, bodies }) => {
      const reject = { source: 'sync-routes', reason: 'is no JSON: "ä"', body: '{"a":\n' };
      await rejects.put(reject);
      await rejects.put(reject);
      assert.deepEqual((await bodies()).map(read), [reject, reject]);
    });

    contract('lays down the beginning of what is too large for a message', async ({ rejects, bodies }) => {
      // Letters whose JSON is one byte, two, and six each.
      for (const letter of ['x', '\u00e4', '\u0001']) {
        await rejects.put({ source: 's', reason: 'r', body: letter.repeat(900_000) });
        const [message = '', ...more] = await bodies();
        assert.deepEqual(more, []);
        const { body, cutFrom } = read(message) as { body: string; cutFrom: number };
        assert.equal(cutFrom, 900_000);
        assert.equal(body, letter.repeat(body.length));
        assert.ok(Buffer.byteLength(message) >= 230 * 1024, `${Buffer.byteLength(message)} bytes`);
      }
    });

    contract('lays down letters that no message may hold', async ({ rejects, bodies }) => {
      const body = 'a\u0000b\ufffec\uffffd\ud800e';
      await rejects.put({ source: 's', reason: 'r', body });
      assert.deepEqual((await bodies()).map(read), [{ source: 's', reason: 'r', body }]);
    });

    contract('says when it cannot be laid down', async ({ rejects, loseQueue }) => {
      await loseQueue();
      await assert.rejects(
        rejects.put({ source: 's', reason: 'r', body: 'b' }),
        (error) => error instanceof Refusal && error.meaning === 'invalid',
      );
    });
  });
}

function read(message: string): unknown {
  return JSON.parse(message);
}
