/** Where a run takes its maps from, and who it then is: a file and an id, or DynamoDB and the instance itself. */
import { systemClock } from '../../shared/aws/clock.ts';
import { type Control, startControl } from '../control.ts';
import { imdsEndpoints, openImds } from '../identity/imds.ts';
import { instanceOf, readInstance } from '../identity/instance.ts';
import { readIdentity, refreshIdentity } from '../identity/node-identity.ts';
import type { Runner } from '../linux/runner.ts';
import type { AgentLog, MapSource } from '../reconcile/ports.ts';
import type { ReportDesk } from '../serve/report-desk.ts';
import type { ClockUntil } from '../stoppable-clock.ts';
import { agentVersion } from '../version.ts';
import { fileMapSource } from '../watch/file-map-source.ts';
import { type ClaimOptions, required } from './claim-options.ts';
import type { RunOptions } from './run-options.ts';

export interface Maps {
  readonly instanceId: string;
  readonly source: MapSource;
  /** Null: of a file, without a claim. */
  readonly control: Control | null;
}

export interface MapsPorts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runner: Runner;
  readonly log: AgentLog;
  readonly desk: Pick<ReportDesk, 'appliedRevision' | 'lastMap'>;
}

const clockUntil: ClockUntil = (signal) => systemClock({ signal });

/** @throws InvalidInput, ImdsUnavailable, CommandFailed */
export async function openMaps(options: RunOptions, claim: ClaimOptions, ports: MapsPorts): Promise<Maps> {
  const { map, instance, node } = options;
  const imds = openImds({ clock: systemClock(), endpoints: imdsEndpoints(ports.env) });
  if (map !== null) {
    const instanceId = instance === null ? (await readInstance(imds)).instanceId : idOf(instance);
    return { instanceId, source: fileMapSource({ path: map, clockUntil }), control: null };
  }
  const [claimsTable, mapTable] = [
    required(claim.claimsTable, '--claims-table'),
    required(claim.mapTable, '--map-table'),
  ];
  const { runner, log, desk } = ports;
  const wishes = {
    interfaces: node.interface === null ? [] : [node.interface],
    nodeIp: node.nodeAddresses.ipv4,
    nodeIpv6: node.nodeAddresses.ipv6,
    instanceArn: instance,
    eniId: claim.eniId,
  };
  let identity = await readIdentity({ imds, runner }, wishes);
  const readAgain = async () => {
    identity = await refreshIdentity({ imds, runner }, wishes, identity);
    return identity;
  };
  const { eni, interface: chosen } = identity;
  log.info(`${identity.instance.arn}, ${eni?.eniId ?? 'its primary ENI'}: ${chosen.why}`);
  const control = await startControl(
    {
      network: claim.network,
      claimsTable,
      mapTable,
      stateDir: node.stateDir,
      subnetEnv: node.subnetEnv,
      subnet: claim.subnet,
      poll: options.poll,
      version: agentVersion,
      claims: !options.once && !options.plan,
    },
    { identity, readIdentity: readAgain, runner, clockUntil, log, ...desk },
  );
  return { instanceId: identity.instance.instanceId, source: control.source, control };
}

/** With a map file the id alone counts, which is also the end of an ARN. */
function idOf(instance: string): string {
  return instance.startsWith('arn:') ? instanceOf(instance, '--instance').instanceId : instance;
}
