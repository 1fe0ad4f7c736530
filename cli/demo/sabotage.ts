/** Faults that the demo's checks must find. EC2 says that all went well, and it did not. */
import type { Sandbox } from '../../infra/sandbox/sandbox.ts';

export const sabotages = ['table3', 'delete', 'replace'] as const;
export type Sabotage = (typeof sabotages)[number];

type Handle = Sandbox['ec2']['handle'];

export function plant(sabotage: Sabotage, sandbox: Sandbox): void {
  const { ec2 } = sandbox;
  const honest: Handle = (request) => Object.getPrototypeOf(ec2).handle.call(ec2, request);
  ec2.handle = (request) => {
    const { action, params } = request;
    const isOurs = request.caller.accessKeyId.startsWith('LAMBDA.');
    switch (sabotage) {
      case 'table3': {
        const isWrite = action === 'CreateRoute' || action === 'ReplaceRoute' || action === 'DeleteRoute';
        return isWrite && isOurs && params['RouteTableId'] === 'rtb-c' ? pretended() : honest(request);
      }
      case 'delete':
        return action === 'DeleteRoute' && isOurs ? pretended() : honest(request);
      case 'replace':
        if (action !== 'ReplaceRoute' || !isOurs) return honest(request);
        return honest({ ...request, params: { ...params, NetworkInterfaceId: 'eni-a1' } });
    }
  };
}

function pretended(): ReturnType<Handle> {
  return Promise.resolve({ Return: true });
}
