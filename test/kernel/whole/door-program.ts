/**
 * Runs in AWS's namespace and ends with its IPC channel: the sandbox listens on 127.0.0.1 alone, so this passes on what
 * comes from the machines to its address, and from the test, which is in no namespace, to a socket in the file system.
 * It is the machines' metadata service as well.
 */
import { once } from 'node:events';
import { connect, createServer, type ListenOptions } from 'node:net';
import { type Metadata, startMetadataService } from './metadata-service.ts';

const [port = '', address = '', socketPath = ''] = process.argv.slice(2);
const machines = new Map<string, Metadata>();

/** Neither end notices that there is somebody between: what breaks here breaks there. */
async function passOn(at: ListenOptions): Promise<void> {
  const server = createServer((near) => {
    const far = connect(Number(port), '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.setNoDelay(true);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  server.listen(at);
  await once(server, 'listening');
}

process.on('disconnect', () => process.exit(0));
process.on('message', ({ address: from, metadata }: { address: string; metadata: Metadata }) => {
  machines.set(from, metadata);
  process.send?.('known');
});
await Promise.all([passOn({ host: address, port: Number(port) }), passOn({ path: socketPath })]);
await startMetadataService(machines);
process.send?.('ready');
