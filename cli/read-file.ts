/** Files that users name; `-` is standard input. */
import { readFile } from 'node:fs/promises';
import { parseJsonText } from '../shared/domain/json-text.ts';
import type { Console } from './console.ts';
import { UserError } from './exit.ts';

/** `option` names the option or argument that gave the file. */
export async function readText(file: string, option: string, terminal: Console): Promise<string> {
  const text = file === '-' ? await terminal.readInput() : await readNamed(file, option);
  // RFC 8259, 8.1: a reader may ignore a byte-order mark.
  return text.replace(/^\ufeff/, '');
}

async function readNamed(file: string, option: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new UserError(`${option}: cannot be read: ${code} (got ${JSON.stringify(file)})`, { cause: error });
  }
}

/** `root` is what errors call the whole. */
export async function readJson(file: string, option: string, root: string, terminal: Console): Promise<unknown> {
  return parseJsonText(await readText(file, option, terminal), root);
}
