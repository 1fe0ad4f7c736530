import { isRecord, type Params } from '../params.ts';
import { TemplateError } from './parse.ts';

/** What intrinsics refer to. `undefined` from a look-up means that there is no such name. */
export interface Scope {
  ref(name: string): unknown;
  attribute(resource: string, name: string): unknown;
  condition(name: string): boolean;
  mapping(map: string, top: string, second: string): unknown;
}

/** The value of `Ref: AWS::NoValue`: a member or element that holds it is left out. */
export const noValue = Symbol('AWS::NoValue');

type Intrinsic = (argument: unknown, scope: Scope, where: string) => unknown;

const intrinsics: Readonly<Record<string, Intrinsic>> = {
  Ref: (name, scope, where) => found(scope.ref(String(name)), `${where}: Ref ${name}`),
  Condition: (name, scope) => scope.condition(String(name)),
  'Fn::GetAtt': (argument, scope, where) => {
    const [resource, ...path] = typeof argument === 'string' ? argument.split('.') : items(argument, where);
    return attribute(scope, String(resource), path.join('.'), where);
  },
  'Fn::Sub': (argument, scope, where) => {
    const [template, names] = Array.isArray(argument) ? argument : [argument, {}];
    const given = resolve(names ?? {}, scope, where);
    return substitute(String(template), isRecord(given) ? given : {}, scope, where);
  },
  'Fn::Join': (argument, scope, where) => {
    const [separator, parts] = items(argument, where);
    return items(resolve(parts, scope, where), where)
      .map(String)
      .join(String(separator));
  },
  'Fn::Select': (argument, scope, where) => {
    const [index, parts] = items(argument, where);
    const at = Number(resolve(index, scope, where));
    return found(items(resolve(parts, scope, where), where)[at], `${where}: Fn::Select has no element ${at}`);
  },
  'Fn::Split': (argument, scope, where) => {
    const [separator, value] = items(argument, where);
    return String(resolve(value, scope, where)).split(String(separator));
  },
  'Fn::FindInMap': (argument, scope, where) => {
    const [map, top, second] = items(resolve(argument, scope, where), where).map(String);
    const value = scope.mapping(map ?? '', top ?? '', second ?? '');
    return found(value, `${where}: Fn::FindInMap ${map}.${top}.${second}`);
  },
  'Fn::If': (argument, scope, where) => {
    const [condition, whenTrue, whenFalse] = items(argument, where);
    return resolve(scope.condition(String(condition)) ? whenTrue : whenFalse, scope, where);
  },
  'Fn::Equals': (argument, scope, where) => {
    const [left, right] = items(resolve(argument, scope, where), where);
    return typeof left === 'object' ? JSON.stringify(left) === JSON.stringify(right) : String(left) === String(right);
  },
  'Fn::Not': (argument, scope, where) => !truth(items(argument, where)[0], scope, where),
  'Fn::And': (argument, scope, where) => items(argument, where).every((one) => truth(one, scope, where)),
  'Fn::Or': (argument, scope, where) => items(argument, where).some((one) => truth(one, scope, where)),
};

/** The value with every intrinsic in it carried out. `where` names the place in errors. */
export function resolve(value: unknown, scope: Scope, where: string): unknown {
  if (Array.isArray(value)) {
    return value.map((one, index) => resolve(one, scope, `${where}[${index}]`)).filter((one) => one !== noValue);
  }
  if (!isRecord(value)) return value;
  const call = intrinsicOf(value, where);
  if (call) return call.apply(call.argument, scope, where);
  const members = Object.entries(value).map(([key, one]) => [key, resolve(one, scope, `${where}.${key}`)] as const);
  return Object.fromEntries(members.filter(([, one]) => one !== noValue));
}

/** Throws if an intrinsic that is not understood stands anywhere in the value. */
export function checkIntrinsics(value: unknown, where: string): void {
  if (Array.isArray(value)) {
    for (const one of value) checkIntrinsics(one, where);
  } else if (isRecord(value)) {
    intrinsicOf(value, where);
    for (const [key, one] of Object.entries(value)) checkIntrinsics(one, `${where}.${key}`);
  }
}

function intrinsicOf(value: Params, where: string): { apply: Intrinsic; argument: unknown } | undefined {
  const keys = Object.keys(value);
  const name = keys.find((key) => key.startsWith('Fn::') || key === 'Ref');
  // `Condition` is also an ordinary member, of IAM statements and resources.
  const only = keys.length === 1 && keys[0] === 'Condition' && typeof value['Condition'] === 'string';
  const key = name ?? (only ? 'Condition' : undefined);
  if (key === undefined) return undefined;
  const apply = intrinsics[key];
  if (!apply) throw new TemplateError(`${where}: the intrinsic ${key} is not understood`);
  if (keys.length > 1) throw new TemplateError(`${where}: ${key} stands beside ${keys.filter((k) => k !== key)}`);
  return { apply, argument: value[key] };
}

function substitute(template: string, names: Params, scope: Scope, where: string): string {
  return template.replace(/\$\{(!?)([^}]+)\}/g, (_whole, literal: string, name: string) => {
    if (literal) return `\${${name}}`;
    if (name in names) return String(names[name]);
    const dot = name.indexOf('.');
    if (dot > 0) return String(attribute(scope, name.slice(0, dot), name.slice(dot + 1), where));
    const value = found(scope.ref(name), `${where}: Fn::Sub \${${name}}`);
    return Array.isArray(value) ? value.join(',') : String(value);
  });
}

function attribute(scope: Scope, resource: string, name: string, where: string): unknown {
  return found(scope.attribute(resource, name), `${where}: Fn::GetAtt ${resource}.${name}`);
}

function truth(value: unknown, scope: Scope, where: string): boolean {
  return resolve(value, scope, where) === true;
}

function found(value: unknown, what: string): unknown {
  if (value === undefined) throw new TemplateError(`${what} refers to nothing`);
  return value;
}

function items(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new TemplateError(`${where}: a list is wanted, not ${JSON.stringify(value)}`);
  return value;
}
