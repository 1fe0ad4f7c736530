/** Who this instance is: the key of its claim. */
import * as v from 'valibot';
import { instanceIdOf, placeOf } from '../../shared/domain/instance-arn.ts';
import { InvalidInput } from '../../shared/domain/invalid-input.ts';
import { parseWith } from '../../shared/domain/parse-with.ts';
import type { Imds } from './imds.ts';

export interface Instance {
  readonly arn: string;
  readonly instanceId: string;
  readonly region: string;
  readonly account: string;
  readonly partition: string;
}

const word = v.pipe(v.string('is not text'), v.regex(/^[0-9a-z-]+$/, 'is not a plain word'));
const documentSchema = v.object({ instanceId: word, region: word, accountId: word });

/** From the instance identity document. @throws ImdsUnavailable, or InvalidInput that names what is missing in it */
export async function readInstance(imds: Imds): Promise<Instance> {
  const text = await imds.get('/latest/dynamic/instance-identity/document');
  if (text === null) throw new InvalidInput('instance-identity document', undefined, 'is missing');
  const { instanceId, region, accountId } = parseWith(documentSchema, parsed(text), 'instance-identity document');
  const partition = (await imds.get('/latest/meta-data/services/partition')) ?? partitionOf(region);
  return instanceOf(`arn:${partition}:ec2:${region}:${accountId}:instance/${instanceId}`, 'instance metadata');
}

/** From an ARN that an operator gives (`--instance`). @throws InvalidInput */
export function instanceOf(arn: string, field: string): Instance {
  const place = placeOf(arn);
  const instanceId = place && instanceIdOf(arn, place);
  if (place === null || instanceId === null) {
    throw new InvalidInput(field, arn, 'is not an ARN such as arn:aws:ec2:eu-central-1:123456789012:instance/i-0abc');
  }
  return { arn, instanceId, ...place };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** For services that stand in for EC2's and have no such path. */
function partitionOf(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn';
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
}
