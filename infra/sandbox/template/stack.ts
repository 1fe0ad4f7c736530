import { isRecord, type Params, record, text } from '../params.ts';
import { sandboxAccount, sandboxRegion } from '../service.ts';
import { checkIntrinsics, noValue, resolve, type Scope } from './intrinsics.ts';
import { parameterValues } from './parameters.ts';
import { parseTemplate, TemplateError } from './parse.ts';
import { inertTypes, liveTypes, type ResourceType } from './resource-types.ts';

export interface Resource {
  readonly logicalId: string;
  readonly type: string;
  /** Physical name. */
  readonly name: string;
  readonly arn: string;
  /** Intrinsics carried out, `Globals` merged in. */
  readonly properties: Params;
}

export interface Stack {
  readonly name: string;
  /** Resources that do something in the sandbox, in the template's order; those whose condition is false are absent. */
  readonly resources: readonly Resource[];
}

export interface StackOptions {
  readonly stackName: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** The sandbox's URL, for the URLs of queues. */
  readonly endpoint: string;
}

const sections = new Set(
  'AWSTemplateFormatVersion Transform Description Metadata Parameters Mappings Conditions Globals Resources Outputs Rules'.split(
    ' ',
  ),
);

/**
 * Reads a SAM template with its parameters. Throws a `TemplateError` that names what it does not understand: an
 * intrinsic, a resource type, a section, a name that refers to nothing.
 */
export function readStack(source: string, options: StackOptions): Stack {
  const template = parseTemplate(source);
  if (!isRecord(template)) throw new TemplateError('it is no map');
  for (const section of Object.keys(template)) {
    if (!sections.has(section)) throw new TemplateError(`the section ${section} is not understood`);
  }
  const declared = record(template, 'Resources') ?? {};
  for (const [id, resource] of Object.entries(declared)) typeOf(id, resource);
  const scope = scopeOf(template, declared, options);
  const globals = record(record(template, 'Globals') ?? {}, 'Function') ?? {};
  const resources = Object.entries(declared).flatMap(([logicalId, resource]): Resource[] => {
    checkIntrinsics(resource, logicalId);
    if (!isRecord(resource) || !exists(resource, scope)) return [];
    const type = String(resource['Type']);
    if (!liveTypes[type]) return [];
    const own = record(resource, 'Properties') ?? {};
    const properties = resolve(type === 'AWS::Serverless::Function' ? merged(globals, own) : own, scope, logicalId);
    const name = nameOf(logicalId, resource, scope, options);
    return [
      {
        logicalId,
        type,
        name,
        arn: typeOf(logicalId, resource).arn(name),
        properties: isRecord(properties) ? properties : {},
      },
    ];
  });
  return { name: options.stackName, resources };
}

function typeOf(logicalId: string, resource: unknown): ResourceType {
  const type = isRecord(resource) ? text(resource, 'Type') : undefined;
  const known = liveTypes[type ?? ''] ?? inertTypes[type ?? ''];
  if (!known) throw new TemplateError(`${logicalId}: the resource type ${type} is not understood`);
  return known;
}

function exists(resource: Params, scope: Scope): boolean {
  const condition = text(resource, 'Condition');
  return condition === undefined || scope.condition(condition);
}

function nameOf(logicalId: string, resource: Params, scope: Scope, options: StackOptions): string {
  const property = typeOf(logicalId, resource).nameProperty;
  const given = property === undefined ? undefined : record(resource, 'Properties')?.[property];
  const name = given === undefined ? noValue : resolve(given, scope, `${logicalId}.${property}`);
  if (name !== noValue) return String(name);
  const fifo = record(resource, 'Properties')?.['FifoQueue'] === true ? '.fifo' : '';
  return `${options.stackName}-${logicalId}${fifo}`;
}

function scopeOf(template: Params, declared: Params, options: StackOptions): Scope {
  const parameters = parameterValues(record(template, 'Parameters') ?? {}, options.parameters);
  const pseudo: Readonly<Record<string, unknown>> = {
    'AWS::Region': sandboxRegion,
    'AWS::AccountId': sandboxAccount,
    'AWS::Partition': 'aws',
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::StackName': options.stackName,
    'AWS::StackId': `arn:aws:cloudformation:${sandboxRegion}:${sandboxAccount}:stack/${options.stackName}/sandbox`,
    'AWS::NotificationARNs': [],
    'AWS::NoValue': noValue,
  };
  const conditions = record(template, 'Conditions') ?? {};

  function existing(logicalId: string): { resource: Params; type: ResourceType; name: string } | undefined {
    const resource = declared[logicalId];
    if (!isRecord(resource) || !exists(resource, scope)) return undefined;
    return { resource, type: typeOf(logicalId, resource), name: nameOf(logicalId, resource, scope, options) };
  }

  const scope: Scope = {
    ref(name) {
      if (parameters.has(name)) return parameters.get(name);
      if (name in pseudo) return pseudo[name];
      const found = existing(name);
      if (found) return found.type.ref?.(found.name, options.endpoint) ?? found.name;
      return generatedRole(name)?.name;
    },
    attribute(logicalId, attribute) {
      const found = existing(logicalId);
      if (!found) return attribute === 'Arn' ? generatedRole(logicalId)?.arn : undefined;
      if (attribute === 'Arn') return found.type.arn(found.name);
      return found.type.attributes?.(found.name, options.endpoint)[attribute];
    },
    condition(name) {
      if (!(name in conditions)) throw new TemplateError(`there is no condition ${name}`);
      return resolve(conditions[name], scope, `Conditions.${name}`) === true;
    },
    mapping: (map, top, second) => record(record(record(template, 'Mappings') ?? {}, map) ?? {}, top)?.[second],
  };

  /** SAM makes a role `<Function>Role` for a function that names none. */
  function generatedRole(name: string): { name: string; arn: string } | undefined {
    const owner = name.endsWith('Role') ? existing(name.slice(0, -'Role'.length)) : undefined;
    if (owner?.resource['Type'] !== 'AWS::Serverless::Function') return undefined;
    const role = `${options.stackName}-${name}`;
    return { name: role, arn: `arn:aws:iam::${sandboxAccount}:role/${role}` };
  }
  return scope;
}

/** `Globals` as SAM merges them: maps member by member, lists joined, anything else taken from the function. */
function merged(globals: unknown, own: unknown): unknown {
  if (Array.isArray(globals) && Array.isArray(own)) return [...globals, ...own];
  if (!isRecord(globals) || !isRecord(own)) return own ?? globals;
  const keys = new Set([...Object.keys(globals), ...Object.keys(own)]);
  return Object.fromEntries([...keys].map((key) => [key, merged(globals[key], own[key])]));
}
