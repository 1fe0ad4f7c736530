import { isRecord, list, number, type Params, text } from '../params.ts';
import { TemplateError } from './parse.ts';

/**
 * The values of a template's parameters: what was given, else the default, checked as CloudFormation checks them.
 * Lists are given as comma separated text.
 */
export function parameterValues(
  declared: Params,
  given: Readonly<Record<string, string>>,
): ReadonlyMap<string, string | readonly string[]> {
  for (const name of Object.keys(given)) {
    if (!isRecord(declared[name])) throw new TemplateError(`there is no parameter ${name}`);
  }
  const values = new Map<string, string | readonly string[]>();
  for (const [name, declaration] of Object.entries(declared)) {
    if (!isRecord(declaration)) throw new TemplateError(`parameter ${name} is no map`);
    const fallback = declaration['Default'];
    const value = given[name] ?? (fallback === undefined ? undefined : String(fallback));
    if (value === undefined) throw new TemplateError(`parameter ${name} has no default and was not given`);
    values.set(name, checked(name, declaration, value));
  }
  return values;
}

function checked(name: string, declaration: Params, value: string): string | readonly string[] {
  const type = text(declaration, 'Type') ?? 'String';
  const isList = type === 'CommaDelimitedList' || type.startsWith('List<');
  const parts = isList ? value.split(',').map((part) => part.trim()) : [value];
  for (const part of parts) checkOne(name, declaration, type, part);
  return isList ? (value === '' ? [] : parts) : value;
}

function checkOne(name: string, declaration: Params, type: string, value: string): void {
  // As CloudFormation says it: the description of the constraint, whichever was not met.
  const rule = text(declaration, 'ConstraintDescription');
  const refuse = (problem: string): never => {
    throw new TemplateError(`parameter ${name}: ${cut(value)} ${rule === undefined ? problem : `is not ${rule}`}`);
  };
  const allowed = list(declaration, 'AllowedValues').map(String);
  if (allowed.length > 0 && !allowed.includes(value)) refuse(`is none of ${allowed.join(', ')}`);
  const pattern = text(declaration, 'AllowedPattern');
  if (pattern !== undefined && !new RegExp(`^(?:${pattern})$`).test(value)) refuse(`does not match ${pattern}`);
  if (type === 'Number' && number({ value }, 'value') === undefined) refuse('is no number');
  const size = type === 'Number' ? Number(value) : value.length;
  const [least, most] =
    type === 'Number'
      ? [number(declaration, 'MinValue'), number(declaration, 'MaxValue')]
      : [number(declaration, 'MinLength'), number(declaration, 'MaxLength')];
  if (least !== undefined && size < least) refuse(`is below ${least}`);
  if (most !== undefined && size > most) refuse(`is above ${most}`);
}

function cut(value: string): string {
  return value.length > 60 ? `${value.slice(0, 57)}...` : value;
}
