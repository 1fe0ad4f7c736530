import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, inflateRawSync } from 'node:zlib';
import { zip } from '../../infra/zip.ts';

/** Reads an archive as programs do: from the end record to the directory to each file. */
function unzip(archive: Buffer): Record<string, string> {
  const end = archive.length - 22;
  assert.equal(archive.readUInt32LE(end), 0x06054b50);
  const files: Record<string, string> = {};
  let entry = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    assert.equal(archive.readUInt32LE(entry), 0x02014b50);
    const nameLength = archive.readUInt16LE(entry + 28);
    const name = archive.toString('utf8', entry + 46, entry + 46 + nameLength);
    const local = archive.readUInt32LE(entry + 42);
    assert.equal(archive.readUInt32LE(local), 0x04034b50);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const contents = inflateRawSync(archive.subarray(start, start + archive.readUInt32LE(entry + 20)));
    assert.equal(crc32(contents), archive.readUInt32LE(entry + 16));
    assert.equal(contents.length, archive.readUInt32LE(entry + 24));
    files[name] = contents.toString();
    entry += 46 + nameLength;
  }
  assert.equal(entry, end);
  return files;
}

const one = { name: 'index.mjs', contents: Buffer.from('export const handler = 1;\n'.repeat(500)) };
const two = { name: 'ä.map', contents: Buffer.from('') };

test('an archive gives back the files that went in', () => {
  assert.deepEqual(unzip(zip([one, two])), { [one.name]: one.contents.toString(), [two.name]: '' });
});

test('the same files in any order give the same bytes', () => {
  assert.deepEqual(zip([two, one]), zip([one, two]));
});
