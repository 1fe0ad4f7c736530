/** What nodes do, and what becomes of the route tables. `routes` is what the tables must hold: ENI by destination. */
import {
  AttachNetworkInterfaceCommand,
  CreateNetworkInterfaceCommand,
  DescribeNetworkInterfacesCommand,
  RunInstancesCommand,
  StartInstancesCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { Answer } from './aws.ts';
import { listedTables, type Node, nodes } from './landscape.ts';
import type { Stage } from './stage.ts';

export type Routes = Map<string, string>;

/** Writes a claim and waits for its answer. */
async function granted(stage: Stage, instanceId: string, claimId: string, wanted = {}): Promise<Answer> {
  await stage.aws.claim(instanceId, claimId, wanted);
  let answer: Answer | null = null;
  await stage.becomes(`${instanceId} is granted a subnet`, async () => {
    answer = await stage.aws.answer(instanceId);
    if (answer?.claimId !== claimId) return 'no answer';
    return answer.status === 'granted' ? null : `${answer.status}: ${answer.reason}`;
  });
  if (answer === null) throw new Error('an answer was checked and is gone');
  return answer;
}

export async function join(stage: Stage, routes: Routes): Promise<void> {
  await stage.chapter('1. Six nodes join');
  stage.say('Each writes a claim to the claims table, with the rights of its own instance and no others.');
  for (const { instanceId } of nodes) await stage.aws.claim(instanceId, `join-${instanceId}`);
  await stage.becomes('every node is answered with a subnet of its own', async () => {
    routes.clear();
    for (const { instanceId, eniId } of nodes) {
      const answer = await stage.aws.answer(instanceId);
      if (answer?.status !== 'granted' || answer.subnet === undefined) {
        return `${instanceId}: ${answer?.status ?? 'no answer'} ${answer?.reason ?? ''}`;
      }
      routes.set(answer.subnet, eniId);
    }
    return routes.size === nodes.length ? null : `one subnet was granted twice: ${[...routes.keys()].join(', ')}`;
  });
  await stage.tablesBecome('every listed table routes all six subnets', routes, listedTables);
  await stage.showChanges();
  await stage.checkWrites('18 CreateRoute');
  const { NetworkInterfaces = [] } = await stage.aws.ec2.send(
    new DescribeNetworkInterfacesCommand({ MaxResults: 100 }),
  );
  const checked = NetworkInterfaces.filter((eni) => eni.SourceDestCheck !== false).map((eni) => eni.NetworkInterfaceId);
  stage.check('source/destination checks are off', checked.length === 0, `still on: ${checked.join(', ')}`);
}

export async function terminate(stage: Stage, routes: Routes): Promise<void> {
  const node = nodeOf('i-b2');
  const destination = destinationOf(routes, node.eniId);
  await stage.chapter(`3. ${node.instanceId} is terminated`);
  await stage.aws.ec2.send(new TerminateInstancesCommand({ InstanceIds: [node.instanceId] }));
  await stage.becomes(`EC2 leaves a blackhole for ${destination} in every listed table`, async () => {
    const seen = listedTables.filter((id) => isBlackholeIn(stage, id, destination));
    return seen.length === listedTables.length ? null : `seen in ${seen.join(', ') || 'none'}`;
  });
  routes.delete(destination);
  await stage.tablesBecome('the blackholes are gone, nothing else changed', routes, listedTables);
  await stage.showChanges();
  await stage.checkWrites('3 DeleteRoute');
}

/** Looks into the sandbox itself: through its API the look would come too late. */
function isBlackholeIn(stage: Stage, tableId: string, destination: string): boolean {
  const table = stage.sandbox.ec2.snapshot().routeTables.find((candidate) => candidate['RouteTableId'] === tableId);
  const rows = (table?.['Routes'] ?? []) as readonly { DestinationCidrBlock?: string; State?: string }[];
  return rows.some((row) => row.DestinationCidrBlock === destination && row.State === 'blackhole');
}

/** Gives the destination that is withdrawn. */
export async function night(stage: Stage, routes: Routes): Promise<string> {
  const node = nodeOf('i-c1');
  const destination = destinationOf(routes, node.eniId);
  await stage.chapter(`4. ${node.instanceId} is stopped for the night`);
  await stage.aws.ec2.send(new StopInstancesCommand({ InstanceIds: [node.instanceId] }));
  routes.delete(destination);
  await stage.tablesBecome('its route is withdrawn from every listed table', routes, listedTables);
  await stage.showChanges();
  await stage.checkWrites('3 DeleteRoute');
  return destination;
}

export async function morning(stage: Stage, routes: Routes, asleep: string): Promise<void> {
  const [sleeper, mover] = [nodeOf('i-c1'), nodeOf('i-a2')];
  const destination = destinationOf(routes, mover.eniId);
  await stage.chapter(`5. ${sleeper.instanceId} starts again, ${mover.instanceId} moves to another network interface`);
  const { ec2 } = stage.aws;
  await ec2.send(new StartInstancesCommand({ InstanceIds: [sleeper.instanceId] }));
  const { NetworkInterface } = await ec2.send(new CreateNetworkInterfaceCommand({ SubnetId: mover.subnetId }));
  const eniId = NetworkInterface?.NetworkInterfaceId ?? '';
  await ec2.send(
    new AttachNetworkInterfaceCommand({ NetworkInterfaceId: eniId, InstanceId: mover.instanceId, DeviceIndex: 1 }),
  );
  const { subnet } = await granted(stage, mover.instanceId, 'move', { eniId });
  stage.check(`it keeps ${destination}`, subnet === destination, `it got ${subnet}`);
  routes.set(asleep, sleeper.eniId);
  routes.set(destination, eniId);
  await stage.tablesBecome(
    `every listed table has ${asleep} again, without a claim, and points to the new interface`,
    routes,
    listedTables,
  );
  await stage.showChanges();
  // One call changes a next hop: at no moment was there no route.
  await stage.checkWrites('3 CreateRoute, 3 ReplaceRoute');
}

export async function replaceNode(stage: Stage, routes: Routes): Promise<void> {
  const old = nodeOf('i-b1');
  const destination = destinationOf(routes, old.eniId);
  await stage.chapter(`6. ${old.instanceId} is replaced by a new instance, which asks for the same subnet`);
  const { ec2 } = stage.aws;
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [old.instanceId] }));
  routes.delete(destination);
  await stage.tablesBecome(`${old.instanceId} is out of every listed table`, routes, listedTables);
  const run = new RunInstancesCommand({ ImageId: 'ami-1', MinCount: 1, MaxCount: 1, SubnetId: old.subnetId });
  const instance = (await ec2.send(run)).Instances?.[0];
  const instanceId = instance?.InstanceId ?? '';
  const eniId = instance?.NetworkInterfaces?.[0]?.NetworkInterfaceId ?? '';
  const { subnet } = await granted(stage, instanceId, 'replacement', { subnet: destination });
  stage.check(`it is granted ${destination}`, subnet === destination, `it got ${subnet}`);
  routes.set(destination, eniId);
  await stage.tablesBecome('every listed table points to the new instance', routes, listedTables);
  await stage.showChanges();
  await stage.checkWrites('3 CreateRoute, 3 DeleteRoute');
}

function nodeOf(instanceId: string): Node {
  const node = nodes.find((candidate) => candidate.instanceId === instanceId);
  if (node === undefined) throw new Error(`the demo has no node ${instanceId}`);
  return node;
}

function destinationOf(routes: Routes, eniId: string): string {
  const entry = [...routes].find(([, eni]) => eni === eniId);
  if (entry === undefined) throw new Error(`no route leads to ${eniId}`);
  return entry[0];
}
