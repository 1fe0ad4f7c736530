import { isJsonMap, type Json, type JsonMap, readTemplate } from './read-template.ts';

/** Sections that both deployments have in common. */
const sections = ['Metadata', 'Parameters', 'Conditions', 'Resources', 'Outputs'] as const;

/**
 * The part of template.yaml that is no function, as the Serverless Framework's `resources`. What it refers to as
 * `KeepLeasesFunction` is called `KeepLeasesLambdaFunction` there, a name the framework makes and none can choose.
 */
export function serverlessResources(): JsonMap {
  const template = readTemplate();
  const resources = Object.entries(template['Resources'] ?? {});
  const functions = new Map(resources.filter(([, one]) => isFunction(one)).map(([id]) => [id, serverlessId(id)]));
  const shared = Object.fromEntries(resources.filter(([id]) => !functions.has(id)));
  const parts = sections.map((section) => [section, section === 'Resources' ? shared : (template[section] ?? {})]);
  const extensions = Object.fromEntries(
    // The framework's own setting takes no intrinsic.
    [...functions.values()].map((id) => [id, { Properties: { Architectures: [{ Ref: 'Architecture' }] } }]),
  );
  const taken = renamed(Object.fromEntries(parts), functions) as JsonMap;
  const left = [...functions.keys()].filter((id) => new RegExp(`\\b${id}\\b`).test(JSON.stringify(taken)));
  if (left.length > 0)
    throw new Error(`template.yaml refers to ${left.join(', ')} in a way that is not understood here`);
  return { ...taken, extensions };
}

/** Those parameters of template.yaml that are given a value, as the Serverless Framework's `stackParameters`. */
export async function stackParameters(given: (name: string) => Promise<unknown>): Promise<JsonMap[]> {
  const names = Object.keys(readTemplate()['Parameters'] ?? {});
  const values = await Promise.all(names.map(async (name) => [name, await given(name)] as const));
  return values
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => ({ ParameterKey: name, ParameterValue: String(value) }));
}

function isFunction(resource: Json): boolean {
  return isJsonMap(resource) && resource['Type'] === 'AWS::Serverless::Function';
}

function serverlessId(functionId: string): string {
  return functionId.replace(/Function$/, 'LambdaFunction');
}

/** The value with every reference to a function under its other name. */
function renamed(value: Json, names: ReadonlyMap<string, string>): Json {
  if (Array.isArray(value)) return value.map((one: Json) => renamed(one, names));
  if (typeof value === 'string') return escaped(value);
  if (!isJsonMap(value)) return value;
  const members = Object.entries(value).map(([key, one]): [string, Json] => {
    if (key === 'Ref' && typeof one === 'string') return [key, names.get(one) ?? one];
    if (key === 'Fn::GetAtt' && Array.isArray(one))
      return [key, one.map((part: Json) => names.get(String(part)) ?? part)];
    if (key === 'Fn::Sub' && typeof one === 'string') return [key, escaped(inSub(one, names))];
    return [key, renamed(one, names)];
  });
  return Object.fromEntries(members);
}

function inSub(text: string, names: ReadonlyMap<string, string>): string {
  return text.replace(/\$\{(\w+)/g, (whole, name: string) => (names.has(name) ? `\${${names.get(name)}` : whole));
}

/** IAM's `${ec2:SourceInstanceARN}` would be a variable of the framework's. */
function escaped(text: string): string {
  return text.replace(/\$\{([a-z]\w*:)/g, '\\${$1');
}
