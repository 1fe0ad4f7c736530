/** Our nft tables: replaced as a whole, read again with every pass. */
import { join } from 'node:path';
import { readIfThere, writeAtomically } from './atomic-file.ts';
import { isMembers } from './dump.ts';
import { masqueradeTable, nftFamily } from './masquerade-rules.ts';
import { CommandFailed, type Runner } from './runner.ts';

/** What was asked for, and how nft listed it right after: nft's own spelling is the only one that can be compared. */
interface Applied {
  readonly rules: string;
  readonly listed: string;
}

export interface MasqueradeResult {
  readonly changed: boolean;
  readonly problem: string | null;
}

const unchanged: MasqueradeResult = { changed: false, problem: null };

/** @param rules As of `masqueradeRules`; empty: none are wanted. */
export async function ensureMasquerade(runner: Runner, stateDir: string, rules: string): Promise<MasqueradeResult> {
  const file = join(stateDir, 'masquerade.json');
  const applied = await readApplied(file);
  if (rules === '' && (applied === null || applied.rules === '')) return unchanged;
  try {
    if (applied?.rules === rules && applied.listed === (await listTables(runner))) return unchanged;
    if (rules === '') await deleteTables(runner);
    else await runner.run(['nft', '-f', '-'], rules);
    const listed = await listTables(runner);
    await writeAtomically(file, `${JSON.stringify({ rules, listed } satisfies Applied, null, 2)}\n`);
    return { changed: true, problem: null };
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    return { changed: false, problem: `masquerade: ${error.message}` };
  }
}

/** Our tables, without counters and handles; a table that is missing is empty text. */
async function listTables(runner: Runner): Promise<string> {
  const present = await presentTables(runner);
  const texts = present.map((family) => runner.output(['nft', '-s', 'list', 'table', family, masqueradeTable]));
  return (await Promise.all(texts)).join('');
}

async function presentTables(runner: Runner): Promise<readonly string[]> {
  const lines = (await runner.output(['nft', 'list', 'tables'])).split('\n');
  return Object.values(nftFamily).filter((family) => lines.includes(`table ${family} ${masqueradeTable}`));
}

/** How many there were. */
export async function deleteTables(runner: Runner): Promise<number> {
  const present = await presentTables(runner);
  const text = present.map((family) => `delete table ${family} ${masqueradeTable}\n`).join('');
  if (text !== '') await runner.run(['nft', '-f', '-'], text);
  return present.length;
}

async function readApplied(file: string): Promise<Applied | null> {
  const content = await readIfThere(file);
  if (content === null) return null;
  const value: unknown = JSON.parse(content);
  if (!isMembers(value)) return null;
  const { rules, listed } = value;
  return typeof rules === 'string' && typeof listed === 'string' ? { rules, listed } : null;
}
