/** EC2's instance metadata service, version 2, for every machine at once: who asks is told by the address it asks from. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

/** As on EC2: no route leads to it, each machine finds it on its own link. */
export const metadataAddress = '169.254.169.254';

/** What a machine reads, by path. */
export type Metadata = Readonly<Record<string, string>>;

/** `known`: by the address that a machine asks from. */
export async function startMetadataService(known: ReadonlyMap<string, Metadata>): Promise<void> {
  const tokens = new Map<string, string>();
  const server = createServer((request, response) => {
    const from = request.socket.remoteAddress ?? '';
    const token = request.headers['x-aws-ec2-metadata-token'];
    if (request.method === 'PUT' && request.url === '/latest/api/token') {
      const given = randomUUID();
      tokens.set(given, from);
      response.end(given);
    } else if (typeof token !== 'string' || tokens.get(token) !== from) {
      response.writeHead(401).end();
    } else {
      const value = known.get(from)?.[request.url ?? ''];
      if (value === undefined) response.writeHead(404);
      response.end(value);
    }
  });
  server.listen(80, metadataAddress);
  await once(server, 'listening');
}
