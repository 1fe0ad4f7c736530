/** ARNs of EC2 instances: the partition keys of claims. */

export interface AccountPlace {
  /** `aws`, `aws-cn`, `aws-us-gov`. */
  readonly partition: string;
  readonly account: string;
  readonly region: string;
}

/** The instance's id if the ARN is one of an instance of this partition, region and account, else null. */
export function instanceIdOf(arn: string, place: AccountPlace): string | null {
  const { partition, account, region } = place;
  const prefix = `arn:${partition}:ec2:${region}:${account}:instance/`;
  if (!arn.startsWith(prefix)) return null;
  const id = arn.slice(prefix.length);
  // EC2 takes no longer value in a filter than 255 characters, and refuses the whole batch for one that is.
  return /^i-[0-9a-z]{1,64}$/.test(id) ? id : null;
}

/** Partition, region and account of any ARN that has them, such as that of a table or a function; null for others. */
export function placeOf(arn: string): AccountPlace | null {
  const [, partition, , region, account] = /^arn:([^:]+):([^:]+):([^:]+):([^:]+):/.exec(arn) ?? [];
  if (partition === undefined || region === undefined || account === undefined) return null;
  return { partition, account, region };
}
