/** What the demonstration prints. */
import colors from 'picocolors';

export function title(text: string): void {
  console.log(`\n${colors.bold(text)}\n`);
}

export function printMatrix(rows: ReadonlyMap<string, ReadonlyMap<string, boolean>>): void {
  const names = [...rows.keys()];
  console.log(`  from \\ to  ${names.join('     ')}`);
  for (const [from, row] of rows) {
    const cells = names.map((to) =>
      to === from ? '-   ' : row.get(to) === true ? colors.green('ok  ') : colors.red('LOST'),
    );
    console.log(`  ${from.padEnd(11)}${cells.join('  ')}`);
  }
}

interface Status {
  readonly leases: readonly {
    readonly subnet: string;
    readonly instanceId: string | null;
    readonly path: string | null;
    readonly via: string | null;
    readonly dev: string | null;
    readonly why: string;
  }[];
}

export function printPeers({ leases }: Status): void {
  for (const { subnet, instanceId, path, via, dev, why } of leases) {
    const way = via === null ? '' : `via ${via} dev ${dev}`;
    console.log(
      `  ${subnet.padEnd(19)} ${(instanceId ?? '').padEnd(4)} ${(path ?? 'none').padEnd(8)} ${way.padEnd(34)} ${why}`,
    );
  }
}

/** Counts what is as it should be. */
export class Checks {
  #failed = 0;
  #made = 0;

  that(what: string, holds: boolean): void {
    this.#made += 1;
    if (!holds) this.#failed += 1;
    console.log(`${holds ? colors.green('ok  ') : colors.red('FAIL')} ${what}`);
  }

  /** Whether all of them held. */
  summary(): boolean {
    const text = `${this.#made - this.#failed} of ${this.#made} checks hold`;
    console.log(`\n${this.#failed === 0 ? colors.green(text) : colors.red(text)}`);
    return this.#failed === 0;
  }
}
