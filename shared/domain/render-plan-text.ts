/** A plan for people: one block a route table, one line a step, what is in the way, and a last line that sums up. */
import { isCutOff } from './cut-off.ts';
import type { ForeignRow, PlanJson, PlannedStep, PlannedTable } from './render-plan.ts';

/** How parts of the text look; identity functions give plain text. */
export interface Paint {
  create(text: string): string;
  replace(text: string): string;
  delete(text: string): string;
  warning(text: string): string;
  heading(text: string): string;
  faint(text: string): string;
}

const asIs = (text: string): string => text;

export const noPaint: Paint = {
  create: asIs,
  replace: asIs,
  delete: asIs,
  warning: asIs,
  heading: asIs,
  faint: asIs,
};

const signs = { create: '+', replace: '~', delete: '-' } as const;

/** Lines without a last newline. */
export function planText(plan: PlanJson, paint: Paint = noPaint): string {
  const tables = Object.entries(plan.tables).flatMap(([id, table]) => tableLines(id, table, paint));
  return [...tables, ...leaseLines(plan, paint), ...guardLines(plan, paint), summaryOf(plan)].join('\n');
}

/** `+ 10.244.1.0/24 -> eni-1`, `~ 10.244.2.0/24 eni-old -> eni-new`, `- 10.244.3.0/24 (was eni-3)`. */
export function stepText(step: Omit<PlannedStep, 'reason' | 'detail'>): string {
  switch (step.action) {
    case 'create':
      return `${signs.create} ${step.destination} -> ${step.nextHop}`;
    case 'replace':
      return `${signs.replace} ${step.destination} ${step.was} -> ${step.nextHop}`;
    case 'delete':
      return `${signs.delete} ${step.destination} (was ${step.was})`;
  }
}

/** `3 changes in 2 tables: 1 create, 2 deletes` */
function summaryOf(plan: PlanJson): string {
  const tables = Object.values(plan.tables);
  const steps = tables.flatMap((table) => table.steps);
  const held = tables.reduce((sum, table) => sum + table.held.length, 0);
  const heldBack = held === 0 ? '' : `; ${counted(held, 'deletion')} held back by the guard`;
  if (steps.length === 0) return `nothing to change in ${counted(tables.length, 'table')}${heldBack}`;
  const parts = (['create', 'replace', 'delete'] as const).flatMap((action) => {
    const count = steps.filter((step) => step.action === action).length;
    return count === 0 ? [] : [counted(count, action)];
  });
  const touched = tables.filter((table) => table.steps.length > 0).length;
  return `${counted(steps.length, 'change')} in ${counted(touched, 'table')}: ${parts.join(', ')}${heldBack}`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function tableLines(id: string, table: PlannedTable, paint: Paint): string[] {
  if (table.status === 'missing') return [`${paint.heading(id)}  ${paint.warning('cannot be found')}`, ''];
  const room = table.over === undefined ? `room for ${table.room}` : `${table.over} beyond its limit`;
  const facts = `${table.kept} kept, ${table.foreign} foreign, ${room}`;
  const rows = [
    ...table.steps.map((step) => ({
      text: stepText(step),
      why: step.reason,
      more: step.detail,
      look: paint[step.action],
    })),
    ...table.held.map((step) => ({
      text: stepText(step),
      why: `${step.reason}, held`,
      more: step.detail,
      look: paint.warning,
    })),
    ...table.conflicts.map((row) => foreignLine(row, 'conflict', 'not ours, holds what a lease asks for', paint)),
    ...table.shadows.map((row) => foreignLine(row, 'shadow', 'not ours, takes part of the traffic of a lease', paint)),
  ];
  const textWidth = Math.max(0, ...rows.map(({ text }) => text.length));
  const whyWidth = Math.max(0, ...rows.map(({ why }) => why.length));
  const lines = rows.map(
    ({ text, why, more, look }) => `  ${look(text.padEnd(textWidth))}  ${why.padEnd(whyWidth)}  ${paint.faint(more)}`,
  );
  return [`${paint.heading(id)}  ${paint.faint(facts)}`, ...(lines.length === 0 ? ['  nothing to change'] : lines), ''];
}

function foreignLine(row: ForeignRow, why: string, more: string, paint: Paint) {
  return { text: `! ${row.destination} -> ${row.nextHop}`, why, more, look: paint.warning };
}

/** Leases that are routed are counted, the others named, and those whose node is cut off. */
function leaseLines(plan: PlanJson, paint: Paint): string[] {
  const leases = Object.entries(plan.leases);
  if (leases.length === 0) return ['no leases', ''];
  const routed = leases.filter(([, { status }]) => status === 'routed').length;
  const others = leases.filter(([, lease]) => lease.status !== 'routed' || isCutOff(lease));
  const keyWidth = Math.max(0, ...others.map(([key]) => key.length));
  const statusWidth = Math.max(0, ...others.map(([, { status }]) => status.length));
  return [
    `${paint.heading('leases')}  ${paint.faint(`${routed} of ${leases.length} routed`)}`,
    ...others.map(
      ([key, { status, reason }]) => `  ${key.padEnd(keyWidth)}  ${status.padEnd(statusWidth)}  ${paint.faint(reason)}`,
    ),
    '',
  ];
}

function guardLines(plan: PlanJson, paint: Paint): string[] {
  if (!plan.guard.refused) return [];
  const tables = Object.entries(plan.guard.tables).map(([id, { held, ours }]) => `${held} of ${ours} rows in ${id}`);
  return [
    paint.warning(`guard: too many deletions that a hole in the leases could explain: ${tables.join(', ')}`),
    `if they are meant: --force ${plan.guard.digest}`,
    '',
  ];
}
