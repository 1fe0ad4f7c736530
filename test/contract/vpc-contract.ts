/** What every `Vpc` does. It stands on route tables, so that their subjects are its own. */
import assert from 'node:assert/strict';
import { listedVpc } from '../../shared/aws/vpc.ts';
import { parseCidr } from '../../shared/domain/cidr.ts';
import { parseNetworkConfig } from '../../shared/domain/parse-network-config.ts';
import { describeContract } from './describe-contract.ts';
import type { MakeRouteTables } from './route-tables-contract.ts';

const config = parseNetworkConfig({
  Network: '10.244.0.0/16',
  SubnetLen: 24,
  Backend: { Type: 'aws-vpc', RouteTableID: 'rtb-1' },
  Leaseway: { Protected: ['10.244.250.0/24'] },
});

export function runVpcContract(name: string, make: MakeRouteTables): void {
  describeContract(name, make, {}, (contract) => {
    contract('says what VPC the listed tables are of, and its ranges', async ({ tables, main, named, vpcId }) => {
      const read = await listedVpc(tables, [main, named]).read(config);
      assert.deepEqual([read.vpcId, read.vpcCidrs.map(({ text }) => text)], [vpcId, ['10.0.0.0/16']]);
    });

    contract('lists foreign rows inside the network', async ({ tables, main, named, eni }) => {
      for (const destination of ['10.244.1.0/24', '10.244.2.0/25', '10.244.250.0/24', '10.245.1.0/24']) {
        await tables.create(named, parseCidr(destination, 'destination'), eni);
      }
      const { foreign } = await listedVpc(tables, [main, named]).read(config);
      assert.deepEqual(foreign.map(({ text }) => text).sort(), ['10.244.2.0/25', '10.244.250.0/24']);
    });

    contract('passes over a table that EC2 does not know, unless it knows none', async ({ tables, named, vpcId }) => {
      const unknown = 'rtb-00000000000000bad';
      assert.equal((await listedVpc(tables, [unknown, named]).read(config)).vpcId, vpcId);
      await assert.rejects(listedVpc(tables, [unknown]).read(config), /EC2 knows none of these tables/);
    });

    contract('names tables that are of several VPCs', async ({ tables, main, elsewhere, vpcId }) => {
      await assert.rejects(listedVpc(tables, [main, elsewhere]).read(config), (error: Error) => {
        assert.match(error.message, /the tables are of several VPCs/);
        assert.ok(error.message.includes(`${main} in ${vpcId}`) && error.message.includes(`${elsewhere} in vpc-`));
        return true;
      });
    });
  });
}
