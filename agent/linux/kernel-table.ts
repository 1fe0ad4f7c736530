/** A table of the kernel: read as a whole, written in batches, judged by reading again. */
import { type RowKind, type Step, stepRow } from '../../shared/domain/plan.ts';
import { CommandFailed, type Runner } from './runner.ts';

export interface RowFailure<Row> {
  readonly step: Step<Row>;
  /** What the command said when the row was tried alone. */
  readonly problem: string;
}

export interface KernelTable<Row> {
  readonly kind: RowKind<Row>;
  /** All of it, or an error. */
  read(): Promise<readonly Row[]>;
  /** The command of a step, without the tool. */
  command(step: Step<Row>): readonly string[];
  /** Steps that are not in the kernel afterwards, each tried twice; a failing row throws nothing. */
  apply(steps: readonly Step<Row>[]): Promise<readonly RowFailure<Row>[]>;
}

export interface TableParts<Row> {
  readonly tool: 'ip' | 'bridge';
  readonly kind: RowKind<Row>;
  read(): Promise<readonly Row[]>;
  command(step: Step<Row>): readonly string[];
}

/** So many rows left over are tried singly at once. */
const fewEnough = 16;
/**
 * More than that means that a batch ended early (`ip neigh` does at any error of the kernel): then the row it ended at is
 * tried singly and the rest goes into the next batch, so many times. When nothing at all comes through (the link is down)
 * it is over at once.
 */
const mostBatches = 64;

export function kernelTable<Row>(runner: Runner, parts: TableParts<Row>): KernelTable<Row> {
  const { tool, kind, command } = parts;

  async function batch(steps: readonly Step<Row>[]): Promise<void> {
    const lines = steps.map((step) => command(step).join(' '));
    try {
      await runner.run([tool, '-force', '-batch', '-'], `${lines.join('\n')}\n`);
    } catch (error) {
      // A forced batch exits with an error for any row; which one, and whether it matters, the next reading tells.
      if (!(error instanceof CommandFailed) || error.exitCode === null) throw error;
    }
  }

  async function single(step: Step<Row>): Promise<string | null> {
    try {
      await runner.run([tool, ...command(step)]);
      return null;
    } catch (error) {
      if (!(error instanceof CommandFailed) || error.exitCode === null) throw error;
      return error.message;
    }
  }

  async function unachieved(steps: readonly Step<Row>[]): Promise<readonly Step<Row>[]> {
    const rows = new Map<string, Row[]>();
    for (const row of await parts.read()) rows.set(kind.key(row), [...(rows.get(kind.key(row)) ?? []), row]);
    return steps.filter((step) => {
      const found = (rows.get(kind.key(stepRow(step))) ?? []).filter((row) => kind.isOurs(row));
      return step.action === 'delete' ? found.length > 0 : !found.some((row) => kind.same(row, stepRow(step)));
    });
  }

  async function apply(steps: readonly Step<Row>[]): Promise<readonly RowFailure<Row>[]> {
    const said = new Map<Step<Row>, string>();
    let left = steps;
    for (let batches = 1; left.length > 0; batches += 1) {
      const before = left.length;
      await batch(left);
      left = await unachieved(left);
      const alone = left.length <= fewEnough ? left : left.slice(0, 1);
      for (const step of alone) said.set(step, (await single(step)) ?? 'the kernel took it and does not show it');
      const hopeless = left.length === before || batches === mostBatches;
      left = left.slice(alone.length);
      if (!hopeless || left.length === 0) continue;
      // Their second try, as a batch: thousands of them one by one would take seconds.
      await batch(left);
      const [first] = alone;
      const why = first === undefined ? '' : `like ${kind.describe(stepRow(first))}: ${said.get(first)}`;
      for (const step of left) said.set(step, why);
      break;
    }
    if (said.size === 0) return [];
    return (await unachieved([...said.keys()])).map((step) => ({ step, problem: said.get(step) ?? '' }));
  }

  return { kind, read: parts.read, command, apply };
}
