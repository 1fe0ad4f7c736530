/**
 * Policy rules that are asked before table main, in which all rows of ours are. Tools that give each network interface a
 * table of its own (ec2-net-utils of Amazon Linux, VPN clients, multi-homing) add such rules, and packets from the address
 * that they name then pass by our rows. The rules are the host's, so the agent names them and leaves them alone.
 */
import { baseAddress, type Cidr, contains, type Family, tryParseCidr } from '../../shared/domain/cidr.ts';
import type { NodeFacts } from '../../shared/domain/node-facts.ts';
import type { PathKind } from '../../shared/domain/path.ts';
import { isMembers, type Members, numberIn, parseDump, readDump, textIn } from './dump.ts';
import type { Link } from './read-links.ts';
import { CommandFailed, type Runner } from './runner.ts';

/** Where packets to one peer shall go. */
export interface WayToPeer {
  readonly subnet: string;
  readonly path: PathKind | null;
  readonly via: string | null;
  readonly dev: string | null;
}

export interface Sources {
  readonly facts: Pick<NodeFacts, 'addresses'>;
  readonly links: readonly Link[];
  /** The node's own subnets. */
  readonly own: readonly Cidr[];
}

/** A sentence for each source and path that a rule leads astray. The kernel itself is asked, because rules can say much. */
export async function policyRuleProblems(
  runner: Runner,
  networks: readonly Cidr[],
  ways: readonly WayToPeer[],
  sources: Sources,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const network of networks) {
    const { family } = network;
    const first = firstRule(await readRules(runner, family));
    if (first === null) continue;
    for (const way of oneOfEach(ways, network)) {
      for (const source of sourcesOf(family, sources)) {
        const astray = await whereTo(runner, family, source, way);
        if (astray === null) continue;
        problems.push(
          `packets from ${source} to ${way.subnet} ${astray}, past our rows: a policy rule comes before table main ` +
            `(a rule "to ${network.text} lookup main" with a priority below ${first} puts it right)`,
        );
      }
    }
  }
  return problems;
}

/** RT_TABLE_MAIN and RT_TABLE_LOCAL; `-N` prints the number. */
const mainTables = ['254', 'main'];
const localTables = ['255', 'local'];

/** The kernel may be one without policy routing, or without the family: then there are no rules. */
async function readRules(runner: Runner, family: Family): Promise<readonly Members[]> {
  try {
    return await readDump(runner, ['ip', '-N', '-json', family === 'ipv4' ? '-4' : '-6', 'rule', 'show']);
  } catch (error) {
    if (error instanceof CommandFailed) return [];
    throw error;
  }
}

/** The priority of the first rule that asks another table before all packets are looked up in main; null: none does. */
function firstRule(rules: readonly Members[]): number | null {
  for (const rule of rules) {
    const table = textIn(rule, 'table') ?? '';
    if (mainTables.includes(table)) {
      if (textIn(rule, 'src') === 'all' && Object.keys(rule).every((key) => plainMembers.has(key))) return null;
    } else if (!localTables.includes(table)) return numberIn(rule, 'priority') ?? 0;
  }
  return null;
}

const plainMembers: ReadonlySet<string> = new Set(['priority', 'src', 'table', 'protocol']);

/** The first peer of each kind of path stands for all of them. */
function oneOfEach(ways: readonly WayToPeer[], network: Cidr): readonly (WayToPeer & { readonly host: string })[] {
  const found = new Map<PathKind, WayToPeer & { host: string }>();
  for (const way of ways) {
    const subnet = tryParseCidr(way.subnet);
    if (way.path === null || found.has(way.path) || subnet === null || !contains(network, subnet)) continue;
    found.set(way.path, { ...way, host: baseAddress(subnet) });
  }
  return [...found.values()];
}

/** The node's own address, and one of this host's in its subnet, which stands for its pods. */
function sourcesOf(family: Family, { facts, links, own }: Sources): readonly string[] {
  const ours = links
    .flatMap(({ addresses }) => addresses)
    .find(({ address }) => own.some((subnet) => subnet.family === family && isIn(subnet, address)));
  return [facts.addresses[family]?.address, ours?.address].filter((address) => address !== undefined);
}

function isIn(subnet: Cidr, address: string): boolean {
  const host = tryParseCidr(`${address}/${subnet.family === 'ipv4' ? 32 : 128}`);
  return host !== null && contains(subnet, host);
}

/** How the kernel would send it instead; null: as it shall, or by a row of table main. */
async function whereTo(
  runner: Runner,
  family: Family,
  source: string,
  { host, via, dev }: WayToPeer & { readonly host: string },
): Promise<string | null> {
  const argv = ['ip', '-N', '-json', family === 'ipv4' ? '-4' : '-6', 'route', 'get', host, 'from', source];
  let said: string;
  try {
    said = await runner.output(argv);
  } catch (error) {
    if (error instanceof CommandFailed) return 'are not routed';
    throw error;
  }
  const [route] = parseDump(said, argv.join(' ')).filter(isMembers);
  const table = route === undefined ? null : textIn(route, 'table');
  if (route === undefined || table === null || mainTables.includes(table)) return null;
  const [gateway, device] = [textIn(route, 'gateway'), textIn(route, 'dev')];
  if (gateway === via && device === dev) return null;
  return `go ${gateway === null ? '' : `via ${gateway} `}dev ${device ?? 'none'} by table ${table}`;
}
