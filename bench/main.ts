/**
 * What is measured, as ratios within one run: absolute times say more of the machine than of the program.
 *
 * `npm run bench` prints text, `npm run bench -- --json` the same for programs.
 */
import { partsOf } from '../shared/aws/map-items.ts';
import type { MapLease } from '../shared/domain/map.ts';
import { mapContent } from '../shared/domain/map-content.ts';
import { planNetwork } from '../shared/domain/network-plan.ts';
import { callsOfJoin } from './join.ts';
import { medians } from './median.ts';
import { config, leases, tableIds, tables } from './worlds.ts';

interface Figure {
  readonly what: string;
  readonly ratio: number;
  readonly means: string;
}

const rounds = 15;

async function planning(): Promise<Figure[]> {
  const planOf = (count: number, routed: number) => {
    const world = { config, leases: leases(count), tables: tables(routed), force: null };
    return () => planNetwork(world);
  };
  const [small = 1, large = 1, full = 1] = await medians(
    [
      { name: '250', work: planOf(250, 250) },
      { name: '1000', work: planOf(1000, 1000) },
      { name: '1000 missing', work: planOf(1000, 0) },
    ],
    rounds,
  );
  return [
    { what: 'plan of 1,000 leases / of 250', ratio: large / small, means: 'time; 4 is linear' },
    {
      what: 'plan of 1,000 missing routes / of 1,000 present',
      ratio: full / large,
      means: 'time; a full build costs no more to plan',
    },
  ];
}

function publishing(): Figure[] {
  const shown = (list: ReturnType<typeof leases>): readonly MapLease[] =>
    mapContent({
      network: 'default',
      config: {},
      rules: config,
      previous: null,
      leases: list,
      refused: new Set(),
      unreadable: new Set(),
      listedTableIds: tableIds,
      tables: [],
      isWholeVpc: true,
      filled: new Set(tableIds),
      routed: new Map(),
      distrust: false,
      force: null,
      isForced: false,
    }).content.leases;
  const before = partsOf(shown(leases(1000)));
  const names = new Set(before.map(({ name }) => name));
  const after = partsOf(shown(leases(1001)));
  const fresh = after.filter(({ name }) => !names.has(name));
  const bytes = (parts: readonly { readonly data: Uint8Array }[]) =>
    parts.reduce((sum, part) => sum + part.data.byteLength, 0);
  return [
    {
      what: 'bytes an agent fetches for one join / the whole map of 1,000',
      ratio: bytes(fresh) / bytes(after),
      means: 'bytes',
    },
  ];
}

/** flannel's aws-vpc backend makes 2 + 4M calls at each start of a node with M tables, none of them when nothing changed. */
async function joining(): Promise<Figure> {
  const flannel = 2 + 4 * tableIds.length;
  return {
    what: `EC2 calls of a join in ${tableIds.length} tables / of flannel's aws-vpc backend at each start`,
    ratio: (await callsOfJoin(tableIds)) / flannel,
    means: `calls, counted on the embedded AWS; flannel: ${flannel}`,
  };
}

const figures = [...(await planning()), ...publishing(), await joining()];
if (process.argv.includes('--json')) {
  console.log(JSON.stringify(figures));
} else {
  for (const { what, ratio, means } of figures) console.log(`${ratio.toFixed(2).padStart(6)}  ${what}  (${means})`);
}
