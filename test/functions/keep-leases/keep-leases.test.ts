import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepLeases } from '../../../functions/keep-leases/keep-leases.ts';
import { Session } from '../../fakes/keeper/faults.ts';
import { World } from '../../fakes/keeper/world.ts';
import { recordedRun } from '../lambda-context.ts';
import { sampleEvent } from '../sample-event.ts';

interface Stream {
  Records: {
    eventName: string;
    eventSourceARN: string;
    dynamodb: { Keys: { pk: { S: string }; sk: { S: string } }; SequenceNumber: string };
  }[];
}

async function keep(world: World, event: unknown, session = new Session()) {
  const recorded = recordedRun();
  const ports = { ...world.ports(session), network: 'default', routeTableIds: ['rtb-a', 'rtb-b', 'rtb-c'] };
  return { ...recorded, session, answer: await keepLeases(ports, event, recorded.run) };
}

/** The sample's records, about instances of the fake world. */
function claimsOf(...instanceIds: string[]): Stream {
  const [record] = sampleEvent<Stream>('claims-stream').Records;
  assert.ok(record);
  return {
    Records: instanceIds.map((id, index) => ({
      ...record,
      eventSourceARN: 'arn:aws:dynamodb:eu-west-1:123456789012:table/claims/stream/2026-09-01T08:00:00.000',
      dynamodb: {
        ...record.dynamodb,
        SequenceNumber: String(index + 1),
        Keys: { pk: { S: `arn:aws:ec2:eu-west-1:123456789012:instance/${id}` }, sk: { S: 'claim' } },
      },
    })),
  };
}

const hexWorld = async () => {
  const world = new World();
  await world.join(world.ec2.run(1));
  return world;
};

test('the sample claims are read from the table and answered', async () => {
  const world = new World();
  const { answer, rejects, session } = await keep(world, sampleEvent('claims-stream'));
  assert.deepEqual(answer, { batchItemFailures: [] });
  assert.deepEqual(rejects, []);
  assert.ok(session.log.every((call) => call === 'claims.read'));
});

test('claims of a stream become leases, and are counted by answer', async () => {
  const world = new World();
  for (const number of [1, 2]) world.claim(world.ec2.run(number));
  world.claim('i-3');
  const { answer, metrics } = await keep(world, claimsOf('i-1', 'i-2', 'i-3'));
  assert.deepEqual(answer, { batchItemFailures: [] });
  assert.deepEqual(metrics, { ClaimsGranted: 2, ClaimsPending: 1 });
});

test('a table that fails is answered with the sequence number of the first record to see again', async () => {
  const world = new World();
  for (const number of [1, 2, 3]) world.claim(world.ec2.run(number));
  const { answer } = await keep(
    world,
    claimsOf('i-1', 'i-2', 'i-3'),
    new Session({ at: 1, when: 'before', kind: 'error' }),
  );
  assert.deepEqual(answer, { batchItemFailures: [{ itemIdentifier: '2' }] });
});

test('answers and removals beside the claims wake nobody', async () => {
  const world = new World();
  world.claim(world.ec2.run(1));
  const event = claimsOf('i-1', 'i-1');
  const [first, second] = event.Records;
  assert.ok(first && second);
  first.dynamodb.Keys.sk.S = 'answer';
  second.eventName = 'REMOVE';
  const { session } = await keep(world, event);
  assert.deepEqual(session.log, []);
});

test('H2 a record that is none is rejected and skipped', async () => {
  const world = new World();
  world.claim(world.ec2.run(1));
  const event = claimsOf('i-1', 'i-1');
  const { metrics, answer } = await keep(world, { Records: [event.Records[0], { eventSource: 'aws:dynamodb' }] });
  assert.deepEqual(answer, { batchItemFailures: [] });
  assert.equal(metrics['Rejects'], 1);
  assert.equal(metrics['ClaimsGranted'], 1);
});

test('H7 genuine state changes of EC2 are handled, all six', async () => {
  for (const state of ['pending', 'running', 'stopping', 'stopped', 'shutting-down', 'terminated']) {
    const { answer, rejects } = await keep(await hexWorld(), sampleEvent(`instance-state/${state}`));
    assert.deepEqual(answer, { outcome: 'stranger' });
    assert.deepEqual(rejects, []);
  }
  const world = await hexWorld();
  const genuine = sampleEvent('instance-state/terminated');
  const { answer } = await keep(world, { ...genuine, detail: { 'instance-id': 'i-1', state: 'terminated' } });
  assert.deepEqual(answer, { outcome: 'released' });
  assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 released']);
});

test('H7 H8 what cannot be read is ignored with a metric: an empty detail, an unknown source, no object at all', async () => {
  const genuine = sampleEvent('instance-state/stopped');
  for (const event of [
    { ...genuine, detail: {} },
    { ...genuine, detail: { instanceId: 'i-1', state: 'stopped' } },
    { ...genuine, detail: { 'instance-id': 'i-1', state: 'hibernating' } },
    { ...genuine, time: 'yesterday' },
    { ...genuine, source: 'aws.rds' },
    { source: 'leaseway', 'detail-type': 'Swept' },
    {},
    [],
    null,
    'text',
  ]) {
    const world = await hexWorld();
    const { answer, metrics, session } = await keep(world, event);
    assert.deepEqual(answer, { outcome: 'rejected' });
    assert.deepEqual(metrics, { Rejects: 1 });
    assert.deepEqual(session.log, []);
  }
});

test('F10 a stranger makes one read and no line in the log', async () => {
  const { session, lines } = await keep(await hexWorld(), sampleEvent('instance-state/terminated'));
  assert.deepEqual(session.log, ['book.readHolder']);
  assert.deepEqual(lines, []);
});

test('the sweep reports leases by state, and its own failure as a value', async () => {
  const world = await hexWorld();
  const { metrics, answer } = await keep(world, sampleEvent('sweep'));
  assert.equal(metrics['LeasesActive'], 1);
  assert.equal(metrics['StaleLeases'], 0);
  assert.equal(metrics['SweepFailures'], 0);
  assert.ok('problem' in answer && answer.problem === null);
  world.ec2.outage = 'EC2 is away';
  const failed = await keep(world, sampleEvent('sweep'));
  assert.equal(failed.metrics['SweepFailures'], 1);
  assert.ok('problem' in failed.answer && failed.answer.problem === 'EC2 cannot be read: EC2 is away');
});

test('G2 duplicate leases raise a metric', async () => {
  const world = await hexWorld();
  await world.join(world.ec2.run(2));
  const [, second] = world.leases.leases;
  assert.ok(second);
  world.leases.put({ ...second, instanceId: 'i-1' });
  const { metrics } = await keep(world, sampleEvent('sweep'));
  assert.equal(metrics['LeaseDuplicates'], 1);
});

test('lease commands are answered, wrong ones with the field', async () => {
  const world = await hexWorld();
  for (const name of ['list', 'show', 'network-show', 'release']) {
    const { answer } = await keep(world, sampleEvent(`lease-commands/${name}`));
    assert.ok('ok' in answer && answer.ok, name);
  }
  const { answer } = await keep(world, { command: 'list', al: true });
  assert.ok('ok' in answer && !answer.ok && answer.error.field === 'al');
});

test('the answers are plain JSON', async () => {
  const world = await hexWorld();
  for (const event of [sampleEvent('sweep'), { command: 'list' }, { command: 'network-show' }, { command: 'x' }]) {
    const { answer } = await keep(world, event);
    assert.deepEqual(JSON.parse(JSON.stringify(answer)), answer);
  }
});
