import { isJsonMap, type Json, type JsonMap, readTemplate } from '../../infra/read-template.ts';

export interface Resource {
  readonly id: string;
  readonly type: string;
  readonly properties: JsonMap;
  /** Beside its properties: DependsOn, DeletionPolicy and so on. */
  readonly attributes: JsonMap;
}

export const template = readTemplate();

export const resources: readonly Resource[] = Object.entries(template['Resources'] ?? {}).map(([id, resource]) => {
  const { Type, Properties, ...attributes } = map(resource);
  return { id, type: String(Type), properties: map(Properties), attributes };
});

export function ofType(type: string): readonly Resource[] {
  return resources.filter((resource) => resource.type === type);
}

export function byId(id: string): Resource {
  const found = resources.find((resource) => resource.id === id);
  if (!found) throw new Error(`template.yaml has no ${id}`);
  return found;
}

/** The value as a map; an empty one if it is none. */
export function map(value: Json | undefined): JsonMap {
  return isJsonMap(value) ? value : {};
}

/** The value as a list: IAM takes one value in place of a list of one. */
export function list(value: Json | undefined): readonly Json[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value as Json];
}

/** Every statement of every policy of a resource, both arms of an `Fn::If` included. */
export function statementsOf({ properties }: Resource): readonly JsonMap[] {
  const documents = [
    properties['PolicyDocument'],
    ...list(properties['Policies']).map((policy) => map(policy)['PolicyDocument']),
  ];
  return documents.flatMap((document) => list(map(document)['Statement']).flatMap(arms).map(map));
}

function arms(statement: Json): readonly Json[] {
  const choice = map(statement)['Fn::If'];
  return choice === undefined ? [statement] : list(choice).slice(1);
}

export function actionsOf(statement: JsonMap): readonly string[] {
  return list(statement['Action']).map(String);
}
