/** When a schedule runs next after a time; both in ms since the epoch, all times UTC. */
export type Next = (after: number) => number;

const unitMs: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const days = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** Reads `rate(5 minutes)` or `cron(0 12 * * ? *)`. Throws an `Error` for what EventBridge would refuse. */
export function scheduleExpression(expression: string): Next {
  const rate = /^rate\((\d+) (minute|hour|day)(s?)\)$/.exec(expression);
  if (rate) {
    const count = Number(rate[1]);
    // EventBridge insists on the grammar: `1 minute`, `2 minutes`.
    if (count > 0 && (count === 1) === (rate[3] === '')) {
      const period = count * (unitMs[rate[2] ?? ''] ?? 0);
      return (after) => after + period;
    }
  }
  const cron = /^cron\((.+)\)$/.exec(expression);
  const fields = cron?.[1]?.split(/\s+/) ?? [];
  if (fields.length !== 6) throw new Error(`the schedule expression ${expression} is not understood`);
  return cronNext(fields, expression);
}

function cronNext(fields: readonly string[], expression: string): Next {
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = '', year = ''] = fields;
  const read = (text: string, low: number, high: number, names: readonly string[] = [], first = 0) =>
    cronField(text, { low, high, names, first, expression });
  const minutes = read(minute, 0, 59);
  const hours = read(hour, 0, 23);
  const ofMonth = read(dayOfMonth, 1, 31);
  const inMonths = read(month, 1, 12, months, 1);
  const ofWeek = read(dayOfWeek, 1, 7, days, 1);
  const years = read(year, 1970, 2199);
  const isDay = (date: Date) =>
    years(date.getUTCFullYear()) &&
    inMonths(date.getUTCMonth() + 1) &&
    ofMonth(date.getUTCDate()) &&
    ofWeek(date.getUTCDay() + 1);
  return (after) => {
    const date = new Date(Math.floor(after / 60_000) * 60_000 + 60_000);
    const last = date.getUTCFullYear() + 10;
    while (date.getUTCFullYear() <= last) {
      if (!isDay(date)) date.setUTCHours(24, 0, 0, 0);
      else if (!hours(date.getUTCHours())) date.setUTCMinutes(60, 0, 0);
      else if (!minutes(date.getUTCMinutes())) date.setUTCMinutes(date.getUTCMinutes() + 1, 0, 0);
      else return date.getTime();
    }
    return Number.POSITIVE_INFINITY;
  };
}

interface FieldRange {
  readonly low: number;
  readonly high: number;
  readonly names: readonly string[];
  /** The number of the first name. */
  readonly first: number;
  readonly expression: string;
}

function cronField(text: string, range: FieldRange): (value: number) => boolean {
  if (text === '*' || text === '?') return () => true;
  const parts = text.split(',').map((part) => {
    const [span = '', step = '1'] = part.split('/');
    const [from = '', to] = span.split('-');
    const start = from === '*' ? range.low : cronNumber(from, range);
    const end = to !== undefined ? cronNumber(to, range) : part.includes('/') ? range.high : start;
    const every = cronNumber(step, { ...range, low: 1, high: range.high });
    return (value: number) => value >= start && value <= end && (value - start) % every === 0;
  });
  return (value) => parts.some((part) => part(value));
}

function cronNumber(text: string, { low, high, names, first, expression }: FieldRange): number {
  const named = names.indexOf(text.toUpperCase());
  const value = named >= 0 ? named + first : Number(text);
  if (!/^\w+$/.test(text) || !Number.isInteger(value) || value < low || value > high) {
    throw new Error(`the schedule expression ${expression}: ${text} is not understood`);
  }
  return value;
}
