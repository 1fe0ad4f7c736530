/** An instance metadata service on loopback, version 2 only, with the trouble that a test asks for. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export interface ImdsServer {
  readonly endpoint: string;
  readonly paths: Map<string, string>;
  /** Statuses for the next requests of each kind, in order, instead of a proper answer; 0: none, the connection breaks. */
  readonly tokenTrouble: number[];
  readonly readTrouble: number[];
  /** Tokens given out, the newest last. Only that one is good. */
  readonly tokens: string[];
  readonly reads: string[];
}

export const documentPath = '/latest/dynamic/instance-identity/document';

export async function startImds(t: TestContext, paths: Record<string, string> = {}): Promise<ImdsServer> {
  const imds = {
    paths: new Map(Object.entries(paths)),
    tokenTrouble: [] as number[],
    readTrouble: [] as number[],
    tokens: [] as string[],
    reads: [] as string[],
  };
  const server = createServer((request, response) => {
    const isToken = request.method === 'PUT';
    const trouble = (isToken ? imds.tokenTrouble : imds.readTrouble).shift();
    if (trouble === 0) return void request.socket.destroy();
    if (trouble !== undefined) return void response.writeHead(trouble).end('trouble');
    if (isToken) {
      const seconds = Number(request.headers['x-aws-ec2-metadata-token-ttl-seconds']);
      if (request.url !== '/latest/api/token' || !(seconds >= 1 && seconds <= 21_600)) {
        return void response.writeHead(400).end();
      }
      imds.tokens.push(`secret-${imds.tokens.length}`);
      return void response.end(imds.tokens.at(-1));
    }
    if (request.headers['x-aws-ec2-metadata-token'] !== imds.tokens.at(-1)) return void response.writeHead(401).end();
    imds.reads.push(request.url ?? '');
    const body = imds.paths.get(request.url ?? '');
    if (body === undefined) response.writeHead(404).end();
    else response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { ...imds, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
