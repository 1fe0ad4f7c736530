/** Prometheus' text format, version 0.0.4. */

export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** Metrics without a sample are left out: an absent series is unknown, a zero is known. */
export function metricsText(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(({ value, labels = {} }) => `${name}${labelsText(labels)} ${value}`);
      return [
        `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
        `# TYPE ${name} ${type}`,
        ...lines,
      ]
        .map((line) => `${line}\n`)
        .join('');
    })
    .join('');
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
