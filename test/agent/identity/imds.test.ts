import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { ImdsUnavailable, imdsEndpoints, openImds } from '../../../agent/identity/imds.ts';
import { FakeClock } from '../../fakes/reconcile/clock.ts';
import { startImds } from '../fakes/imds-server.ts';

const mac = { '/latest/meta-data/mac': '02:00:00:00:00:01' };

test('a path is read under a token, which is asked for once', async (t) => {
  const server = await startImds(t, mac);
  const imds = openImds({ clock: new FakeClock(), endpoints: [server.endpoint] });
  assert.equal(await imds.get('/latest/meta-data/mac'), '02:00:00:00:00:01');
  assert.equal(await imds.get('/latest/meta-data/ipv6'), null);
  assert.equal(server.tokens.length, 1);
});

test('a token that is refused is replaced', async (t) => {
  const server = await startImds(t, mac);
  const imds = openImds({ clock: new FakeClock(), endpoints: [server.endpoint] });
  await imds.get('/latest/meta-data/mac');
  server.tokens.push('of another time');
  assert.equal(await imds.get('/latest/meta-data/mac'), '02:00:00:00:00:01');
});

test('trouble that passes is waited for', async (t) => {
  const server = await startImds(t, mac);
  server.tokenTrouble.push(503, 0);
  server.readTrouble.push(500, 429);
  const clock = new FakeClock();
  const imds = openImds({ clock, endpoints: [server.endpoint] });
  assert.equal(await imds.get('/latest/meta-data/mac'), '02:00:00:00:00:01');
  assert.ok(clock.slept <= 10_000);
});

test('where one endpoint does not answer the next one is asked', async (t) => {
  const server = await startImds(t, mac);
  const imds = openImds({ clock: new FakeClock(), endpoints: ['http://127.0.0.1:1', server.endpoint], attempts: 1 });
  assert.equal(await imds.get('/latest/meta-data/mac'), '02:00:00:00:00:01');
});

test('silence ends, and says what a container needs', async (t) => {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const imds = openImds({ clock: new FakeClock(), endpoints: [endpoint], timeout: 50, attempts: 2 });
  await assert.rejects(imds.get('/latest/meta-data/mac'), (error: Error) => {
    assert.ok(error instanceof ImdsUnavailable);
    assert.match(error.message, /does not answer \(time-out\); .* hop limit of 2, .* --instance /);
    return true;
  });
});

test('a service that is switched off is not asked again', async (t) => {
  const server = await startImds(t, mac);
  server.tokenTrouble.push(403);
  const imds = openImds({ clock: new FakeClock(), endpoints: [server.endpoint] });
  await assert.rejects(imds.get('/latest/meta-data/mac'), /is switched off/);
  assert.equal(server.tokens.length, 0);
});

test('no message shows the token', async (t) => {
  const server = await startImds(t, mac);
  server.readTrouble.push(...new Array<number>(5).fill(500));
  const imds = openImds({ clock: new FakeClock(), endpoints: [server.endpoint] });
  await assert.rejects(imds.get('/latest/meta-data/mac'), (error: Error) => {
    const said = `${error.stack} ${String(error.cause)} ${JSON.stringify(error)}`;
    assert.match(said, /answered 500/);
    assert.doesNotMatch(said, /secret-/);
    return true;
  });
});

test("the SDK's settings say where the service is", () => {
  assert.deepEqual(imdsEndpoints({}), ['http://169.254.169.254', 'http://[fd00:ec2::254]']);
  assert.equal(imdsEndpoints({ AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE: 'IPv6' })[0], 'http://[fd00:ec2::254]');
  const endpoint = { AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://127.0.0.1:1338/' };
  assert.deepEqual(imdsEndpoints(endpoint), ['http://127.0.0.1:1338']);
});
