/** `leaseway sandbox`: the embedded AWS, for tests and for those who want to see. */
import { type Command, InvalidArgumentError } from 'commander';
import type { Console } from './console.ts';
import type { SandboxRequest } from './run-sandbox.ts';
import { addStackOption } from './stack-option.ts';

export function addSandbox(program: Command, terminal: Console, end: (code: number) => void): void {
  const command = program
    .command('sandbox')
    .summary('run the embedded AWS')
    .description(
      'Runs an embedded AWS with the stack in it until it is interrupted: EC2, DynamoDB, EventBridge, SQS, Lambda and STS at one endpoint.',
    )
    .requiredOption('--port <port>', 'port on 127.0.0.1; 0 is a free one', parsePort)
    .option('--world <file>', 'begin with the instances, route tables, leases and configuration of a world file')
    .option('--parameter <name=value...>', "parameters of the stack's template")
    .option('--json', 'print the address as JSON')
    .addHelpText(
      'after',
      `
Prints its address once it answers. Listens on 127.0.0.1 only.

Examples:
  leaseway sandbox --port 4566
  leaseway sandbox --port 4566 --world world.json --parameter RouteTableIds=rtb-0a1,rtb-0b2
  AWS_ENDPOINT_URL=http://127.0.0.1:4566 AWS_REGION=us-east-1 AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=s leaseway plan
  curl http://127.0.0.1:4566/_sandbox/calls`,
    );
  addStackOption(command, terminal).action(async (options: SandboxRequest) => {
    const { runSandbox } = await import('./run-sandbox.ts');
    end(await runSandbox(options, terminal));
  });
}

function parsePort(text: string): number {
  if (/^[0-9]{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('a port is a number from 0 to 65535.');
}
