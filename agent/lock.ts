/**
 * One agent a network and node.
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

/** @throws Error that names the holder */
export async function takeAgentLock(network: string): Promise<AgentLock> {
  const name = `\0leaseway-agent/${network}`;
  const server = createServer((socket: Socket) => {
    // Whoever asks may be gone before the answer is out.
    socket.on('error', () => undefined).end(`${process.pid}\n`);
  });
  try {
    await listening(server, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    const holder = await askHolder(name);
    throw new Error(`an agent for the network ${network} already runs in this network namespace (${holder})`, {
      cause: error,
    });
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

async function askHolder(name: string): Promise<string> {
  const socket = connect({ path: name });
  socket.setTimeout(patience, () => socket.destroy());
  try {
    const pid = (await text(socket)).trim();
    return /^[0-9]+$/.test(pid) ? `process id ${pid}` : 'it does not say who it is';
  } catch {
    return 'it does not answer';
  } finally {
    socket.destroy();
  }
}
