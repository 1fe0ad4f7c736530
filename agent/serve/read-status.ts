/** Asks the agent of a state directory for its status. */
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { withSocketPath } from './state-socket.ts';

export class NoAgent extends Error {
  constructor(stateDir: string, options?: ErrorOptions) {
    super(`no agent runs with --state-dir ${stateDir}`, options);
    this.name = 'NoAgent';
  }
}

/** Milliseconds. */
const patience = 5_000;

/**
 * What `statusJson` gave, as it came over the wire.
 *
 * @throws NoAgent, or Error when the agent does not answer properly
 */
export async function readStatus(stateDir: string): Promise<Readonly<Record<string, unknown>>> {
  const body = await ask(stateDir);
  const value: unknown = JSON.parse(body);
  if (typeof value !== 'object' || value === null) throw new Error(`the agent of ${stateDir} gave no status`);
  return value as Readonly<Record<string, unknown>>;
}

async function ask(stateDir: string): Promise<string> {
  try {
    return await withSocketPath(stateDir, async (socketPath) => {
      const signal = AbortSignal.timeout(patience);
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        request({ socketPath, path: '/status', agent: false, signal }, resolve).on('error', reject).end();
      });
      return text(response);
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ECONNREFUSED') throw new NoAgent(stateDir, { cause: error });
    throw error;
  }
}
