import { DescribeRouteTablesCommand, EC2Client, type RouteTable } from '@aws-sdk/client-ec2';

/** One call of one operation, which is bundled to see what of the SDK comes along. */
export async function describe(endpoint: string): Promise<readonly RouteTable[] | undefined> {
  const ec2 = new EC2Client({
    endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
  });
  const answer = await ec2.send(new DescribeRouteTablesCommand({ Filters: [{ Name: 'vpc-id', Values: ['vpc-1'] }] }));
  ec2.destroy();
  return answer.RouteTables;
}
