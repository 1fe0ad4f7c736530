/** The options of `run` that only a node with a claim needs; the tables' names may come from the environment. */
import { type Command, InvalidArgumentError } from 'commander';
import { type Cidr, tryParseCidr } from '../../shared/domain/cidr.ts';
import { InvalidInput } from '../../shared/domain/invalid-input.ts';

export interface ClaimOptions {
  readonly network: string;
  /** Null: not given, which is fine with `--map`. */
  readonly claimsTable: string | null;
  readonly mapTable: string | null;
  readonly subnet: Cidr | null;
  readonly eniId: string | null;
  readonly releaseOnExit: boolean;
}

interface RawOptions {
  network?: string;
  claimsTable?: string;
  mapTable?: string;
  subnet?: Cidr;
  eni?: string;
  releaseOnExit: boolean;
}

export function addClaimOptions(command: Command): Command {
  return command
    .option('--network <name>', "the cluster network's name (environment: NETWORK; default: default)")
    .option('--claims-table <name>', 'where this node writes its claim (environment: CLAIMS_TABLE)')
    .option('--map-table <name>', 'where the map is published (environment: MAP_TABLE)')
    .option('--subnet <cidr>', "ask for this subnet and no other, such as a Kubernetes node's podCIDR", subnet)
    .option('--eni <id>', 'the ENI that peers are to use (default: that of the interface)', eni)
    .option('--release-on-exit', 'give the lease up at the end', false);
}

export function claimOptions(command: Command, env: Readonly<Record<string, string | undefined>>): ClaimOptions {
  const raw = command.opts<RawOptions>();
  return {
    network: raw.network ?? (env['NETWORK'] || 'default'),
    claimsTable: raw.claimsTable ?? (env['CLAIMS_TABLE'] || null),
    mapTable: raw.mapTable ?? (env['MAP_TABLE'] || null),
    subnet: raw.subnet ?? null,
    eniId: raw.eni ?? null,
    releaseOnExit: raw.releaseOnExit,
  };
}

/** @throws InvalidInput that names the option */
export function required(value: string | null, option: string): string {
  if (value !== null) return value;
  throw new InvalidInput(option, undefined, 'is needed without --map');
}

function subnet(text: string): Cidr {
  const cidr = tryParseCidr(text);
  if (cidr?.text === text) return cidr;
  throw new InvalidArgumentError(`${text} is not a subnet such as 10.244.7.0/24.`);
}

function eni(text: string): string {
  if (/^eni-[0-9a-f]{1,17}$/.test(text)) return text;
  throw new InvalidArgumentError(`${text} is not the id of an ENI.`);
}
