// Reads and writes MCAP with @mcap/core, which shares no code with Mybot.
//
//   node core.mjs MODULES read FILE          print what is in it as JSON
//   node core.mjs MODULES write FILE none|zstd
//
// MODULES is the folder node_modules that has the packages.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const [modules, what, file, compression] = process.argv.slice(2);
const require = createRequire(resolve(modules, 'anything.js'));
const { McapIndexedReader, McapStreamReader, McapWriter } = require('@mcap/core');
const zstd = require('@foxglove/wasm-zstd');
await zstd.isLoaded;

const text = (bytes) => new TextDecoder().decode(bytes);
const bytes = (text) => new TextEncoder().encode(text);
const handlers = { zstd: (packed, size) => zstd.decompress(packed, Number(size)) };

async function read() {
  const data = readFileSync(file);
  const readable = {
    size: async () => BigInt(data.length),
    read: async (offset, length) => data.subarray(Number(offset), Number(offset + length)),
  };
  const indexed = await McapIndexedReader.Initialize({ readable, decompressHandlers: handlers });
  const messages = [];
  for await (const m of indexed.readMessages({ validateCrcs: true })) {
    const channel = indexed.channelsById.get(m.channelId);
    const schema = indexed.schemasById.get(channel.schemaId);
    messages.push({
      topic: channel.topic,
      encoding: channel.messageEncoding,
      schema: schema?.name ?? '',
      sequence: m.sequence,
      logged: String(m.logTime),
      published: String(m.publishTime),
      text: text(m.data),
    });
  }
  const stream = new McapStreamReader({ decompressHandlers: handlers, validateCrcs: true });
  stream.append(data);
  let streamed = 0;
  for (let record; (record = stream.nextRecord()); ) if (record.type === 'Message') streamed++;
  const s = indexed.statistics;
  const attachments = [];
  for await (const a of indexed.readAttachments()) {
    attachments.push({ name: a.name, media: a.mediaType, made: String(a.createTime), text: text(a.data) });
  }
  console.log(
    JSON.stringify({
      messages,
      attachments,
      streamed,
      done: stream.done(),
      chunks: indexed.chunkIndexes.length,
      counted: Number(s.messageCount),
      channels: s.channelCount,
      schemas: s.schemaCount,
      compressions: [...new Set(indexed.chunkIndexes.map((c) => c.compression))],
    }),
  );
}

async function write() {
  const parts = [];
  let position = 0n;
  const writable = {
    position: () => position,
    write: async (part) => {
      parts.push(Buffer.from(part)); // the writer uses its buffer again
      position += BigInt(part.length);
    },
  };
  const writer = new McapWriter({
    writable,
    chunkSize: 2000,
    ...(compression === 'zstd' && { compressChunk: (b) => ({ compression: 'zstd', compressedData: zstd.compress(b) }) }),
  });
  await writer.start({ profile: 'test', library: 'core' });
  const schemaId = await writer.registerSchema({ name: 'mybot.Reading', encoding: 'jsonschema', data: bytes('{"type":"object"}') });
  const one = await writer.registerChannel({ topic: '/reading', messageEncoding: 'json', schemaId, metadata: new Map([['of', 'one']]) });
  const two = await writer.registerChannel({ topic: '/log', messageEncoding: 'json', schemaId: 0, metadata: new Map() });
  await writer.addAttachment({ name: 'a', mediaType: 'text/plain', logTime: 0n, createTime: 0n, data: bytes('attached') });
  await writer.addMetadata({ name: 'm', metadata: new Map([['k', 'v']]) });
  for (let i = 0; i < 300; i++) {
    const time = 1800000000123456789n + BigInt(i) * 20000000n;
    await writer.addMessage({
      channelId: i % 3 === 0 ? two : one,
      sequence: i,
      logTime: time,
      publishTime: time - 1000000n,
      data: bytes(JSON.stringify({ n: i, ranges: Array(i % 7).fill(i / 8) })),
    });
  }
  await writer.end();
  writeFileSync(file, Buffer.concat(parts));
}

await (what === 'read' ? read() : write());
