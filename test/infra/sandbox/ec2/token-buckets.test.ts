import assert from 'node:assert/strict';
import {
  CreateRouteCommand,
  DescribeInstancesCommand,
  DescribeRouteTablesCommand,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2';
import { addRoute, makeInterface, makeNetwork, refusal } from '../../../contract/ec2-bench.ts';
import { testEc2 } from './with-ec2.ts';

const throttled = /^503 RequestLimitExceeded: Request limit exceeded\. Account 123456789012 has been throttled on ec2:/;

/** How many of the calls go through when they come all at once. */
async function accepted(count: number, call: () => Promise<unknown>): Promise<number> {
  const said = await Promise.all(Array.from({ length: count }, () => refusal(call())));
  const refused = said.filter((text) => text !== 'accepted');
  for (const text of refused) assert.match(text, throttled);
  return count - refused.length;
}

testEc2('CreateRoute allows 50 at once and 5 a second after that', async (ec2) => {
  const network = await makeNetwork(ec2);
  const eniId = await makeInterface(ec2.client, network.subnetId);
  const create = () => addRoute(network, '10.244.1.0/24', eniId);
  assert.equal(await accepted(60, create), 50);
  ec2.advance(1);
  assert.equal(await accepted(10, create), 5);
  ec2.advance(1000);
  assert.equal(await accepted(60, create), 50);
});

testEc2('each action has a bucket of its own, and refused calls count', async (ec2) => {
  const unknown = { RouteTableId: 'rtb-0aaaaaaaaaaaaaaaa', DestinationCidrBlock: '10.244.1.0/24' };
  const create = () =>
    ec2.client.send(new CreateRouteCommand({ ...unknown, NetworkInterfaceId: 'eni-0aaaaaaaaaaaaaaaa' }));
  for (let index = 0; index < 50; index += 1) assert.match(await refusal(create()), /NotFound/);
  assert.match(await refusal(create()), throttled);
  assert.equal(await refusal(ec2.client.send(new DescribeRouteTablesCommand({}))), 'accepted');
});

testEc2('reads allow 100 at once, unfiltered and unpaged reads of instances 50', async ({ client }) => {
  assert.equal(await accepted(110, () => client.send(new DescribeRouteTablesCommand({}))), 100);
  assert.equal(await accepted(60, () => client.send(new DescribeInstancesCommand({}))), 50);
  assert.equal(await accepted(110, () => client.send(new DescribeInstancesCommand({ MaxResults: 5 }))), 100);
});

testEc2('RunInstances is bounded by calls and by instances', async (ec2) => {
  const { subnetId } = await makeNetwork(ec2);
  const run = (count: number) => () =>
    ec2.client.send(
      new RunInstancesCommand({ ImageId: 'ami-1', MinCount: count, MaxCount: count, SubnetId: subnetId }),
    );
  assert.equal(await accepted(6, run(1)), 5);
  ec2.advance(2);
  assert.match(await refusal(run(1001)()), throttled);
});

testEc2('buckets can be resized and switched off', async ({ client, ec2 }) => {
  const read = () => client.send(new DescribeRouteTablesCommand({}));
  ec2.setTokenBucket('DescribeRouteTables', { burst: 3, perSecond: 1 });
  assert.equal(await accepted(10, read), 3);
  ec2.setTokenBucket('DescribeRouteTables', 'unlimited');
  assert.equal(await accepted(120, read), 120);
  ec2.setTokenBucket('DescribeRouteTables', { burst: 3, perSecond: 1 });
  ec2.throttle(false);
  assert.equal(await accepted(10, read), 10);
});
