/** moto's server, a third party's AWS. */
import { fileURLToPath } from 'node:url';
import { type ServerProcess, startServer } from './server-process.ts';
import { program } from './third-parties.ts';

export function startMoto(): Promise<ServerProcess> {
  return startServer({
    command: program('python'),
    args: (port) => [fileURLToPath(new URL('moto_in_turn.py', import.meta.url)), '-H', '127.0.0.1', '-p', String(port)],
    env: () => ({ PATH: process.env['PATH'] ?? '', MOTO_IAM_LOAD_MANAGED_POLICIES: 'false' }),
    path: '/moto-api/',
  });
}
