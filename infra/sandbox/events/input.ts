import { isRecord } from '../params.ts';
import type { InputModel, RuleModel } from '../template/rules.ts';
import type { Envelope } from './envelope.ts';

/** The text a target is handed: the whole event unless the target says otherwise. */
export function targetInput(input: InputModel, event: Envelope, rule: RuleModel): string {
  if (input.constant !== undefined) return input.constant;
  if (input.path !== undefined) return JSON.stringify(valueAt(event, input.path) ?? null);
  if (!input.transformer) return JSON.stringify(event);
  const values = new Map<string, unknown>([
    ['aws.events.rule-name', rule.name],
    ['aws.events.rule-arn', rule.arn],
    ['aws.events.event.ingestion-time', event.time],
    ['aws.events.event.json', event],
    ['aws.events.event', event],
  ]);
  for (const [name, path] of Object.entries(input.transformer.paths)) values.set(name, valueAt(event, path));
  return transformed(input.transformer.template, values);
}

/** The value at a JSON path of the form `$.detail.instance-id`, `$.resources[0]`. */
function valueAt(event: unknown, path: string): unknown {
  const steps = path.replace(/^\$\.?/, '').match(/[^.[\]]+/g) ?? [];
  return steps.reduce<unknown>((value, step) => {
    if (Array.isArray(value)) return value[Number(step)];
    return isRecord(value) ? value[step] : undefined;
  }, event);
}

/** Fills a template in: a placeholder inside quotes becomes bare text, one outside becomes JSON. */
function transformed(template: string, values: ReadonlyMap<string, unknown>): string {
  let quoted = false;
  return template.replace(/\\.|"|<([^<>]+)>/g, (part, name: string | undefined) => {
    if (part === '"') quoted = !quoted;
    if (name === undefined || !values.has(name)) return part;
    const value = values.get(name);
    if (!quoted) return JSON.stringify(value ?? '');
    const bare = typeof value === 'string' ? value : JSON.stringify(value ?? '');
    return JSON.stringify(bare).slice(1, -1);
  });
}
