import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishLeaseChanges } from '../../../functions/publish-lease-changes/publish-lease-changes.ts';
import type { OutgoingEvent } from '../../../shared/keeper/ports.ts';
import { recordedRun } from '../lambda-context.ts';
import { sampleEvent } from '../sample-event.ts';

interface Sample {
  Records: {
    eventName: string;
    userIdentity?: { type: string; principalId: string };
    dynamodb: {
      Keys: { pk: { S: string }; sk: { S: string } };
      SequenceNumber: string;
      NewImage?: object;
      OldImage?: object;
    };
  }[];
}

const images = () => {
  const [record] = sampleEvent<Sample>('leases-stream').Records;
  assert.ok(record?.dynamodb.NewImage);
  return { record, image: record.dynamodb.NewImage as Record<string, { S?: string; N?: string }> };
};

/** Records of one lease, made from the sample's. */
function event(
  ...parts: { name: string; before?: object; after?: object; ttl?: boolean; sk?: string; pk?: string }[]
): Sample {
  const { record } = images();
  return {
    Records: parts.map(({ name, before, after, ttl, sk, pk }, index) => ({
      ...record,
      eventName: name,
      ...(ttl === true ? { userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' } } : {}),
      dynamodb: {
        SequenceNumber: String(index + 1),
        Keys: { pk: { S: pk ?? 'network#default' }, sk: { S: sk ?? 'lease#10.244.1.0/24' } },
        ...(before === undefined ? {} : { OldImage: before }),
        ...(after === undefined ? {} : { NewImage: after }),
      },
    })),
  };
}

async function publish(input: unknown, failed: readonly number[] = []) {
  const events: OutgoingEvent[] = [];
  const recorded = recordedRun();
  const publisher = {
    put: async (some: readonly OutgoingEvent[]) => {
      events.push(...some);
      return failed;
    },
  };
  const answer = await publishLeaseChanges({ network: 'default', publisher }, input, recorded.run);
  return { ...recorded, answer, events, changes: events.map(({ detail }) => detail['change']) };
}

test('the sample stream becomes Lease Change events', async () => {
  const { events, answer, rejects } = await publish(sampleEvent('leases-stream'));
  assert.deepEqual(rejects, []);
  assert.deepEqual(answer, { batchItemFailures: [] });
  assert.ok(events.length > 0);
  assert.ok(events.every(({ detailType }) => detailType === 'Lease Change'));
  assert.equal(events[0]?.detail['change'], 'granted');
});

test('a renewal is no event, a change of state is', async () => {
  const { image } = images();
  const renewed = { ...image, expiresAt: { N: '1790100000' }, version: { N: '1790000099999' } };
  const { changes } = await publish(
    event(
      { name: 'MODIFY', before: image, after: renewed },
      { name: 'MODIFY', before: image, after: { ...image, state: { S: 'leaving' } } },
    ),
  );
  assert.deepEqual(changes, ['leaving']);
});

test('removals by the time to live are ignored; one by hand of a live lease is a release', async () => {
  const { image } = images();
  const { changes, rejects } = await publish(
    event(
      { name: 'REMOVE', before: image, ttl: true },
      { name: 'REMOVE', before: { ...image, state: { S: 'released' } } },
      { name: 'REMOVE', before: image },
    ),
  );
  assert.deepEqual(changes, ['released']);
  assert.deepEqual(rejects, []);
});

test("holders, the configuration and other networks are nobody's leases", async () => {
  const { image } = images();
  const { changes } = await publish(
    event(
      { name: 'MODIFY', after: {}, sk: 'holder#i-1' },
      { name: 'MODIFY', after: {}, sk: 'config' },
      { name: 'INSERT', after: image, pk: 'network#other' },
    ),
  );
  assert.deepEqual(changes, []);
});

test('H2 a record that cannot be read is counted, rejected and skipped; those around it are published', async () => {
  const { image } = images();
  const { changes, rejects, metrics, answer } = await publish(
    event(
      { name: 'INSERT', after: image },
      { name: 'INSERT', after: { ...image, subnet: { S: 'garbage' } } },
      { name: 'MODIFY', before: image, after: { ...image, state: { S: 'withdrawn' } } },
    ),
  );
  assert.deepEqual(changes, ['granted', 'withdrawn']);
  assert.deepEqual(
    rejects.map(({ reason }) => reason),
    ['lease.subnet: is not a canonical CIDR block such as 10.244.1.0/24 (got "garbage")'],
  );
  assert.equal(metrics['Rejects'], 1);
  assert.deepEqual(answer, { batchItemFailures: [] });
});

test('a mended item is published though the one before it cannot be read', async () => {
  const { image } = images();
  const { changes } = await publish(event({ name: 'MODIFY', before: { subnet: { S: 'garbage' } }, after: image }));
  assert.deepEqual(changes, ['granted']);
});

test('events that were not accepted are delivered again from the first of them', async () => {
  const { image } = images();
  const leaving = { ...image, state: { S: 'leaving' } };
  const { answer } = await publish(
    event(
      { name: 'MODIFY', before: image, after: image },
      { name: 'MODIFY', before: image, after: leaving },
      { name: 'MODIFY', before: leaving, after: image },
    ),
    [1],
  );
  assert.deepEqual(answer, { batchItemFailures: [{ itemIdentifier: '3' }] });
});

test('H8 what is no stream event is rejected and blocks nothing', async () => {
  for (const input of [null, 'text', {}, { Records: [] }, { Records: [{ eventSource: 'aws:sqs', body: '{' }] }]) {
    const { answer, metrics } = await publish(input);
    assert.deepEqual(answer, { batchItemFailures: [] });
    assert.equal(metrics['Rejects'], 1);
  }
});
