/**
 * The lease commands: what the CLI asks of the keeper by invoking it. JSON in, JSON out; strict, because a misspelt key
 * that is dropped in silence could be `dryRun`.
 */
import * as v from 'valibot';
import type { Cidr } from './cidr.ts';
import { InvalidInput } from './invalid-input.ts';
import { leaseStates } from './lease.ts';
import { cidrText, count, eniIdText, instanceIdText, parseWith, shortText } from './parse-with.ts';

/** Which lease is meant: by one of the two. */
const which = { subnet: v.optional(cidrText()), instanceId: v.optional(instanceIdText) };
const change = {
  dryRun: v.optional(v.boolean('is not true or false'), false),
  /** The revision that the change was made from; refused when the stored one is another. */
  expectedRevision: v.optional(count),
  /** Applies a change that leaves held leases without a place. */
  force: v.optional(v.boolean('is not true or false'), false),
};

/** Unknown and missing keys are named. */
function strict<Entries extends v.ObjectEntries>(entries: Entries) {
  return v.strictObject(entries, ({ expected, kind }) => {
    if (kind === 'schema' && expected === 'never') return 'is not a known key';
    return expected === 'Object' ? 'is not an object' : 'is required';
  });
}

const schemas = {
  list: strict({
    command: v.literal('list'),
    states: v.optional(v.array(v.picklist(leaseStates, 'is no lease state'), 'is not a list')),
  }),
  show: strict({ command: v.literal('show'), ...which }),
  release: strict({ command: v.literal('release'), ...which }),
  reserve: strict({ command: v.literal('reserve'), subnet: cidrText(), eniId: eniIdText }),
  /** `address: null` gives the node back the addresses that EC2 knows. */
  advertise: strict({
    command: v.literal('advertise'),
    ...which,
    address: v.nullable(v.string('is neither an address nor null')),
  }),
  'network-show': strict({ command: v.literal('network-show') }),
  /** `config` is net-conf.json, as its text (which alone keeps duplicate keys visible) or as the object. */
  'network-apply': strict({
    command: v.literal('network-apply'),
    config: v.union([v.string(), v.looseObject({})], 'is neither a JSON object nor its text'),
    ...change,
  }),
  'network-retire': strict({
    command: v.literal('network-retire'),
    network: v.optional(cidrText()),
    subnetLen: v.optional(count),
    routeTableIds: v.optional(v.array(v.pipe(shortText, v.toLowerCase()), 'is not a list'), []),
    /** Takes the entry out again instead, once what it names is empty. */
    remove: v.optional(v.boolean('is not true or false'), false),
    ...change,
  }),
} as const;

type CommandName = keyof typeof schemas;
export type Command = { [Name in CommandName]: v.InferOutput<(typeof schemas)[Name]> }[CommandName];
export type CommandOf<Name extends CommandName> = v.InferOutput<(typeof schemas)[Name]>;

export type Target = { readonly subnet: Cidr } | { readonly instanceId: string };

/** @throws InvalidInput naming the field. */
export function parseCommand(input: unknown): Command {
  const name: unknown = typeof input === 'object' && input !== null && 'command' in input ? input.command : undefined;
  if (typeof name !== 'string' || !Object.hasOwn(schemas, name)) {
    throw new InvalidInput('command', name, `is none of ${Object.keys(schemas).join(', ')}`);
  }
  return parseWith(schemas[name as CommandName] as v.GenericSchema<unknown, Command>, input, '');
}

/** Exactly one of `subnet` and `instanceId`. */
export function targetOf(command: { subnet?: Cidr | undefined; instanceId?: string | undefined }): Target {
  const { subnet, instanceId } = command;
  if (subnet !== undefined && instanceId === undefined) return { subnet };
  if (instanceId !== undefined && subnet === undefined) return { instanceId };
  throw new InvalidInput('subnet', undefined, 'or instanceId is needed: one of them, not both');
}
