import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseRequest } from '../../../functions/resync/request.ts';

const samples = new URL('../../../infra/events/resync/', import.meta.url);

test('each sample request is understood', () => {
  for (const name of readdirSync(samples)) {
    assert.ok(parseRequest(JSON.parse(readFileSync(new URL(name, samples), 'utf8'))), name);
  }
});

test('nothing asked is a plain resync of every table', () => {
  const plain = { dryRun: false, force: null, forced: [], tables: null, config: null, address: null };
  assert.deepEqual(parseRequest({}), plain);
  assert.deepEqual(parseRequest(null), plain);
});

test('what is wrong is named', () => {
  const config = '{"Network":"10.244.0.0/16","Backend":{"Type":"aws-vpc","RouteTableID":["rtb-1"]}}';
  const wrong: [unknown, string][] = [
    [{ dryrun: true }, 'dryrun'],
    [[], 'request'],
    ['resync', 'request'],
    [{ dryRun: 'yes' }, 'dryRun'],
    [{ force: true }, 'force'],
    [{ force: '' }, 'force'],
    [{ tables: [] }, 'tables'],
    [{ tables: 'rtb-1' }, 'tables'],
    [{ tables: ['rtb-1', 'vpc-1'] }, 'tables.1'],
    [{ forced: ['rtb-1 10.244.1.0/24'] }, 'forced'],
    [{ force: 'a', forced: 'rtb-1 10.244.1.0/24' }, 'forced'],
    [{ address: '10.244.7.9/32' }, 'address'],
    [{ dryRun: true, address: '10.244.7.9' }, 'address'],
    [{ config }, 'config'],
    [{ dryRun: true, config: '{' }, 'config'],
    [{ dryRun: true, config: '{"Network":"10.244.0.0/16"}' }, 'config.Backend'],
  ];
  for (const [request, field] of wrong) {
    assert.throws(() => parseRequest(request), { name: 'InvalidInput', field }, JSON.stringify(request));
  }
  assert.equal(parseRequest({ dryRun: true, config }).config, config);
});
