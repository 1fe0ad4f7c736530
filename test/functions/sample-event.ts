/** The events of `infra/events`. */
import { readFileSync } from 'node:fs';

export function sampleEvent<Event = Record<string, unknown>>(name: string): Event {
  return JSON.parse(readFileSync(new URL(`../../infra/events/${name}.json`, import.meta.url), 'utf8')) as Event;
}
