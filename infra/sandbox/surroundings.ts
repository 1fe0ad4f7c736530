import type { Ec2 } from './ec2/ec2.ts';
import type { Surroundings } from './iam/needs.ts';
import { isRecord, list, records, text } from './params.ts';
import type { Stack } from './template/stack.ts';

/** What policies are judged by, read from the sandbox itself. */
export function surroundingsOf(stack: Stack, ec2: Ec2): Surroundings {
  const partitionKeys = new Map(
    stack.resources
      .filter((resource) => resource.type === 'AWS::DynamoDB::Table')
      .map(({ name, properties }) => {
        const hash = records(properties, 'KeySchema').find((key) => key['KeyType'] === 'HASH');
        return [name, text(hash ?? {}, 'AttributeName') ?? 'pk'] as const;
      }),
  );
  return {
    partitionKey: (table) => partitionKeys.get(table.split('/').at(-1) ?? table) ?? 'pk',
    tags(resourceId) {
      const { routeTables, networkInterfaces, instances } = ec2.snapshot();
      const machines = instances.flatMap((reservation) => list(reservation, 'Instances')).filter(isRecord);
      const resource = [...routeTables, ...networkInterfaces, ...machines].find((one) =>
        [one['RouteTableId'], one['NetworkInterfaceId'], one['InstanceId']].includes(resourceId),
      );
      const tags = [...records(resource ?? {}, 'Tags'), ...records(resource ?? {}, 'TagSet')];
      return Object.fromEntries(tags.map((tag) => [String(tag['Key']), String(tag['Value'])]));
    },
  };
}
