/**
 * One agent a node, whatever its network: all rows of our protocol and all of our devices are an agent's own, so that a
 * second one would delete what the first one writes.
 *
 * The lock is a socket with a name in the kernel's abstract namespace, which is one a network namespace: so it is exactly
 * as wide as the tables that two agents would fight over, is seen from every container on the host's network, leaves no
 * file, and is gone with its process, however that ends. Any local user could take the name; it then says whose it is.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

export interface AgentLock {
  release(): Promise<void>;
}

/** Milliseconds for which the holder is asked who it is. */
const patience = 1_000;

const lockName = 'leaseway-agent';

/** @throws Error that names the holder */
export async function takeAgentLock(network: string, name = lockName): Promise<AgentLock> {
  const path = `\0${name}`;
  const server = createServer((socket: Socket) => {
    // Whoever asks may be gone before the answer is out.
    socket.on('error', () => undefined).end(`${process.pid} ${network}\n`);
  });
  try {
    await listening(server, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(await refusal(path), { cause: error });
  }
  // The lock alone keeps no process alive.
  server.unref();
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen({ path }, resolve);
  });
}

async function refusal(path: string): Promise<string> {
  const socket = connect({ path });
  socket.setTimeout(patience, () => socket.destroy());
  const where = 'already runs in this network namespace';
  try {
    const [, pid, network] = /^([0-9]+) (\S+)\n$/.exec(await text(socket)) ?? [];
    return pid === undefined
      ? `an agent ${where} (it does not say who it is)`
      : `an agent for the network ${network} ${where} (process id ${pid})`;
  } catch {
    return `an agent ${where} (it does not answer)`;
  } finally {
    socket.destroy();
  }
}
