/** EC2's `EC2 Instance State-change Notification` as it comes. */
import * as v from 'valibot';
import { instanceStates } from '../../shared/domain/instance-life.ts';
import { parseWith } from '../../shared/domain/parse-with.ts';
import type { LifeEvent } from '../../shared/keeper/life-event.ts';

const schema = v.object({
  time: v.pipe(v.string('is not text'), v.isoTimestamp('is no time')),
  detail: v.object({
    // With a hyphen, unlike any other key here.
    'instance-id': v.pipe(v.string('is not text'), v.regex(/^i-[0-9a-z]+$/, 'is no instance id')),
    state: v.picklist(instanceStates, 'is no instance state'),
  }),
});

/** @throws InvalidInput that names the field. */
export function parseLifeEvent(event: unknown): LifeEvent {
  const { time, detail } = parseWith(schema, event, 'event');
  return { instanceId: detail['instance-id'], state: detail.state, time: Math.floor(Date.parse(time) / 1000) };
}
