/** The matrix of leases by tables. */
import { contains, tryParseCidr } from '../shared/domain/cidr.ts';
import { cellOf, type Picture } from './picture.ts';
import { problemsOf } from './status-problems.ts';

export interface StatusRow {
  readonly node: string;
  readonly nextHop: string;
  readonly status: string;
  readonly reason: string;
  /** One word a table. */
  readonly tables: Readonly<Record<string, string>>;
}

/** By lease, in the order of the subnets. */
export function statusRows(picture: Picture): Record<string, StatusRow> {
  const ids = Object.keys(picture.plan.tables);
  return Object.fromEntries(
    Object.entries(picture.plan.leases).map(([key, { status, reason }]): [string, StatusRow] => {
      const lease = picture.leases.get(key);
      const row = {
        node: lease?.instanceId ?? '(reserved)',
        nextHop: lease?.eniId ?? '',
        status,
        reason,
        tables: Object.fromEntries(ids.map((id) => [id, wordOf(picture, key, id)])),
      };
      return [key, row];
    }),
  );
}

/** A lease that is routed while somebody else's row takes a part of it is not simply routed. */
function wordOf(picture: Picture, key: string, id: string): string {
  const { word } = cellOf(picture, key, id);
  const lease = picture.leases.get(key);
  if (word !== 'routed' || lease === undefined) return word;
  const isShadowed = picture.plan.tables[id]?.shadows.some(({ destination }) => {
    const block = tryParseCidr(destination);
    return block !== null && [lease.subnet, lease.ipv6Subnet].some((own) => own !== null && contains(own, block));
  });
  return isShadowed === true ? 'shadow' : word;
}

/** The matrix, then what is not as it should be. Lines without a last newline. */
export function statusText(picture: Picture): string {
  const ids = Object.keys(picture.plan.tables);
  const rows = Object.entries(statusRows(picture)).map(([key, row]) => [
    key,
    row.node,
    row.nextHop,
    row.status,
    ...ids.map((id) => row.tables[id] ?? ''),
  ]);
  const lines = columns([['lease', 'node', 'next hop', 'status', ...ids], ...rows]);
  const { config } = picture;
  const networks = config.families.map(({ network, subnetLen }) => `${network.text} by /${subnetLen}`).join(', ');
  const problems = problemsOf(picture);
  const last = problems.length === 0 ? ['all well'] : problems;
  return [`${networks}, ${config.backend.type}, ${config.mode}`, '', ...lines, '', ...last].join('\n');
}

/** Cells padded to the width of their column, two spaces between. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
