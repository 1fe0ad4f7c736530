/** Keeps a VPC in step with an EC2 that is asked over and over, as a mirror of what it says. */
import type { DescribedInterface, DescribedRouteTable } from './describe.ts';
import type { Vpc } from './vpc.ts';

export interface Ec2Picture {
  readonly routeTables: readonly DescribedRouteTable[];
  readonly networkInterfaces: readonly DescribedInterface[];
}

/** Well inside the 100 ms in which a change must show. */
const usuallyMs = 25;

/**
 * Reads until stopped; only a change is applied. A reading that fails is reported to `onError` and changes nothing.
 */
export function followEc2(
  vpc: Vpc,
  read: () => Promise<Ec2Picture>,
  onError: (error: unknown) => void,
  everyMs = usuallyMs,
): { stop(): Promise<void> } {
  let stopped = false;
  let last = '';
  const applied: Promise<void>[] = [];
  const look = async () => {
    const picture = await read();
    const text = JSON.stringify(picture);
    if (text === last) return;
    last = text;
    await vpc.applyNetworkInterfaces(picture.networkInterfaces);
    // Not awaited: with a data path that lags, the next change must not wait for this one.
    applied.push(vpc.applyRouteTables(picture.routeTables).catch(onError));
  };
  const loop = async () => {
    while (!stopped) {
      await look().catch(onError);
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
    await Promise.all(applied);
  };
  const ended = loop();
  return {
    stop: () => {
      stopped = true;
      return ended;
    },
  };
}
