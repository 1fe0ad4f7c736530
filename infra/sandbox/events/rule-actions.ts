/** EventBridge's calls that make, show and delete rules. */
import { isRecord, list, number, type Params, records, required, text } from '../params.ts';
import { AwsError, sandboxAccount, sandboxRegion } from '../service.ts';
import type { RuleModel } from '../template/rules.ts';
import { compilePattern } from './pattern.ts';
import type { RuleBook } from './rule-book.ts';
import { scheduleExpression } from './schedule-expression.ts';
import { constraint, invalid, targetOf } from './target-of.ts';

type Answer = Readonly<Record<string, unknown>>;
type Action = (book: RuleBook, params: Params) => Answer;

/** AWS's quota of targets per rule. */
const mostTargets = 5;

export const ruleActions: Readonly<Record<string, Action>> = {
  PutRule(book, params) {
    const name = required(params, 'Name');
    if (!/^[.\-_A-Za-z0-9]{1,64}$/.test(name)) throw constraint(name, 'name');
    const pattern = patternOf(params);
    const schedule = scheduleOf(params);
    if (pattern === undefined && schedule === undefined) {
      throw invalid('Parameter(s) EventPattern or ScheduleExpression must be specified.');
    }
    const state = text(params, 'State') ?? 'ENABLED';
    if (state !== 'ENABLED' && state !== 'DISABLED') throw constraint(state, 'state');
    const before = book.find(name);
    const arn = before?.arn ?? `arn:aws:events:${sandboxRegion}:${sandboxAccount}:rule/${name}`;
    const description = text(params, 'Description');
    book.put({
      logicalId: before?.logicalId ?? name,
      name,
      arn,
      enabled: state === 'ENABLED',
      targets: before?.targets ?? [],
      ...(pattern !== undefined && { pattern }),
      ...(schedule !== undefined && { schedule }),
      ...(description !== undefined && { description }),
    });
    return { RuleArn: arn };
  },
  DescribeRule: (book, params) => ({ ...shown(existing(book, required(params, 'Name'))), CreatedBy: sandboxAccount }),
  ListRules(book, params) {
    const prefix = text(params, 'NamePrefix') ?? '';
    return paged(
      'Rules',
      params,
      rules(book)
        .filter(({ name }) => name.startsWith(prefix))
        .map(shown),
    );
  },
  ListRuleNamesByTarget(book, params) {
    const arn = required(params, 'TargetArn');
    const aimed = rules(book).filter(({ targets }) => targets.some((target) => target.arn === arn));
    return paged(
      'RuleNames',
      params,
      aimed.map(({ name }) => name),
    );
  },
  ListTargetsByRule(book, params) {
    const { targets } = existing(book, required(params, 'Rule'));
    return paged(
      'Targets',
      params,
      targets.map((target) => target.given),
    );
  },
  EnableRule: (book, params) => switched(book, params, true),
  DisableRule: (book, params) => switched(book, params, false),
  DeleteRule(book, params) {
    const name = required(params, 'Name');
    if ((book.find(name)?.targets.length ?? 0) > 0) throw invalid("Rule can't be deleted since it has targets.");
    book.delete(name);
    return {};
  },
  PutTargets(book, params) {
    const rule = existing(book, required(params, 'Rule'));
    const put = records(params, 'Targets').map(targetOf);
    if (put.length === 0) throw constraint('[]', 'targets');
    const ids = new Set(put.map(({ id }) => id));
    if (ids.size < put.length) throw invalid('Duplicate target ids are provided.');
    const targets = [...rule.targets.filter(({ id }) => !ids.has(id)), ...put];
    if (targets.length > mostTargets) {
      throw new AwsError('LimitExceededException', 'The requested resource exceeds the maximum number allowed.');
    }
    book.put({ ...rule, targets });
    return { FailedEntryCount: 0, FailedEntries: [] };
  },
  RemoveTargets(book, params) {
    const rule = existing(book, required(params, 'Rule'));
    const ids = list(params, 'Ids').map(String);
    book.put({ ...rule, targets: rule.targets.filter(({ id }) => !ids.includes(id)) });
    return { FailedEntryCount: 0, FailedEntries: [] };
  },
  TestEventPattern(_book, params) {
    const pattern = patternOf({ EventPattern: required(params, 'EventPattern') });
    const event = parsed(required(params, 'Event'));
    const wanted = ['id', 'account', 'source', 'time', 'region', 'resources', 'detail-type'];
    if (!isRecord(event)) throw invalid('Parameter Event is not valid. Reason: it is no JSON object.');
    const missing = wanted.find((name) => event[name] === undefined);
    if (missing !== undefined) throw invalid(`Parameter Event is not valid. Reason: ${missing} is a required field.`);
    return { Result: compilePattern(pattern)(event) };
  },
};

/** The rules of EventBridge; a schedule of EventBridge Scheduler is none. */
const rules = (book: RuleBook): readonly RuleModel[] =>
  book.entries
    .map(({ rule }) => rule)
    .filter(({ arn }) => arn.startsWith('arn:aws:events:'))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

function existing(book: RuleBook, name: string): RuleModel {
  const rule = rules(book).find((one) => one.name === name);
  if (rule !== undefined) return rule;
  throw new AwsError('ResourceNotFoundException', `Rule ${name} does not exist on EventBus default.`);
}

function switched(book: RuleBook, params: Params, enabled: boolean): Answer {
  book.put({ ...existing(book, required(params, 'Name')), enabled });
  return {};
}

function patternOf(params: Params): Params | undefined {
  const given = text(params, 'EventPattern');
  if (given === undefined || given === '') return undefined;
  const refuse = (why: string) =>
    new AwsError('InvalidEventPatternException', `Event pattern is not valid. Reason: ${why}`);
  const pattern = parsed(given);
  if (!isRecord(pattern)) throw refuse('it is no JSON object');
  if (Object.keys(pattern).length === 0) throw refuse('it is empty');
  try {
    compilePattern(pattern, 'pattern');
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error));
  }
  return pattern;
}

function scheduleOf(params: Params): string | undefined {
  const given = text(params, 'ScheduleExpression');
  if (given === undefined || given === '') return undefined;
  try {
    scheduleExpression(given);
  } catch {
    throw invalid('Parameter ScheduleExpression is not valid.');
  }
  return given;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function shown(rule: RuleModel): Answer {
  return {
    Name: rule.name,
    Arn: rule.arn,
    State: rule.enabled ? 'ENABLED' : 'DISABLED',
    EventBusName: 'default',
    ...(rule.description !== undefined && { Description: rule.description }),
    ...(rule.pattern && { EventPattern: JSON.stringify(rule.pattern) }),
    ...(rule.schedule !== undefined && { ScheduleExpression: rule.schedule }),
  };
}

/** A page of at most `Limit`; its token is the place where the next one begins. */
function paged(member: string, params: Params, items: readonly unknown[]): Answer {
  const limit = number(params, 'Limit') ?? 100;
  if (limit < 1 || limit > 100) throw constraint(String(limit), 'limit');
  const begin = Number(text(params, 'NextToken') ?? 0);
  const end = begin + limit;
  return { [member]: items.slice(begin, end), ...(end < items.length && { NextToken: String(end) }) };
}
