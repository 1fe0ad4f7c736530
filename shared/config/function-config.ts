/**
 * The environment of the functions as a typed value: parsed once, where a function starts. This room alone, and the
 * entry points, know names of variables.
 */
import * as v from 'valibot';
import { InvalidInput } from '../domain/invalid-input.ts';

export interface FunctionConfig {
  readonly network: string;
  readonly claimsTable: string;
  readonly leasesTable: string;
  readonly mapTable: string;
  /** The ceiling: what IAM lets the functions write. Distinct, never empty. */
  readonly routeTableIds: readonly string[];
  readonly eventBusName: string;
  readonly rejectsQueueUrl: string;
  readonly region: string;
}

const text = v.pipe(v.optional(v.string(), ''), v.trim(), v.minLength(1, 'is not set'));

/** The same as the template's parameter has. */
const networkName = v.pipe(
  text,
  v.regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
    'is not one to 63 letters, digits, dots, underscores and hyphens, beginning with a letter or digit',
  ),
);

const routeTableIds = v.pipe(
  text,
  // `"".split(",")` is one empty id: a list that looks as if something were in it.
  v.transform((list) => list.split(',').map((id) => id.trim())),
  v.check((ids) => ids.every((id) => id !== ''), 'has an empty entry'),
  v.check((ids) => ids.every((id) => /^rtb-[0-9a-z]+$/.test(id)), 'has an entry that is no route table id (rtb-...)'),
  v.check((ids) => new Set(ids).size === ids.length, 'names a route table twice'),
);

const url = v.pipe(text, v.url('is not a URL'));

/**
 * @param env `process.env`
 * @throws InvalidInput that names the first variable that does not fit
 */
export function readFunctionConfig(env: Readonly<Record<string, string | undefined>>): FunctionConfig {
  const read = <Value>(schema: v.GenericSchema<unknown, Value>, name: string): Value => {
    const result = v.safeParse(schema, env[name], { abortEarly: true });
    if (result.success) return result.output;
    throw new InvalidInput(name, env[name], result.issues[0].message);
  };
  return {
    network: read(networkName, 'NETWORK'),
    claimsTable: read(text, 'CLAIMS_TABLE'),
    leasesTable: read(text, 'LEASES_TABLE'),
    mapTable: read(text, 'MAP_TABLE'),
    routeTableIds: read(routeTableIds, 'ROUTE_TABLE_IDS'),
    eventBusName: read(text, 'EVENT_BUS_NAME'),
    rejectsQueueUrl: read(url, 'REJECTS_QUEUE_URL'),
    region: read(text, 'AWS_REGION'),
  };
}
