/** MiniStack, a third party's AWS. */
import { fileURLToPath } from 'node:url';
import { type ServerProcess, startServer } from './server-process.ts';
import { program, searchPath } from './third-parties.ts';

export const account = '123456789012';
export const region = 'eu-central-1';
export const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

/** @param ec2 an endpoint that the functions take for EC2 */
export function startMiniStack(ec2?: string): Promise<ServerProcess> {
  return startServer({
    command: program('python'),
    args: () => [fileURLToPath(new URL('ministack_with_ec2.py', import.meta.url))],
    env: (port) => ({
      PATH: searchPath(process.env['PATH'] ?? ''),
      GATEWAY_PORT: String(port),
      BIND_HOST: '127.0.0.1',
      MINISTACK_ACCOUNT_ID: account,
      MINISTACK_REGION: region,
      AWS_DEFAULT_REGION: region,
      // No further ports than the one.
      IOT_MTLS_ENABLED: '0',
      SFTP_ENABLED: '0',
      // No containers: the functions run on the Node of PATH.
      DOCKER_HOST: 'unix:///nonexistent',
      AUTH: 'true',
      LAMBDA_ASYNC_RETRY_BASE_SECONDS: '0.1',
      ...(ec2 === undefined ? {} : { AWS_ENDPOINT_URL_EC2: ec2 }),
    }),
    path: '/_ministack/health',
  });
}
