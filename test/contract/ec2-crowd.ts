/** Seven instances, and an EC2 that shows five at once. */
import { type EC2Client, RunInstancesCommand } from '@aws-sdk/client-ec2';
import { ec2Instances } from '../../shared/aws/instances.ts';
import { present, reaches } from './ec2-bench.ts';
import type { Crowd } from './instances-contract.ts';

/** The smallest page that EC2 gives. */
const smallest = 5;

/**
 * Seven calls, because a reservation may be on one page as a whole.
 *
 * @param reader a client of its own: from now on it gets the smallest pages, whatever its caller asks for
 */
export async function ec2Crowd(
  { client, reader, subnetId }: { client: EC2Client; reader: EC2Client; subnetId: string },
  beforeEach: () => void = () => {},
): Promise<Crowd> {
  const enis = new Map<string, string>();
  for (let left = 7; left > 0; left -= 1) {
    beforeEach();
    const run = { ImageId: 'ami-00000000000000001', MinCount: 1, MaxCount: 1, SubnetId: subnetId };
    const { Instances = [] } = await client.send(new RunInstancesCommand({ ...run, InstanceType: 'm6g.large' }));
    const [{ InstanceId, NetworkInterfaces } = {}] = Instances;
    enis.set(present(InstanceId), present(NetworkInterfaces?.[0]?.NetworkInterfaceId));
    await reaches(client, present(InstanceId), 'running');
  }
  reader.middlewareStack.add(
    (next) => async (args) => {
      const input = args.input as { readonly MaxResults?: number };
      return next(input.MaxResults === undefined ? args : { ...args, input: { ...args.input, MaxResults: smallest } });
    },
    { step: 'initialize', name: 'smallPages' },
  );
  return { instances: ec2Instances({ client: reader }), instanceIds: [...enis.keys()], eniIds: [...enis.values()] };
}
