/**
 * The socket by which `agent status` finds its agent: `agent.sock` in the state directory. A socket rather than a file,
 * because a dead agent does not answer, and no status has to be written to disk after every pass.
 */
import { closeSync, constants, openSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

const name = 'agent.sock';
/** Bytes of a path that a socket's address holds (`sun_path`, with its end). */
const mostBytes = 107;

/**
 * Calls `use` with a path of the socket that an address can hold: a longer one goes by an open folder, which the kernel
 * shows under /proc. `use` must be done with it when it resolves.
 */
export async function withSocketPath<Result>(
  stateDir: string,
  use: (path: string) => Promise<Result>,
): Promise<Result> {
  const path = join(stateDir, name);
  if (Buffer.byteLength(path) <= mostBytes) return use(path);
  const folder = openSync(stateDir, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return await use(`/proc/self/fd/${folder}/${name}`);
  } finally {
    closeSync(folder);
  }
}

/** The state directory is root's alone to write: it says which subnet the node asks for. */
export async function makeStateDir(stateDir: string): Promise<void> {
  await mkdir(stateDir, { recursive: true, mode: 0o755 });
}
