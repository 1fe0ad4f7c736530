import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemdNotifier } from '../../agent/notify.ts';
import { recordedLog } from './fakes/log.ts';

function bench(socket: string | undefined, fails = false) {
  const sent: string[][] = [];
  const log = recordedLog();
  const run = async (argv: readonly string[]) => {
    sent.push([...argv]);
    if (fails) throw new Error('systemd-notify: not found');
  };
  const notifier = systemdNotifier({ run, output: async () => '' }, socket, log);
  return { sent, log, notifier };
}

test('readiness is said once, and what changes after it as a status', async () => {
  const { sent, notifier } = bench('/run/systemd/notify');
  await notifier.status('waiting for a lease');
  await notifier.ready('3 leases');
  await notifier.ready('3 leases');
  await notifier.ready('4 leases\nof 5');
  assert.deepEqual(sent, [
    ['systemd-notify', '--status=waiting for a lease'],
    ['systemd-notify', '--ready', '--status=3 leases'],
    ['systemd-notify', '--status=4 leases of 5'],
  ]);
});

test('where nobody wants to know nothing is run', async () => {
  const { sent, notifier } = bench(undefined);
  await notifier.ready('3 leases');
  assert.deepEqual(sent, []);
});

test('a missing systemd-notify is a warning', async () => {
  const { log, notifier } = bench('/run/systemd/notify', true);
  await notifier.ready('3 leases');
  assert.match(log.warnings.join(), /not found/);
});
