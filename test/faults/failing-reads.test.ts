import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { instanceId, tableIds } from './landscape.ts';
import { Stage } from './stage.ts';

test('a failed, throttled or partial read changes nothing, the map included', async (t) => {
  const stage = await Stage.start(t, { nodes: 6 });
  const answers = await stage.join(...[1, 2, 3, 4, 5].map(instanceId));
  await stage.idle();
  await stage.advance(60);
  await stage.schedule('SyncScheduleRule');
  const picture = async () =>
    JSON.stringify([tableIds.map((id) => stage.rows(id)), await mapOf(stage), await leasesOf(stage)]);

  const empty = {
    DescribeRouteTables:
      '<DescribeRouteTablesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r</requestId><routeTableSet/></DescribeRouteTablesResponse>',
    DescribeInstances:
      '<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r</requestId><reservationSet/></DescribeInstancesResponse>',
  };
  const always = { times: 'always' };
  const syncFaults: [string, object][] = [
    ['tables fail', { service: 'ec2', action: 'DescribeRouteTables', error: 'InternalError', status: 500, ...always }],
    [
      'tables are throttled',
      { service: 'ec2', action: 'DescribeRouteTables', error: 'RequestLimitExceeded', status: 503, ...always },
    ],
    [
      'tables are an empty list',
      { service: 'ec2', action: 'DescribeRouteTables', body: empty.DescribeRouteTables, ...always },
    ],
    [
      'tables are garbage with status 200',
      { service: 'ec2', action: 'DescribeRouteTables', body: 'not XML', ...always },
    ],
    [
      'E7: tables are an HTML page with status 502',
      { service: 'ec2', action: 'DescribeRouteTables', body: '<html>bad gateway</html>', status: 502, ...always },
    ],
    [
      'leases fail',
      {
        service: 'dynamodb',
        action: 'Query',
        match: { TableName: stage.names.leases },
        error: 'InternalServerError',
        status: 500,
        ...always,
      },
    ],
    [
      'leases are throttled',
      {
        service: 'dynamodb',
        action: 'Query',
        match: { TableName: stage.names.leases },
        error: 'ProvisionedThroughputExceededException',
        ...always,
      },
    ],
    [
      'leases are an empty list',
      {
        service: 'dynamodb',
        action: 'Query',
        match: { TableName: stage.names.leases },
        body: '{"Count":0,"Items":[],"ScannedCount":0}',
        ...always,
      },
    ],
  ];
  for (const [name, fault] of syncFaults) {
    await t.test(name, async () => {
      const before = await picture();
      await stage.fault(fault);
      stage.forget();
      const report = await stage.resync().catch((error: Error) => ({ status: 'failed', message: error.message }));
      assert.notEqual(report.status, 'ok', JSON.stringify(report));
      await stage.control('DELETE', 'faults');
      assert.deepEqual(stage.writes(), []);
      assert.equal(await picture(), before);
    });
  }

  const sweepFaults: [string, object][] = [
    ['instances fail', { service: 'ec2', action: 'DescribeInstances', error: 'InternalError', status: 500, ...always }],
    [
      'instances are an empty list',
      { service: 'ec2', action: 'DescribeInstances', body: empty.DescribeInstances, ...always },
    ],
    [
      'interfaces fail',
      { service: 'ec2', action: 'DescribeNetworkInterfaces', error: 'InternalError', status: 500, ...always },
    ],
  ];
  for (const [name, fault] of sweepFaults) {
    await t.test(`in a sweep ${name}`, async () => {
      const before = await picture();
      await stage.fault(fault);
      await stage.schedule('SweepScheduleRule');
      await stage.control('DELETE', 'faults');
      assert.equal(await picture(), before);
    });
  }

  await t.test('and afterwards everything works', async () => {
    await stage.ec2.send(new TerminateInstancesCommand({ InstanceIds: [instanceId(1)] }));
    for (let look = 0; look < 500 && stage.ours('rtb-a').length > 4; look += 1)
      await new Promise((done) => setTimeout(done, 20));
    await stage.idle();
    for (const id of tableIds) assert.equal(stage.ours(id).length, answers.length - 1);
  });
});

async function mapOf(stage: Stage): Promise<unknown> {
  const [head] = await stage.items('map', 'head');
  return [head?.['revision'], head?.['parts']];
}

async function leasesOf(stage: Stage): Promise<unknown> {
  return (await stage.items('leases', 'lease#')).map((item) => [item['sk'], item['state'], item['version']]);
}
