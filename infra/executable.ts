/**
 * A program and Node in one file, for nodes without Node: Node's own "single executable application". What `postject` does
 * to the binary is done here (`elf-note.ts`), so that a build needs no network.
 */
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { withNote } from './elf-note.ts';

/** Node looks for its application only when this text ends in `1`. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:';
const noteName = 'NODE_SEA_BLOB';

/**
 * Writes `outfile`, which runs `script` as this Node would; the file is never half written.
 *
 * @param script CommonJS that requires Node's own modules only
 * @throws Error when this Node is none that can be copied so
 */
export async function writeExecutable(script: Uint8Array, outfile: string, node = process.execPath): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'leaseway-executable-'));
  try {
    const program = withNote(switchedOn(await readFile(node)), noteName, await blobOf(script, folder, node));
    await mkdir(dirname(outfile), { recursive: true });
    const partial = `${outfile}.${process.pid}.partial`;
    await writeFile(partial, program);
    await chmod(partial, 0o755);
    await rename(partial, outfile);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function blobOf(script: Uint8Array, folder: string, node: string): Promise<Buffer> {
  const [main, output, config] = ['main.cjs', 'blob', 'config.json'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(main, script);
  await writeFile(config, JSON.stringify({ main, output, disableExperimentalSEAWarning: true }));
  await promisify(execFile)(node, ['--experimental-sea-config', config]);
  return readFile(output);
}

function switchedOn(program: Buffer): Buffer {
  const at = program.indexOf(`${fuse}0`);
  if (at < 0) throw new Error('this Node cannot be a single executable');
  program.write('1', at + fuse.length, 'latin1');
  return program;
}
