/** The AWS CLI, pointed at an endpoint. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { region } from './ministack.ts';
import { checkout, program } from './third-parties.ts';

const run = promisify(execFile);

/**
 * Runs `aws ARGS`; rejects with what it printed on stderr. Version 1 wants the endpoint both as an option (else it calls AWS
 * for SQS) and as a variable (else `cloudformation package` calls AWS for S3).
 */
export async function awsCli(endpoint: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run(program('aws'), ['--endpoint-url', endpoint, ...args], {
    cwd: checkout,
    maxBuffer: 1 << 26,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: '/nonexistent',
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: region,
      AWS_DEFAULT_REGION: region,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_PAGER: '',
    },
  });
  return stdout;
}

/** The same, with its JSON read. */
export async function awsJson(endpoint: string, ...args: readonly string[]): Promise<unknown> {
  const text = await awsCli(endpoint, ...args, '--output', 'json');
  return text.trim() === '' ? null : JSON.parse(text);
}
