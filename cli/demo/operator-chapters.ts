/** What operators see and do: quiet syncs, repairs of what a hand deleted, dry runs, and whose rows were touched. */
import { DeleteRouteCommand } from '@aws-sdk/client-ec2';
import { planText } from '../../shared/domain/render-plan-text.ts';
import { reportText } from '../report-text.ts';
import { mergedReport, planOf, reportExit, resyncPasses } from '../resync-passes.ts';
import type { Tables } from './aws.ts';
import { listedTables, publicTable } from './landscape.ts';
import type { Routes } from './node-chapters.ts';
import { isRouteWrite, ownRows, type Stage } from './stage.ts';

export async function quietSync(stage: Stage): Promise<void> {
  await stage.chapter('2. The schedule runs, and there is nothing to do');
  await stage.runSchedule('SyncScheduleRule');
  await stage.showChanges();
  const calls = (await stage.calls()).filter((call) => call.service === 'ec2' && call.function !== undefined);
  const actions = calls.map(({ action }) => action).join(', ');
  stage.check('it made one call to EC2: DescribeRouteTables', actions === 'DescribeRouteTables', `it made: ${actions}`);
}

export async function repair(stage: Stage, routes: Routes): Promise<void> {
  await stage.chapter('7. Somebody deletes a route by hand');
  const destination = firstOf(routes);
  await deleteRoute(stage, 'rtb-b', destination);
  await stage.showChanges();
  stage.say('No event tells of it. The next run of the schedule looks.');
  await stage.runSchedule('SyncScheduleRule');
  await stage.tablesBecome('the route is back', routes, listedTables);
  await stage.checkWrites('1 CreateRoute');
}

export async function dryRunAndResync(stage: Stage, routes: Routes): Promise<void> {
  await stage.chapter('8. Two more are deleted, and an operator asks before acting');
  const destination = firstOf(routes);
  await deleteRoute(stage, 'rtb-a', destination);
  await deleteRoute(stage, 'rtb-c', destination);
  const quiet = (_line: string) => {
    // Passes are short here.
  };
  stage.say('$ leaseway resync --dry-run');
  const [dry] = await resyncPasses(stage.stack, { dryRun: true }, quiet);
  for (const line of planText(planOf(dry), await stage.paint()).split('\n')) stage.say(line);
  stage.check('a dry run with changes pending ends with 2', reportExit(dry) === 2, `it ends with ${reportExit(dry)}`);
  stage.check('and writes nothing', (await stage.routeWrites()) === 'nothing', await stage.routeWrites());
  stage.say('$ leaseway resync');
  const report = mergedReport(await resyncPasses(stage.stack, {}, quiet));
  for (const line of reportText(report, await stage.paint()).split('\n')) stage.say(line);
  stage.check(
    'a resync that did everything ends with 0',
    reportExit(report) === 0,
    `it ends with ${reportExit(report)}`,
  );
  await stage.tablesBecome('every listed table is right again', routes, listedTables);
  await stage.checkWrites('2 CreateRoute');
}

/** Rows that are not ours: all but those of the network's range. */
export function foreignRows(tables: Tables): string {
  return JSON.stringify(
    Object.entries(tables).map(([id, routes]) => {
      const own = new Set(ownRows(routes));
      const others = routes.filter((route) => !own.has(route)).map((route) => JSON.stringify(route));
      return [id, others.sort()];
    }),
  );
}

export async function othersUntouched(stage: Stage, before: string): Promise<void> {
  await stage.chapter('9. What was not ours');
  const tables = await stage.aws.describeTables();
  const after = foreignRows(tables);
  const count = Object.values(tables).flat().length - Object.values(tables).flatMap(ownRows).length;
  stage.check(`the ${count} rows of others are byte for byte as before`, after === before, `${after} was ${before}`);
  const writes = (await stage.allCalls()).filter((call) => call.function !== undefined && isRouteWrite(call));
  const astray = writes.filter(
    ({ parameters }) =>
      !listedTables.includes(String(parameters['RouteTableId'])) ||
      !String(parameters['DestinationCidrBlock']).startsWith('10.244.'),
  );
  stage.check(
    `none of ${writes.length} writes named ${publicTable}, or a destination outside the network`,
    astray.length === 0,
    JSON.stringify(astray.map(({ action, parameters }) => ({ action, ...parameters }))),
  );
}

function firstOf(routes: Routes): string {
  return [...routes.keys()][0] ?? '';
}

async function deleteRoute(stage: Stage, RouteTableId: string, DestinationCidrBlock: string): Promise<void> {
  await stage.aws.ec2.send(new DeleteRouteCommand({ RouteTableId, DestinationCidrBlock }));
}
