/** The embedded EC2 behind a bare HTTP server, for clients that speak the real protocol. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { EC2Client } from '@aws-sdk/client-ec2';
import { Ec2, type Ec2Options } from '../../../../infra/sandbox/ec2/ec2.ts';
import { decodeEc2Request, encodeEc2Answer, encodeEc2Error } from '../../../../infra/sandbox/ec2/wire.ts';
import { AwsError, type SandboxEvent } from '../../../../infra/sandbox/service.ts';
import type { Ec2UnderTest } from '../../../contract/ec2-bench.ts';

const caller = { accessKeyId: 'test', arn: 'arn:aws:iam::123456789012:user/test', account: '123456789012' };

export class TestClock {
  #now = Date.parse('2026-03-01T00:00:00Z');
  now(): number {
    return this.#now;
  }
  advance(seconds: number): void {
    this.#now += seconds * 1000;
  }
}

function serve(ec2: Ec2): Server {
  let requests = 0;
  return createServer((request, response) => {
    requests += 1;
    const requestId = `request-${requests}`;
    const answer = async () => {
      const { action, params } = decodeEc2Request(await text(request));
      return encodeEc2Answer(action, await ec2.handle({ service: 'ec2', action, params, caller }), requestId);
    };
    const headers = { 'content-type': 'text/xml;charset=UTF-8' };
    answer().then(
      (body) => response.writeHead(200, headers).end(body),
      (error: unknown) => {
        const known = error instanceof AwsError ? error : new AwsError('InternalError', String(error), 500);
        response.writeHead(known.status, headers).end(encodeEc2Error(known, requestId));
      },
    );
  });
}

export interface TestEc2 extends Ec2UnderTest {
  readonly ec2: Ec2;
  readonly url: string;
  readonly events: readonly SandboxEvent[];
}

export async function startEc2(options: Partial<Ec2Options> = {}): Promise<TestEc2> {
  const clock = new TestClock();
  const events: SandboxEvent[] = [];
  const ec2 = new Ec2({ clock, emit: (event) => events.push(event), transitionMs: 1, ...options });
  const server = serve(ec2);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new EC2Client({
    region: 'eu-central-1',
    endpoint: url,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  });
  return {
    ec2,
    client,
    url,
    events,
    advance: (seconds) => clock.advance(seconds),
    setRouteLimit: (table, limit) => ec2.setRouteLimit(table, limit),
    plantRoute: (table, route) => ec2.plantRoute(table, route),
    close: async () => {
      client.destroy();
      ec2.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
