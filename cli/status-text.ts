/** The matrix of leases by tables. */
import { cellOf, type Picture } from './picture.ts';

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
        tables: Object.fromEntries(ids.map((id) => [id, cellOf(picture, key, id).word])),
      };
      return [key, row];
    }),
  );
}

/** Lines without a last newline. */
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
  return [`${networks}, ${config.backend.type}, ${config.mode}`, '', ...lines].join('\n');
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
