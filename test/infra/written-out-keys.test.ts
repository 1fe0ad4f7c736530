import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundle } from '../../infra/bundle.ts';
import { writeOutKeys } from '../../infra/written-out-keys.ts';

test('keys computed from string constants of the file are written out', () => {
  const source = 'const _a = "x";\nconst _b = "y-z";\nf({ [_a]: 1, [_b]: [_a], c: { [_a]: _b } });\n';
  assert.equal(
    writeOutKeys(source),
    'const _a = "x";\nconst _b = "y-z";\nf({ "x": 1, "y-z": [_a], c: { "x": _b } });\n',
  );
});

test('other computed keys stay as they are', () => {
  for (const source of [
    'let a = "x";\nf({ [a]: 1 });\n',
    'const a = `x`;\nf({ [a]: 1 });\n',
    'const a = "__proto__";\nf({ [a]: 1 });\n',
    'f({ [unknown]: 1 });\n',
    'const a = "x";\nf(b ? [a] : 1);\n',
  ]) {
    assert.equal(writeOutKeys(source), source);
  }
});

test('no key computed from a constant is left in the schemas of any SDK client in use', async () => {
  for (const client of ['dynamodb', 'ec2', 'eventbridge', 'lambda', 'sqs']) {
    const entry = fileURLToPath(import.meta.resolve(`@aws-sdk/client-${client}`));
    const path = join(entry, '../../dist-es/schemas/schemas_0.js');
    const source = await readFile(path, 'utf8');
    const written = writeOutKeys(source);
    assert.notEqual(written, source, `${client}: the shape of the schemas has changed; is the plugin still of use?`);
    assert.doesNotMatch(written, /[{,]\s*\[_\w+\]\s*:/, `${client}: computed keys are left`);
  }
});

test('a bundle without the schemas of other operations still speaks EC2', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'leaseway-keys-'));
  t.after(() => rm(folder, { recursive: true }));
  const requests: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      requests.push(body);
      response.setHeader('content-type', 'text/xml');
      response.end(
        '<DescribeRouteTablesResponse><routeTableSet><item><routeTableId>rtb-1</routeTableId><routeSet><item>' +
          '<destinationCidrBlock>10.244.1.0/24</destinationCidrBlock><networkInterfaceId>eni-1</networkInterfaceId>' +
          '<state>active</state></item></routeSet></item></routeTableSet></DescribeRouteTablesResponse>',
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address && typeof address === 'object');

  const outfile = join(folder, 'index.mjs');
  const files = await bundle(join(import.meta.dirname, 'describe-route-tables.fixture.ts'), outfile);
  for (const { path, contents } of files) await writeFile(path, contents);
  const { describe } = await import(pathToFileURL(outfile).href);

  assert.deepEqual(await describe(`http://127.0.0.1:${address.port}`), [
    {
      RouteTableId: 'rtb-1',
      Routes: [{ DestinationCidrBlock: '10.244.1.0/24', NetworkInterfaceId: 'eni-1', State: 'active' }],
    },
  ]);
  assert.match(requests[0] ?? '', /Action=DescribeRouteTables.*Filter\.1\.Name=vpc-id&Filter\.1\.Value\.1=vpc-1/);
  const code = files.find(({ path }) => path === outfile);
  assert.ok(code && code.contents.length < 400_000, `the bundle has ${code?.contents.length} bytes`);
});
