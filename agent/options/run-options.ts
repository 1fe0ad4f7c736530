/** `run`'s options as values: parsed once, refused by name. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Family, tryParseAddress, tryParseCidr } from '../../shared/domain/cidr.ts';
import { InvalidInput } from '../../shared/domain/invalid-input.ts';
import type { NodeOptions } from '../reconcile/node-options.ts';
import { type ListenAddress, parseListen } from '../serve/listen-address.ts';

export interface RunOptions {
  /** Null: maps come from DynamoDB. */
  readonly map: string | null;
  /** Null: of the instance metadata service. */
  readonly instance: string | null;
  readonly node: Omit<NodeOptions, 'instanceId'>;
  readonly once: boolean;
  readonly plan: boolean;
  /** Of the health endpoints; null: none are wanted. */
  readonly listen: ListenAddress | null;
  /** Milliseconds. */
  readonly poll: number;
  readonly sweep: number;
}

export const defaultStateDir = '/var/lib/leaseway';
const defaultSubnetEnv = '/run/flannel/subnet.env';
const defaultListen = '127.0.0.1:9476';

interface RawOptions {
  map?: string;
  instance?: string;
  interface?: string;
  nodeIp?: string;
  nodeIpv6?: string;
  gateway: readonly string[];
  stateDir: string;
  subnetEnv: string;
  /** Commander turns a parser's null into empty text, so that "off" needs a word. */
  listen: ListenAddress | 'off';
  rpFilter: NodeOptions['rpFilter'];
  masquerade: boolean;
  masqueradeExempt: readonly string[];
  forwarding: boolean;
  poll: number;
  sweep: number;
  once: boolean;
  plan: boolean;
}

export function addRunOptions(command: Command): Command {
  return command
    .option('--map <file>', 'read the map from a file instead of DynamoDB')
    .option(
      '--instance <id>',
      "this instance's id, or without --map its ARN (default: of the instance metadata service)",
    )
    .option('--interface <name>', "the uplink, by name, address or pattern (default: the default route's)")
    .option('--node-ip <address>', "this node's IPv4 address (default: the lease's)", addressOf('ipv4'))
    .option('--node-ipv6 <address>', "this node's IPv6 address (default: the lease's)", addressOf('ipv6'))
    .option(
      '--gateway <address>',
      'the VPC router, once for each family (default: the default gateway)',
      addAddress,
      [],
    )
    .option('--state-dir <folder>', 'where the agent keeps its state', defaultStateDir)
    .option('--subnet-env <file>', 'where the CNI plugin looks', defaultSubnetEnv)
    .addOption(
      new Option('--listen <address>', 'address and port of health and metrics, or off')
        .argParser(listenAddress)
        .default(listenAddress(defaultListen), defaultListen),
    )
    .addOption(
      new Option('--rp-filter <mode>', 'reverse path filter of the uplink')
        .choices(['auto', 'loose', 'keep'])
        .default('auto', 'loose with a fallback'),
    )
    .option('--masquerade', "give packets that leave the network the node's address", false)
    .option('--masquerade-exempt <cidr>', 'keep the source towards this range; may be repeated', addRange, [])
    .option('--forwarding', 'switch IP forwarding on', false)
    .addOption(new Option('--poll <seconds>', 'how often the map is asked for').argParser(seconds).default(5_000, '5'))
    .addOption(
      new Option('--sweep <seconds>', 'how often the kernel is read without being asked to')
        .argParser(seconds)
        .default(10_000, '10'),
    )
    .option('--once', 'reconcile once and exit: 0 all programmed, 2 some skipped, 1 none', false)
    .option('--plan', 'print the ip and bridge commands and change nothing', false);
}

export function runOptions(command: Command): RunOptions {
  const raw = command.opts<RawOptions>();
  const gateway = (family: Family): string | null =>
    raw.gateway.find((address) => tryParseAddress(address)?.family === family) ?? null;
  return {
    map: raw.map ?? null,
    instance: raw.instance ?? null,
    node: {
      interface: raw.interface ?? null,
      nodeAddresses: { ipv4: raw.nodeIp ?? null, ipv6: raw.nodeIpv6 ?? null },
      gateways: { ipv4: gateway('ipv4'), ipv6: gateway('ipv6') },
      stateDir: raw.stateDir,
      subnetEnv: raw.subnetEnv === '' ? null : raw.subnetEnv,
      rpFilter: raw.rpFilter,
      masquerade: raw.masquerade,
      masqueradeExempt: raw.masqueradeExempt,
      forwarding: raw.forwarding,
    },
    once: raw.once,
    plan: raw.plan,
    listen: raw.listen === 'off' ? null : raw.listen,
    poll: raw.poll,
    sweep: raw.sweep,
  };
}

function addressOf(family: Family): (text: string) => string {
  return (text) => {
    const address = tryParseAddress(text);
    if (address?.family === family) return address.text;
    throw new InvalidArgumentError(`${text} is not an ${family === 'ipv4' ? 'IPv4' : 'IPv6'} address.`);
  };
}

function listenAddress(text: string): ListenAddress | 'off' {
  try {
    return parseListen(text) ?? 'off';
  } catch (error) {
    if (error instanceof InvalidInput) throw new InvalidArgumentError(`It ${error.problem}.`);
    throw error;
  }
}

function addAddress(text: string, earlier: readonly string[]): readonly string[] {
  const address = tryParseAddress(text);
  if (address === null) throw new InvalidArgumentError(`${text} is not an IP address.`);
  return [...earlier, address.text];
}

function addRange(text: string, earlier: readonly string[]): readonly string[] {
  const range = tryParseCidr(text);
  if (range === null) throw new InvalidArgumentError(`${text} is not a CIDR block such as 10.0.0.0/16.`);
  return [...earlier, range.text];
}

/** Milliseconds. */
function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= 86_400) return value * 1000;
  throw new InvalidArgumentError(`${text} is not a number of seconds.`);
}
