import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { buildAll } from '../../infra/build.ts';
import { functionNames } from '../../infra/entry-points.ts';
import { invokeBundle, samples } from './bundle-samples.ts';
import { type EmptyAws, emptyAws } from './empty-aws.ts';

const root = resolve(import.meta.dirname, '../..');

let aws: EmptyAws;
before(async () => {
  await buildAll(root);
  aws = await emptyAws();
});
after(() => aws.close());

test('every function has a sample event', () => {
  assert.deepEqual(functionNames(root), Object.keys(samples).sort());
});

for (const [name, invocations] of Object.entries(samples)) {
  for (const { event, answers, calls } of invocations) {
    test(`N1 N2 N3: ${name} in an empty folder, with nothing installed, answers ${event}`, async () => {
      aws.actions.length = 0;
      const answer = await invokeBundle({ folder: join(root, 'dist/functions', name), event, url: aws.url });
      if (answers !== undefined) assert.deepEqual(answer, answers);
      assert.ok(aws.actions.includes(calls), `it called ${aws.actions.join(' ') || 'nothing'}`);
    });
  }
}
