import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeEc2Request, encodeEc2Answer, encodeEc2Error } from '../../../../infra/sandbox/ec2/wire.ts';
import { AwsError } from '../../../../infra/sandbox/service.ts';
import { testEc2 } from './with-ec2.ts';

test('numbered parts become arrays and objects in the order of their numbers', () => {
  const body =
    'Action=DescribeRouteTables&Version=2016-11-15&Filter.1.Name=vpc-id&Filter.1.Value.10=c&Filter.1.Value.2=b' +
    '&Filter.1.Value.1=a&Filter.2.Name=tag%3Ax&Filter.2.Value.1=1%262&RouteTableId.1=rtb-1&DryRun=true';
  assert.deepEqual(decodeEc2Request(body), {
    action: 'DescribeRouteTables',
    params: {
      Filter: [
        { Name: 'vpc-id', Value: ['a', 'b', 'c'] },
        { Name: 'tag:x', Value: ['1&2'] },
      ],
      RouteTableId: ['rtb-1'],
      DryRun: 'true',
    },
  });
});

test('a body without an action has the empty action', () => {
  assert.equal(decodeEc2Request('RouteTableId=rtb-1').action, '');
});

test('names that could reach into objects stay ordinary parameters', () => {
  const { params } = decodeEc2Request('Action=X&__proto__.polluted=1&constructor.1=2');
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  assert.deepEqual(Object.keys(params).sort(), ['__proto__', 'constructor']);
});

test('an answer is spelt as EC2 spells it, empty lists included, texts escaped', () => {
  const answer = {
    RouteTables: [
      {
        RouteTableId: 'rtb-1',
        Routes: [{ DestinationCidrBlock: '0.0.0.0/0', State: 'active' }],
        Associations: [],
        Tags: [{ Key: 'a', Value: '<&>' }],
        VpcId: undefined,
      },
    ],
    NextToken: undefined,
  };
  const xml = encodeEc2Answer('DescribeRouteTables', answer, 'id-1').replace(/^<\?xml.*\?>\n/, '');
  assert.equal(
    xml,
    '<DescribeRouteTablesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>id-1</requestId>' +
      '<routeTableSet><item><routeTableId>rtb-1</routeTableId><routeSet><item>' +
      '<destinationCidrBlock>0.0.0.0/0</destinationCidrBlock><state>active</state></item></routeSet>' +
      '<associationSet/><tagSet><item><key>a</key><value>&lt;&amp;&gt;</value></item></tagSet></item></routeTableSet>' +
      '</DescribeRouteTablesResponse>',
  );
});

test('the state of an instance has a name of its own, the state of a route has not', () => {
  const xml = encodeEc2Answer('RunInstances', { Instances: [{ State: { Code: 0, Name: 'pending' } }] }, 'id-1');
  assert.match(xml, /<instancesSet><item><instanceState><code>0<\/code><name>pending<\/name><\/instanceState>/);
});

test('an error has code, message and request id', () => {
  const xml = encodeEc2Error(new AwsError('InvalidRoute.NotFound', 'no route "a" & b'), 'id-1');
  assert.match(
    xml,
    /<Response><Errors><Error><Code>InvalidRoute\.NotFound<\/Code><Message>no route (&quot;|")a(&quot;|") &amp; b<\/Message><\/Error><\/Errors><RequestID>id-1<\/RequestID><\/Response>$/,
  );
});

testEc2('an unknown action is InvalidAction', async ({ url }) => {
  const response = await fetch(url, { method: 'POST', body: 'Action=CreateMoonBase&Version=2016-11-15' });
  assert.equal(response.status, 400);
  assert.match(await response.text(), /<Code>InvalidAction<\/Code>/);
});
