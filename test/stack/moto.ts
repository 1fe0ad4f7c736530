/** moto's server, a third party's AWS. */
import { type ServerProcess, startServer } from './server-process.ts';
import { program } from './third-parties.ts';

export function startMoto(): Promise<ServerProcess> {
  return startServer({
    command: program('moto_server'),
    args: (port) => ['-H', '127.0.0.1', '-p', String(port)],
    env: () => ({ PATH: process.env['PATH'] ?? '', MOTO_IAM_LOAD_MANAGED_POLICIES: 'false' }),
    path: '/moto-api/',
  });
}
