/** One test's own embedded EC2, closed whatever happens. */
import { test } from 'node:test';
import type { Ec2Options } from '../../../../infra/sandbox/ec2/ec2.ts';
import { startEc2, type TestEc2 } from './ec2-server.ts';

export function testEc2(name: string, run: (ec2: TestEc2) => Promise<void>, options: Partial<Ec2Options> = {}): void {
  test(name, async () => {
    const ec2 = await startEc2(options);
    try {
      await run(ec2);
    } finally {
      await ec2.close();
    }
  });
}
