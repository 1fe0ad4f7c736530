import assert from 'node:assert/strict';
import { test } from 'node:test';
import { envelope } from '../../../../infra/sandbox/events/envelope.ts';
import { targetInput } from '../../../../infra/sandbox/events/input.ts';

const rule = { logicalId: 'R', name: 'r', arn: 'arn:r', enabled: true, targets: [] };
const event = envelope({
  source: 's',
  detailType: 'D',
  time: Date.parse('2026-03-10T10:15:30.987Z'),
  resources: ['arn:x'],
  detail: { 'instance-id': 'i-1', count: 2, quote: 'say "hi"' },
});

test('an event has the shape and the whole seconds of EventBridge', () => {
  const { id, ...rest } = event;
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.deepEqual(rest, {
    version: '0',
    'detail-type': 'D',
    source: 's',
    account: '123456789012',
    time: '2026-03-10T10:15:30Z',
    region: 'eu-central-1',
    resources: ['arn:x'],
    detail: { 'instance-id': 'i-1', count: 2, quote: 'say "hi"' },
  });
});

test('without an input a target gets the whole event', () => {
  assert.deepEqual(JSON.parse(targetInput({}, event, rule)), event);
});

test('a constant input is handed over as it stands', () => {
  assert.equal(targetInput({ constant: '{"a": 1}' }, event, rule), '{"a": 1}');
});

test('an input path selects a part', () => {
  assert.equal(targetInput({ path: '$.detail.instance-id' }, event, rule), '"i-1"');
  assert.equal(targetInput({ path: '$.resources[0]' }, event, rule), '"arn:x"');
});

test('a transformer fills JSON outside quotes and text inside them', () => {
  const paths = { id: '$.detail.instance-id', count: '$.detail.count', quote: '$.detail.quote' };
  const template = '{"id": <id>, "count": <count>, "text": "<id> of <aws.events.rule-name>: <quote>"}';
  const input = JSON.parse(targetInput({ transformer: { paths, template } }, event, rule));
  assert.deepEqual(input, { id: 'i-1', count: 2, text: 'i-1 of r: say "hi"' });
});
