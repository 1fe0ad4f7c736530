/** What a table does with packets that no lease's route takes: the row that does, and whose it is. */
import type { Match } from '../shared/domain/matching-row.ts';
import type { PlannedTable } from '../shared/domain/render-plan.ts';
import type { Cell } from './picture.ts';

/** `match`: undefined where the table could not be looked into. */
export function rowCell(table: PlannedTable, match: Match | undefined): Cell {
  if (table.status === 'missing') return { word: 'unknown', detail: 'the table cannot be found' };
  if (match === undefined) return { word: '-', detail: null };
  const { row } = match;
  if (row === null) return { word: 'no route', detail: 'no row matches, packets to it are dropped' };
  const text = `${row.destination} -> ${row.nextHop}`;
  const isIt = ({ destination }: { destination: string }) => destination === row.destination;
  const step = row.isOurs ? table.steps.find(isIt) : undefined;
  if (step?.action === 'delete') return { word: 'to delete', detail: `${text}: ${step.detail}` };
  const held = row.isOurs ? table.held.find(isIt) : undefined;
  if (held !== undefined) return { word: 'held', detail: `${text}: ${held.detail}; the guard holds its deletion back` };
  const whose = row.isOurs ? 'ours' : 'not ours';
  if (row.state === 'blackhole') return { word: 'blackhole', detail: `${text}, ${whose}: packets to it are dropped` };
  if (row.nextHop === 'local') return { word: 'local', detail: `${text}, inside the VPC` };
  if (row.destination.endsWith('/0')) return { word: 'default', detail: `${text}, ${whose}` };
  return row.isOurs ? { word: 'ours', detail: text } : { word: 'foreign', detail: `${text}, not ours` };
}
