import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ec2Client, ec2WriteClient } from '../../../shared/aws/clients.ts';
import { ec2RouteTables } from '../../../shared/aws/route-tables.ts';
import { parseCidr } from '../../../shared/domain/cidr.ts';
import { type Meaning, Refusal } from '../../../shared/reconcile/ports.ts';
import { type Answer, type Call, ec2Answer, ec2Error, scriptedEndpoint } from './scripted-endpoint.ts';

const destination = parseCidr('10.244.1.0/24', 'destination');
const ipv6 = parseCidr('fd00:244:0:1::/64', 'destination');

async function scripted(t: TestContext, answer: (call: Call, index: number) => Answer, signal?: AbortSignal) {
  const { calls, options } = await scriptedEndpoint(t, answer);
  const reads = ec2Client(options);
  const writes = ec2WriteClient(options);
  t.after(() => {
    reads.destroy();
    writes.destroy();
  });
  return { calls, tables: ec2RouteTables({ reads, writes, signal }) };
}

function page(next: string | null, ...ids: string[]): Answer {
  const items = ids.map((id) => `<item><routeTableId>${id}</routeTableId><vpcId>vpc-1</vpcId><routeSet/></item>`);
  const token = next === null ? '' : `<nextToken>${next}</nextToken>`;
  return ec2Answer('DescribeRouteTables', `<routeTableSet>${items.join('')}</routeTableSet>${token}`);
}

function meaning(expected: Meaning) {
  return (error: unknown) => error instanceof Refusal && error.meaning === expected;
}

test('C8: reads by filter and in pages, and every page', async (t) => {
  const { tables, calls } = await scripted(t, ({ form }) => {
    // As large accounts do it.
    const isQualified = form.has('Filter.1.Name') && form.has('MaxResults') && !form.has('RouteTableId.1');
    if (!isQualified) return ec2Error('OperationNotPermitted');
    const at = Number(form.get('NextToken') ?? '1');
    return page(at === 3 ? null : String(at + 1), `rtb-${at}a`, ...(at === 3 ? [] : [`rtb-${at}b`]));
  });
  const read = await tables.readVpc('vpc-1');
  assert.deepEqual(
    read.map(({ id }) => id),
    ['rtb-1a', 'rtb-1b', 'rtb-2a', 'rtb-2b', 'rtb-3a'],
  );
  assert.deepEqual(
    calls.map(({ form }) => [form.get('Filter.1.Name'), form.get('Filter.1.Value.1'), form.get('MaxResults')]),
    Array.from({ length: 3 }, () => ['vpc-id', 'vpc-1', '100']),
  );
});

test('C8: a refused read is no empty one', async (t) => {
  const { tables } = await scripted(t, () => ec2Error('OperationNotPermitted'));
  await assert.rejects(tables.readVpc('vpc-1'), meaning('invalid'));
});

test('C9: pages that go round in a circle end', { timeout: 60_000 }, async (t) => {
  const { tables } = await scripted(t, () => page('again', 'rtb-1'));
  await assert.rejects(tables.readVpc('vpc-1'), meaning('transient'));
});

test('C9: pages that change between two tokens end as well', { timeout: 60_000 }, async (t) => {
  const { tables } = await scripted(t, ({ form }) => page(form.get('NextToken') === 'a' ? 'b' : 'a', 'rtb-1'));
  await assert.rejects(tables.readVpc('vpc-1'), meaning('transient'));
});

test('an empty token is the end', async (t) => {
  const { tables, calls } = await scripted(t, () => page('', 'rtb-1'));
  assert.equal((await tables.readVpc('vpc-1')).length, 1);
  assert.equal(calls.length, 1);
});

test('a second page that fails fails the whole read', async (t) => {
  const { tables } = await scripted(t, ({ form }) =>
    form.has('NextToken') ? ec2Error('UnauthorizedOperation', 403) : page('2', 'rtb-1'),
  );
  await assert.rejects(tables.readVpc('vpc-1'), meaning('denied'));
});

for (const [what, body] of [
  ['a page of HTML', '<html><body>welcome</body></html>'],
  ['nothing at all', ''],
  ['an answer without the list', '<DescribeRouteTablesResponse><requestId>r</requestId></DescribeRouteTablesResponse>'],
  ['half an answer', '<DescribeRouteTablesResponse><routeTableSet><item>'],
] as const) {
  test(`${what} with status 200 is no empty list`, async (t) => {
    const { tables } = await scripted(t, () => ({ body }));
    await assert.rejects(tables.readVpc('vpc-1'), meaning('transient'));
  });
}

test('a table that came without its routes is no empty table', async (t) => {
  const cut = '<routeTableSet><item><routeTableId>rtb-1</routeTableId><vpcId>vpc-1</vpcId></item></routeTableSet>';
  const { tables } = await scripted(t, () => ec2Answer('DescribeRouteTables', cut));
  await assert.rejects(tables.readVpc('vpc-1'), meaning('transient'));
});

test('a row without any destination makes the read fail, not the row vanish', async (t) => {
  const row = '<item><networkInterfaceId>eni-1</networkInterfaceId><state>active</state></item>';
  const { tables } = await scripted(t, () =>
    ec2Answer(
      'DescribeRouteTables',
      `<routeTableSet><item><routeTableId>rtb-1</routeTableId><routeSet>${row}</routeSet></item></routeTableSet>`,
    ),
  );
  await assert.rejects(tables.readVpc('vpc-1'), meaning('transient'));
});

test('more ids than a filter takes are asked for in several reads, each once', async (t) => {
  const ids = Array.from({ length: 201 }, (_, index) => `rtb-${index}`);
  const { tables, calls } = await scripted(t, () => page(null));
  await tables.readSome([...ids, 'rtb-0']);
  const asked = calls.map(({ form }) => [...form.keys()].filter((key) => key.startsWith('Filter.1.Value.')).length);
  assert.deepEqual(asked, [200, 1]);
});

test('E7: a read is tried again, whatever the shape of the trouble', async (t) => {
  const troubles: Answer[] = [
    ec2Error('RequestLimitExceeded', 503),
    ec2Error('Unavailable', 503),
    { status: 503, body: '<html>no</html>' },
    'reset',
  ];
  for (const trouble of troubles) {
    const { tables, calls } = await scripted(t, (_, index) => (index === 0 ? trouble : page(null, 'rtb-1')));
    assert.equal((await tables.readVpc('vpc-1')).length, 1);
    assert.equal(calls.length, 2);
  }
});

test('E7: a write is tried once and its trouble handed up', async (t) => {
  const troubles: [Answer, Meaning][] = [
    [ec2Error('RequestLimitExceeded', 503), 'throttled'],
    [ec2Error('Unavailable', 503), 'transient'],
    [{ status: 502, body: 'bad gateway' }, 'transient'],
    [{ status: 404, body: '<html>no such page</html>' }, 'transient'],
    ['reset', 'transient'],
    [ec2Error('UnauthorizedOperation', 403), 'denied'],
  ];
  for (const [trouble, expected] of troubles) {
    const { tables, calls } = await scripted(t, () => trouble);
    await assert.rejects(tables.create('rtb-1', destination, 'eni-1'), meaning(expected));
    await assert.rejects(tables.replace('rtb-1', destination, 'eni-1'), meaning(expected));
    await assert.rejects(tables.remove('rtb-1', destination), meaning(expected));
    assert.equal(calls.length, 3);
  }
});

test('a create that is not confirmed is not known to have worked', async (t) => {
  for (const answer of [{ body: '<html/>' }, ec2Answer('CreateRoute', '<return>false</return>')]) {
    const { tables } = await scripted(t, () => answer);
    await assert.rejects(tables.create('rtb-1', destination, 'eni-1'), meaning('transient'));
  }
});

test('B3 D3: writes name the ENI, and the destination in the field of its family', async (t) => {
  const { tables, calls } = await scripted(t, ({ action }) => ec2Answer(action, '<return>true</return>'));
  for (const cidr of [destination, ipv6]) {
    await tables.create('rtb-1', cidr, 'eni-1');
    await tables.replace('rtb-1', cidr, 'eni-1');
    await tables.remove('rtb-1', cidr);
  }
  const fields = calls.map(({ form }) => {
    const { Version, ...rest } = Object.fromEntries(form);
    return rest;
  });
  const target = { RouteTableId: 'rtb-1', NetworkInterfaceId: 'eni-1' };
  const ipv4Field = { DestinationCidrBlock: '10.244.1.0/24' };
  const ipv6Field = { DestinationIpv6CidrBlock: 'fd00:244:0:1::/64' };
  assert.deepEqual(fields, [
    { Action: 'CreateRoute', ...target, ...ipv4Field },
    { Action: 'ReplaceRoute', ...target, ...ipv4Field },
    { Action: 'DeleteRoute', RouteTableId: 'rtb-1', ...ipv4Field },
    { Action: 'CreateRoute', ...target, ...ipv6Field },
    { Action: 'ReplaceRoute', ...target, ...ipv6Field },
    { Action: 'DeleteRoute', RouteTableId: 'rtb-1', ...ipv6Field },
  ]);
});

for (const way of ['silence', 'stall'] as const) {
  test(`no call outlives its caller: ${way}`, async (t) => {
    const deadline = new AbortController();
    const answer = () => {
      // Once the answer is on its way: a stalled one has then given its headers.
      setTimeout(() => deadline.abort(), 50);
      return way;
    };
    const { tables, calls } = await scripted(t, answer, deadline.signal);
    await assert.rejects(tables.create('rtb-1', destination, 'eni-1'), (error) => {
      assert.ok(error instanceof Refusal && error.meaning === 'transient');
      // Ended by the caller's signal, and not by a time-out of the client or of the call.
      return error.code === 'AbortError' || (way === 'stall' && error.code === 'ECONNRESET');
    });
    await assert.rejects(tables.readVpc('vpc-1'), meaning('transient'));
    assert.equal(calls.length, 1);
  });
}

test('a caller that has to be done makes no further call', async (t) => {
  const { tables, calls } = await scripted(t, () => page(null), AbortSignal.abort());
  await assert.rejects(tables.readVpc('vpc-1'), meaning('transient'));
  assert.deepEqual(calls, []);
});
