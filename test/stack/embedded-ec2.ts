/** The sandbox's EC2 beside MiniStack: the one whose routes become blackholes. */
import type { Route } from '@aws-sdk/client-ec2';
import { startSandbox } from '../../infra/sandbox/sandbox.ts';
import { worldOf } from '../faults/landscape.ts';
import { type OtherEc2, templateFile } from './deployment.ts';

/** @param nodes number of running instances */
export async function embeddedEc2(nodes: number): Promise<OtherEc2> {
  const sandbox = await startSandbox({
    templateFile,
    parameters: { RouteTableIds: 'rtb-a,rtb-b,rtb-c' },
    world: worldOf({ nodes }),
    functions: false,
    transitionMs: 5,
  });
  return {
    url: sandbox.url,
    rows: async (tableId) => {
      const table = sandbox.ec2.snapshot().routeTables.find((each) => each['RouteTableId'] === tableId);
      return (table?.['Routes'] ?? []) as Route[];
    },
    close: () => sandbox.close(),
  };
}
