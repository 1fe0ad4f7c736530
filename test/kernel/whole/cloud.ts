/**
 * AWS in a namespace: `leaseway sandbox` with the stack's functions, and the link on which machines reach it. On EC2 that
 * way leads through the node's own interface to a gateway endpoint; here it is a link of its own, so that it can be cut.
 */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { EC2Client } from '@aws-sdk/client-ec2';
import { sandboxRegion } from '../../../infra/sandbox/service.ts';
import { atEnd, type Ending } from '../lab/at-end.ts';
import { finish, inNamespace, ipBatch, nodeEnv, run } from '../lab/command.ts';
import { makeNamespace, removeNamespace } from '../lab/namespaces.ts';
import { type Metadata, metadataAddress } from './metadata-service.ts';

const program = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const cli = program('../../../cli/main.ts');
const ownAddress = '198.18.0.1';

export class Cloud {
  readonly folder: string;
  readonly ec2: EC2Client;
  readonly #namespace: string;
  readonly #sandbox: ChildProcess;
  readonly #agent: Agent;
  #port = 0;
  #door: ChildProcess | undefined;
  #links = 0;

  private constructor(namespace: string, folder: string, world: unknown) {
    this.#namespace = namespace;
    this.folder = folder;
    const file = join(folder, 'world.json');
    writeFileSync(file, JSON.stringify(world));
    const sandbox = [cli, 'sandbox', '--port', '0', '--world', file];
    this.#sandbox = this.#spawn(sandbox, ['ignore', 'pipe', 'inherit']);
    this.#agent = new Agent({ keepAlive: true, socketPath: this.#socketPath } as object);
    this.ec2 = new EC2Client({
      region: sandboxRegion,
      endpoint: 'http://aws.invalid',
      credentials: { accessKeyId: 'OPERATOR', secretAccessKey: 'none' },
      requestHandler: { httpAgent: this.#agent },
    });
  }

  static async start(t: Ending, world: unknown): Promise<Cloud> {
    const folder = mkdtempSync(join(tmpdir(), 'leaseway-whole-'));
    atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
    const namespace = await makeNamespace('aws');
    atEnd(t, () => removeNamespace(namespace));
    await ipBatch(namespace, [
      'link set lo up',
      // A bridge without a MAC of its own takes the lowest of its ports', and another one when that machine goes.
      'link add machines address 0a:ee:00:00:01:00 type bridge',
      'link set machines addrgenmode none up',
      `address add ${ownAddress}/24 dev machines`,
      `address add ${metadataAddress}/32 dev machines`,
    ]);
    const cloud = new Cloud(namespace, folder, world);
    atEnd(t, () => cloud.#close());
    await cloud.#open();
    return cloud;
  }

  /** What a machine's agent has in its environment. */
  get machineEnv(): NodeJS.ProcessEnv {
    return { ...this.#env, CLAIMS_TABLE: 'leaseway-ClaimsTable', MAP_TABLE: 'leaseway-MapTable' };
  }

  /** Gives a machine's namespace its link `aws`, and the machine its metadata; answers with its address there. */
  async plug(namespace: string, metadata: Metadata): Promise<string> {
    this.#links += 1;
    const address = `198.18.0.${10 + this.#links}`;
    await ipBatch(this.#namespace, [
      `link add m${this.#links} type veth peer name aws netns ${namespace}`,
      `link set m${this.#links} master machines addrgenmode none up`,
    ]);
    await ipBatch(namespace, [
      'link set aws addrgenmode none up',
      `address add ${address}/24 dev aws`,
      `route add ${metadataAddress}/32 dev aws`,
    ]);
    const known = once(this.#opened, 'message');
    this.#opened.send({ address, metadata });
    await known;
    return address;
  }

  /** From now on nothing that the machine sends to AWS arrives; its metadata service is on the machine's own host, and stays. */
  async cut(address: string): Promise<void> {
    await this.#nft(`add element inet door cut { ${address} }`);
  }

  async mend(address: string): Promise<void> {
    await this.#nft(`delete element inet door cut { ${address} }`);
  }

  /** `/_sandbox/<path>`: what is not AWS's. */
  async control<Answer>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<Answer> {
    const answer = await new Promise<{ status: number; body: string }>((resolve, reject) => {
      request({ agent: this.#agent, method, path: `/_sandbox/${path}` }, (response) => {
        text(response).then((content) => resolve({ status: response.statusCode ?? 0, body: content }), reject);
      })
        .on('error', reject)
        .end(body === undefined ? '' : JSON.stringify(body));
    });
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body) as Answer;
  }

  /** A minute of AWS's clock at once: what runs every minute runs. */
  async minuteLater(): Promise<void> {
    await this.control('POST', 'clock', { advanceSeconds: 61 });
  }

  /** An operator's command; 2 is said of changes that are pending. */
  async leaseway(args: readonly string[], input = ''): Promise<string> {
    const command = inNamespace(this.#namespace, [process.execPath, cli, ...args]);
    const credentials = { AWS_ACCESS_KEY_ID: 'OPERATOR', AWS_SECRET_ACCESS_KEY: 'none' };
    const { status, stdout, stderr } = await finish(command, input, { ...this.#env, ...credentials });
    if (status !== 0 && status !== 2) throw new Error(`leaseway ${args.join(' ')}: exit ${status}\n${stdout}${stderr}`);
    return stdout;
  }

  get #socketPath(): string {
    return join(this.folder, 'aws.sock');
  }

  get #opened(): ChildProcess {
    if (this.#door === undefined) throw new Error('AWS is not open yet');
    return this.#door;
  }

  /** Nothing of the caller's own AWS environment, so that no test can ever reach an account. */
  get #env(): NodeJS.ProcessEnv {
    return {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      NODE_COMPILE_CACHE: nodeEnv['NODE_COMPILE_CACHE'],
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      AWS_REGION: sandboxRegion,
      AWS_ENDPOINT_URL: `http://${ownAddress}:${this.#port}`,
    };
  }

  #spawn(args: readonly string[], stdio: StdioOptions): ChildProcess {
    const [file = '', ...rest] = inNamespace(this.#namespace, [process.execPath, ...args]);
    return spawn(file, rest, { stdio, env: nodeEnv });
  }

  async #open(): Promise<void> {
    const ended = once(this.#sandbox, 'exit').then(([code]): never => {
      throw new Error(`the sandbox ended with ${code} before it answered`);
    });
    const lines = createInterface({ input: this.#sandbox.stdout ?? process.stdin });
    const first = once(lines, 'line') as Promise<[string]>;
    const [line] = await Promise.race([first, ended]);
    ended.catch(() => undefined);
    this.#port = Number(new URL(line).port);
    await this.#nft(`table inet door {
      set cut { type ipv4_addr; }
      chain input { type filter hook input priority 0; policy accept; ip saddr @cut tcp dport ${this.#port} drop; }
    }`);
    const door = [program('./door-program.ts'), String(this.#port), ownAddress, this.#socketPath];
    this.#door = this.#spawn(door, ['ignore', 'inherit', 'inherit', 'ipc']);
    await once(this.#door, 'message');
  }

  async #nft(commands: string): Promise<void> {
    await run(inNamespace(this.#namespace, ['nft', '-f', '-']), `${commands}\n`);
  }

  async #close(): Promise<void> {
    this.ec2.destroy();
    this.#agent.destroy();
    for (const child of [this.#door, this.#sandbox]) {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGINT');
      await ended;
    }
  }
}
