/** The demo: real EC2-shaped events through the real functions into route tables of the embedded AWS. */

import { startSandbox } from '../../infra/sandbox/sandbox.ts';
import { sandboxRegion } from '../../infra/sandbox/service.ts';
import { buildBundles, templateFile } from '../checkout.ts';
import type { Console } from '../console.ts';
import { exit } from '../exit.ts';
import { stackNamed } from '../stack-functions.ts';
import { awsAt } from './aws.ts';
import { landscape, listedTables } from './landscape.ts';
import { join, morning, night, type Routes, replaceNode, terminate } from './node-chapters.ts';
import { dryRunAndResync, foreignRows, othersUntouched, quietSync, repair } from './operator-chapters.ts';
import { plant, type Sabotage } from './sabotage.ts';
import { CheckFailed, Stage } from './stage.ts';
import { tablesText } from './table-changes.ts';

export async function runDemo(sabotage: Sabotage | undefined, terminal: Console): Promise<number> {
  const started = performance.now();
  await buildBundles();
  const sandbox = await startSandbox({
    templateFile,
    parameters: { RouteTableIds: listedTables.join(',') },
    world: landscape,
  });
  const aws = await awsAt(sandbox.url);
  const config = {
    endpoint: sandbox.url,
    region: sandboxRegion,
    credentials: { accessKeyId: 'ADMIN', secretAccessKey: 'none' },
  };
  const stage = new Stage({ sandbox, aws, stack: stackNamed('leaseway', config), terminal });
  if (sabotage !== undefined) plant(sabotage, sandbox);
  try {
    await play(stage, terminal);
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    terminal.print(`\n${stage.checks} checks, all true, in ${seconds} s.`);
    return exit.ok;
  } catch (error) {
    if (!(error instanceof CheckFailed)) throw error;
    const { warning } = await terminal.paint();
    terminal.print(`  ${warning(`✗ ${error.message}`)}`);
    terminal.note(`leaseway: demo: a check failed: ${error.message}`);
    return exit.error;
  } finally {
    aws.close();
    await sandbox.close();
  }
}

async function play(stage: Stage, terminal: Console): Promise<void> {
  const { heading } = await terminal.paint();
  terminal.print(
    heading('A VPC of three zones, embedded: private tables rtb-a, rtb-b, rtb-c, and one that is not listed'),
  );
  const before = await stage.aws.describeTables();
  for (const line of tablesText(before)) stage.say(line);
  const foreign = foreignRows(before);
  const routes: Routes = new Map();
  await join(stage, routes);
  await quietSync(stage);
  await terminate(stage, routes);
  const asleep = await night(stage, routes);
  await morning(stage, routes, asleep);
  await replaceNode(stage, routes);
  await repair(stage, routes);
  await dryRunAndResync(stage, routes);
  await othersUntouched(stage, foreign);
  terminal.print(`\n${heading('The tables now')}`);
  for (const line of tablesText(await stage.aws.describeTables())) stage.say(line);
}
