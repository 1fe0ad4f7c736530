/**
 * How EC2 answers, as one suite for whatever claims to be EC2.
 *
 * Every answer of the route calls that is documented or was seen, and each step of a route's target, is a case.
 */
import { describe, test } from 'node:test';
import { type Cases, type MakeEc2, makeNetwork } from './ec2-bench.ts';
import { changeRouteCases } from './ec2-change-route-cases.ts';
import { createRouteCases } from './ec2-create-route-cases.ts';
import { describeCases } from './ec2-describe-cases.ts';
import { lifecycleCases } from './ec2-lifecycle-cases.ts';
import { networkCases } from './ec2-network-cases.ts';
import { routeRefusalCases } from './ec2-route-refusal-cases.ts';
import { simulatorCases } from './ec2-simulator-cases.ts';

const subjects: Readonly<Record<string, Cases>> = {
  'N7: the emulator has what others were caught without': simulatorCases,
  CreateRoute: createRouteCases,
  'CreateRoute and its refusals': routeRefusalCases,
  'ReplaceRoute and DeleteRoute': changeRouteCases,
  'targets that come and go': lifecycleCases,
  'Describe calls': describeCases,
  'networks and interfaces': networkCases,
};

export function runEc2Contract(name: string, makeEc2: MakeEc2): void {
  describe(`EC2 contract: ${name}`, () => {
    for (const [subject, cases] of Object.entries(subjects)) {
      describe(subject, () => {
        for (const [behaviour, run] of Object.entries(cases)) {
          test(behaviour, async () => {
            const ec2 = await makeEc2();
            try {
              await run(await makeNetwork(ec2));
            } finally {
              await ec2.close();
            }
          });
        }
      });
    }
  });
}
