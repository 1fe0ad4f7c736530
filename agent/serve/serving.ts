/** The agent's servers: one over TCP for probes and metrics, one on the socket in the state directory for `agent status`. */
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';
import type { AgentReport } from './agent-report.ts';
import { answerRequest } from './answer-request.ts';
import type { ListenAddress } from './listen-address.ts';
import { NoAgent, readStatus } from './read-status.ts';
import { makeStateDir, withSocketPath } from './state-socket.ts';

export interface Serving {
  /** Where the TCP server listens, such as `127.0.0.1:9476`; null: nowhere. */
  readonly address: string | null;
  close(): Promise<void>;
}

export interface ServingOptions {
  readonly stateDir: string;
  readonly listen: ListenAddress | null;
  report(): AgentReport;
}

/** @throws Error that names the option when its address is taken, or the state directory is another agent's */
export async function startServing({ stateDir, listen, report }: ServingOptions): Promise<Serving> {
  await makeStateDir(stateDir);
  await refuseSharing(stateDir);
  const servers: Server[] = [];
  const open = async (options: ListenOptions): Promise<Server> => {
    const server = createServer((request, response) => answerRequest(report, request, response));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(options, resolve);
    });
    servers.push(server);
    return server;
  };
  const close = async () => {
    await Promise.all(servers.map(closeServer));
    await withSocketPath(stateDir, (path) => rm(path, { force: true }));
  };
  try {
    await withSocketPath(stateDir, async (path) => {
      // Left by an agent that was killed: nobody answered on it above.
      await rm(path, { force: true });
      await open({ path });
    });
    if (listen === null) return { address: null, close };
    const { address, port } = (await open({ ...listen })).address() as AddressInfo;
    return { address: address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`, close };
  } catch (error) {
    await close();
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (listen === null || syscall !== 'listen' || code === undefined) throw error;
    const why = code === 'EADDRINUSE' ? 'somebody else listens there' : code;
    throw new Error(`--listen ${listen.host}:${listen.port}: ${why}`, { cause: error });
  }
}

async function refuseSharing(stateDir: string): Promise<void> {
  let pid: unknown;
  try {
    const { agent } = await readStatus(stateDir);
    pid = (agent as { pid?: unknown } | undefined)?.pid;
  } catch (error) {
    if (error instanceof NoAgent) return;
    throw error;
  }
  throw new Error(`--state-dir ${stateDir} is in use by the agent with process id ${String(pid)}`);
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
