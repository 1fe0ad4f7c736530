/** What the manual resync is asked: `{dryRun?, force?, forced?, tables?, config?, address?}`. */
import * as v from 'valibot';
import type { Cidr } from '../../shared/domain/cidr.ts';
import { InvalidInput } from '../../shared/domain/invalid-input.ts';
import { parseNetworkConfig } from '../../shared/domain/parse-network-config.ts';
import { cidrText } from '../../shared/domain/parse-with.ts';

const request = v.strictObject({
  dryRun: v.optional(v.boolean('is not true or false'), false),
  force: v.optional(v.nullable(v.pipe(v.string('is not a digest'), v.minLength(1, 'is empty'))), null),
  forced: v.optional(v.array(v.string('is not a text'), 'is not a list'), []),
  tables: v.optional(
    v.nullable(
      v.pipe(
        v.array(
          v.pipe(v.string('is not a text'), v.toLowerCase(), v.regex(/^rtb-[0-9a-z-]+$/, 'is no route table id')),
          'is not a list',
        ),
        v.minLength(1, 'is empty'),
      ),
    ),
    null,
  ),
  config: v.optional(v.nullable(v.string('is not JSON text')), null),
  address: v.optional(v.nullable(cidrText()), null),
});

export interface ResyncRequest {
  readonly dryRun: boolean;
  readonly force: string | null;
  /** In a further pass: `guard.forced` of the report before, so that the rest goes on although its digest is another. */
  readonly forced: readonly string[];
  readonly tables: readonly string[] | null;
  /** net-conf.json as it might be applied, for a dry run: what would be written? */
  readonly config: string | null;
  /** With a dry run: which row of each table takes packets to this address? An address is a block of its own. */
  readonly address: Cidr | null;
}

export function parseRequest(event: unknown): ResyncRequest {
  // A list passes as an object without members, which asks for a sync of everything.
  if (Array.isArray(event)) throw new InvalidInput('request', event, 'is not an object');
  const parsed = v.safeParse(request, event ?? {}, { abortEarly: true });
  if (parsed.success) return checked(parsed.output);
  const issue = parsed.issues[0];
  const field = v.getDotPath(issue) ?? 'request';
  const problem = issue.type === 'strict_object' && issue.expected === 'never' ? 'is not known' : issue.message;
  throw new InvalidInput(field, issue.input, problem);
}

function checked(parsed: ResyncRequest): ResyncRequest {
  if (parsed.forced.length > 0 && parsed.force === null) {
    throw new InvalidInput('forced', undefined, 'goes with force only');
  }
  if (parsed.address !== null && !parsed.dryRun) {
    throw new InvalidInput('address', undefined, 'goes with dryRun only: it asks, and changes nothing');
  }
  if (parsed.config === null) return parsed;
  if (!parsed.dryRun) throw new InvalidInput('config', undefined, 'goes with dryRun only: network-apply applies one');
  parseNetworkConfig(parsed.config, { field: 'config' });
  return parsed;
}
