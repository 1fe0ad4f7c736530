/** The commands of `ip` and `bridge` that the agent and the tests use, on the fake kernel's state. */
import { parseCidr, tryParseAddress } from '../../../shared/domain/cidr.ts';
import {
  connect,
  deleteAddress,
  deleteLink,
  type FakeRoute,
  isReachable,
  type KernelState,
  linkOf,
  Refused,
  setUp,
} from './kernel-state.ts';

/** Does what the words say. @throws Refused, and Error for what it does not know. */
export function execute(state: KernelState, words: readonly string[]): void {
  const [object, verb, ...rest] = words[0] === '-6' ? words.slice(1) : words;
  const command = commands[`${object} ${verb}`];
  if (command === undefined) throw new Error(`the fake kernel does not know: ${words.join(' ')}`);
  command(state, rest);
}

type Command = (state: KernelState, words: readonly string[]) => void;

const commands: Readonly<Record<string, Command>> = {
  'link add': addLink,
  'link set': setLink,
  'link del': (state, [name = '']) => deleteLink(state, name),
  'address add': addAddress,
  'address del': (state, [address = '', , name = '']) => deleteAddress(state, name, address),
  'route add': (state, words) => putRoute(state, words, false),
  'route replace': (state, words) => putRoute(state, words, true),
  'route del': deleteRoute,
  'neigh replace': putNeighbour,
  'neigh flush': flushNeighbours,
  'fdb replace': putFdbEntry,
  'fdb del': deleteFdbEntry,
};

/** `via X dev Y` as members. */
function after(words: readonly string[], key: string): string | null {
  const at = words.indexOf(key);
  return at < 0 ? null : (words[at + 1] ?? null);
}

function vxlanOf(words: readonly string[], before: { learning: boolean; gbp: boolean } | null) {
  const learning = words.includes('learning') || (!words.includes('nolearning') && (before?.learning ?? true));
  return {
    id: Number(after(words, 'id')),
    local: after(words, 'local') ?? '',
    port: Number(after(words, 'dstport') ?? 8472),
    learning,
    gbp: words.includes('gbp') || (before?.gbp ?? false),
  };
}

function addLink(state: KernelState, [name = '', ...words]: readonly string[]): void {
  if (state.links.some((link) => link.name === name)) throw new Refused('RTNETLINK answers: File exists');
  const kind = after(words, 'type');
  const vxlan = kind === 'vxlan' ? vxlanOf(words, null) : null;
  const twin = state.links.find(
    (link) =>
      vxlan !== null &&
      link.vxlan?.id === vxlan.id &&
      link.vxlan.port === vxlan.port &&
      link.vxlan.local.includes(':') === vxlan.local.includes(':'),
  );
  if (twin !== undefined) throw new Refused('Error: A VXLAN device with the specified VNI already exists.');
  state.links.push({
    name,
    kind,
    up: false,
    mtu: Number(after(words, 'mtu') ?? 1500),
    mac: after(words, 'address') ?? '06:00:00:00:00:00',
    mode: 'eui64',
    lower: after(words, 'dev'),
    vxlan,
    addresses: [],
  });
}

function setLink(state: KernelState, [name = '', ...words]: readonly string[]): void {
  const link = linkOf(state, name);
  if (words[0] === 'type' && link.vxlan !== null) {
    link.vxlan = { ...vxlanOf(words, link.vxlan), port: link.vxlan.port };
    link.lower = after(words, 'dev') ?? link.lower;
    return;
  }
  link.mtu = Number(after(words, 'mtu') ?? link.mtu);
  link.mac = after(words, 'address') ?? link.mac;
  if (words[0] === 'addrgenmode' && !state.ipv6) {
    throw new Refused('RTNETLINK answers: Address family not supported by protocol');
  }
  if (words[0] === 'addrgenmode') link.mode = words[1] === 'none' ? 'none' : 'eui64';
  if (words[0] === 'up' || words[0] === 'down') setUp(state, name, words[0] === 'up');
}

function addAddress(state: KernelState, [address = '', , name = '']: readonly string[]): void {
  const link = linkOf(state, name);
  if (link.addresses.includes(address)) throw new Refused('RTNETLINK answers: File exists');
  link.addresses.push(address);
  connect(state, link, address);
}

function routeOf(words: readonly string[]): FakeRoute {
  const typed = ['unreachable', 'blackhole'].includes(words[0] ?? '');
  const destination = words[typed ? 1 : 0] ?? '';
  return {
    type: typed ? (words[0] ?? '') : 'unicast',
    destination: destination === 'default' ? '0.0.0.0/0' : parseCidr(destination, 'destination').text,
    via: after(words, 'via'),
    dev: after(words, 'dev'),
    src: after(words, 'src'),
    onlink: words.includes('onlink'),
    protocol: Number(after(words, 'proto') ?? 3),
    metric: Number(after(words, 'metric') ?? (destination.includes(':') ? 1024 : 0)),
  };
}

function putRoute(state: KernelState, words: readonly string[], replace: boolean): void {
  const route = routeOf(words);
  if (route.dev !== null && !linkOf(state, route.dev).up) throw new Refused('RTNETLINK answers: Network is down');
  if (!isReachable(state, route)) throw new Refused('Error: Nexthop has invalid gateway.');
  // The key has no protocol: a replace takes whatever row is there.
  const same = (other: FakeRoute): boolean => other.destination === route.destination && other.metric === route.metric;
  if (!replace && state.routes.some(same)) throw new Refused('RTNETLINK answers: File exists');
  state.routes = [...state.routes.filter((other) => !same(other)), route];
}

function deleteRoute(state: KernelState, words: readonly string[]): void {
  const { destination } = routeOf(words);
  const [protocol, metric] = [after(words, 'proto'), after(words, 'metric')];
  const found = state.routes.find(
    (route) =>
      route.destination === destination &&
      (protocol === null || route.protocol === Number(protocol)) &&
      (metric === null || route.metric === Number(metric)),
  );
  if (found === undefined) throw new Refused('RTNETLINK answers: No such process');
  state.routes = state.routes.filter((route) => route !== found);
}

function putNeighbour(state: KernelState, [address = '', ...words]: readonly string[]): void {
  const dev = after(words, 'dev') ?? '';
  if (!linkOf(state, dev).up) throw new Refused('RTNETLINK answers: Network is down');
  state.neighbours = state.neighbours.filter((row) => row.dev !== dev || row.address !== address);
  const permanent = after(words, 'nud') === 'permanent';
  state.neighbours.push({ dev, address, mac: after(words, 'lladdr') ?? '', permanent });
}

/** Without `nud permanent` permanent entries stay. */
function flushNeighbours(state: KernelState, words: readonly string[]): void {
  const address = tryParseAddress(after(words, 'to'))?.text;
  const dev = after(words, 'dev') ?? '';
  linkOf(state, dev);
  const permanent = after(words, 'nud') === 'permanent';
  state.neighbours = state.neighbours.filter(
    (row) => row.dev !== dev || row.address !== address || row.permanent !== permanent,
  );
}

function putFdbEntry(state: KernelState, [mac = '', ...words]: readonly string[]): void {
  const dev = after(words, 'dev') ?? '';
  linkOf(state, dev);
  state.fdb = state.fdb.filter((row) => row.dev !== dev || row.mac !== mac);
  state.fdb.push({ dev, mac, dst: after(words, 'dst') ?? '' });
}

function deleteFdbEntry(state: KernelState, [mac = '', ...words]: readonly string[]): void {
  const dev = after(words, 'dev') ?? '';
  linkOf(state, dev);
  if (!state.fdb.some((row) => row.dev === dev && row.mac === mac)) {
    throw new Refused('RTNETLINK answers: No such file or directory');
  }
  state.fdb = state.fdb.filter((row) => row.dev !== dev || row.mac !== mac);
}
