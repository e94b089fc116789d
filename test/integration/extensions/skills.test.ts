import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Client, connect } from '../../../src/client/index.js';
import { createServer, type Server } from '../../../src/server/index.js';

const folders: string[] = [];
const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const PDF = `---
name: pdf-processing
description: Fill in PDF forms
license: MIT
metadata:
  version: "1.0"
---
# PDF

See [forms](references/forms.md).
`;

function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'skills-'));
  folders.push(folder);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

const FILES = {
  'pdf-processing/SKILL.md': PDF,
  'pdf-processing/references/forms.md': '﻿# Forms\r\nwith a mark and CRLF\r\n',
  'pdf-processing/scripts/icon.bin': Uint8Array.of(0, 255, 128, 1),
  'acme/release-notes/SKILL.md': '---\nname: release-notes\ndescription: Write them\n---\nShort.\n',
  'README.md': 'not part of a skill',
};

async function serve(
  files: Readonly<Record<string, string | Uint8Array>> = FILES,
): Promise<{ server: Server; client: Client; folder: string }> {
  const folder = folderOf(files);
  const server = createServer({ name: 'skilled', version: '1.0.0' });
  open.push(server);
  await server.skills(folder);
  const client = await connect(server);
  open.push(client);
  return { server, client, folder };
}

describe('a folder of skills', () => {
  it('is listed, with the frontmatter as it is and every file', async () => {
    const { client } = await serve();
    expect(client.skills.isDeclared).toBe(true);
    const [notes, pdf] = await client.skills.list();
    expect(notes).toMatchObject({ uri: 'skill://acme/release-notes/SKILL.md' });
    expect(pdf?.frontmatter).toEqual({
      name: 'pdf-processing',
      description: 'Fill in PDF forms',
      license: 'MIT',
      metadata: { version: '1.0' },
    });
    expect(pdf?.resources).toMatchObject([
      { uri: 'skill://pdf-processing/SKILL.md', size: Buffer.byteLength(PDF) },
      { uri: 'skill://pdf-processing/references/forms.md' },
      { uri: 'skill://pdf-processing/scripts/icon.bin', size: 4 },
    ]);
  });

  it('is read and checked file by file', async () => {
    const { client } = await serve();
    const skill = await client.skills.load('skill://pdf-processing/SKILL.md');
    expect(skill.instructions).toBe('# PDF\n\nSee [forms](references/forms.md).\n');
    expect(
      new TextDecoder('utf-8', { ignoreBOM: true }).decode(await skill.read('references/forms.md')),
    ).toBe(FILES['pdf-processing/references/forms.md']);
    expect(await skill.read('./scripts/icon.bin')).toEqual(FILES['pdf-processing/scripts/icon.bin']);
    await expect(skill.read('../README.md')).rejects.toMatchObject({ code: 'skill_mismatch' });
    await expect(skill.read('skill://acme/release-notes/SKILL.md')).rejects.toMatchObject({
      code: 'skill_mismatch',
    });
  });

  it('can be walked by directory, and shows its SKILL.md files as resources', async () => {
    const { client } = await serve();
    const read = (uri: string) => client.request('resources/directory/read', { uri });
    expect(await read('skill://pdf-processing')).toMatchObject({
      resultType: 'complete',
      resources: [
        { uri: 'skill://pdf-processing/references', mimeType: 'inode/directory' },
        { uri: 'skill://pdf-processing/scripts', mimeType: 'inode/directory' },
        { uri: 'skill://pdf-processing/SKILL.md', name: 'pdf-processing', mimeType: 'text/markdown' },
      ],
    });
    for (const uri of ['skill://pdf-processing/SKILL.md', 'skill://nothing', 'skill://pdf-processing/../..'])
      await expect(read(uri)).rejects.toMatchObject({ rpcCode: -32602 });
    expect(await client.resources.list()).toMatchObject([
      { name: 'release-notes', description: 'Write them', mimeType: 'text/markdown' },
      { name: 'pdf-processing', description: 'Fill in PDF forms', mimeType: 'text/markdown' },
    ]);
  });

  it('serves nothing that belongs to no skill, and follows no link', async () => {
    const folder = folderOf(FILES);
    symlinkSync('/etc/hostname', join(folder, 'pdf-processing', 'host'));
    const server = createServer({ name: 'skilled', version: '1.0.0' });
    open.push(server);
    await server.skills(folder);
    const client = await connect(server);
    open.push(client);
    for (const uri of [
      'skill://README.md',
      'skill://pdf-processing/host',
      'skill://pdf-processing/../README.md',
    ])
      await expect(client.resources.read(uri)).rejects.toMatchObject({ rpcCode: -32602 });
  });

  it('does not read a file that has become a link since it was listed', async () => {
    const { client, folder } = await serve();
    const path = join(folder, 'pdf-processing', 'references', 'forms.md');
    renameSync(path, `${path}.old`);
    symlinkSync('/etc/hostname', path);
    await expect(client.resources.read('skill://pdf-processing/references/forms.md')).rejects.toMatchObject({
      rpcCode: -32602,
    });
  });

  it('serves changes, and refuses what is not what the entry says', async () => {
    const { client, folder } = await serve();
    const before = await client.skills.get('skill://acme/release-notes/SKILL.md');
    const changed = new Promise((resolve) =>
      client.resources.subscribe('skill://acme/release-notes/SKILL.md', resolve),
    );
    writeFileSync(
      join(folder, 'acme/release-notes/SKILL.md'),
      '---\nname: release-notes\ndescription: Write them well\n---\nShort.\n',
    );
    await changed;
    await expect(client.skills.load(before)).rejects.toMatchObject({
      code: 'skill_mismatch',
      message: expect.stringContaining('bytes'),
    });
    const after = await client.skills.load('skill://acme/release-notes/SKILL.md');
    expect(after.frontmatter.description).toBe('Write them well');
  });

  it.each([
    ['no frontmatter', { 'a/SKILL.md': 'hello' }, /does not begin with a line "---"/],
    ['another name', { 'a/SKILL.md': '---\nname: b\ndescription: x\n---\n' }, /rename one of them/],
    ['a wrong name', { 'A b/SKILL.md': '---\nname: A b\ndescription: x\n---\n' }, /lower-case/],
    ['no description', { 'a/SKILL.md': '---\nname: a\n---\n' }, /no "description"/],
    ['broken YAML', { 'a/SKILL.md': '---\nname: [a\n---\n' }, /not YAML/],
  ])('refuses to start with %s, and names the skill', async (_what, files, message) => {
    const server = createServer({ name: 'skilled', version: '1.0.0' });
    open.push(server);
    await expect(server.skills(folderOf(files))).rejects.toThrow(message);
    await expect(server.skills('/nowhere/at/all')).rejects.toThrow(/no folder of skills at/);
  });

  it('offers its files as resources to clients of the handshake era, and no skills', async () => {
    const { server } = await serve();
    const client = await connect(server, { revisions: ['2025-11-25'] });
    open.push(client);
    expect(client.skills.isDeclared).toBe(false);
    await expect(client.skills.list()).rejects.toMatchObject({ code: 'not_supported' });
    await expect(client.resources.read('skill://pdf-processing/SKILL.md')).resolves.toMatchObject({
      contents: [{ mimeType: 'text/markdown', text: PDF }],
    });
  });
});

describe('a client of skills', () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  const head = { name: 'pdf', description: 'x' };
  const uri = 'skill://pdf/SKILL.md';

  it.each([
    ['without resources', { uri, frontmatter: head }],
    ['with resources that are neither', { uri, frontmatter: head, resources: 'some' }],
    ['without its SKILL.md', { uri, frontmatter: head, resources: [] }],
    [
      'with a file of another directory',
      {
        uri,
        frontmatter: head,
        resources: [
          { uri, digest, size: 1 },
          { uri: 'skill://x/y', digest, size: 1 },
        ],
      },
    ],
    [
      'with a file that leads out',
      {
        uri,
        frontmatter: head,
        resources: [
          { uri, digest, size: 1 },
          { uri: 'skill://pdf/%2e%2e/y', digest, size: 1 },
        ],
      },
    ],
    [
      'whose directory has another name',
      { uri, frontmatter: { ...head, name: 'word' }, resources: 'dynamic' },
    ],
  ])('does not load an entry %s', async (_what, entry) => {
    const server = createServer({ name: 'odd', version: '1.0.0' });
    open.push(server);
    const { skills } = await import('../../../src/extensions/index.js');
    server.resource(uri, {}, () => '---\nname: pdf\ndescription: x\n---\n');
    server.extension(skills, {
      methods: {
        'skills/list': () => ({ skills: [entry], ttlMs: 0, cacheScope: 'private' }),
        'skills/get': () => ({ skill: entry, ttlMs: 0, cacheScope: 'private' }),
        'resources/directory/read': () => ({ resources: [] }),
      },
    });
    const client = await connect(server);
    open.push(client);
    expect(await client.skills.list()).toEqual([]);
    await expect(client.skills.load(uri)).rejects.toMatchObject({ code: 'invalid_result' });
  });
});

describe('a gateway of two servers with skills', () => {
  async function gateway(): Promise<Client> {
    const [one, other] = [FILES, { 'pdf-processing/SKILL.md': PDF.replace('Fill in', 'Print') }];
    const servers = await Promise.all(
      [one, other].map(async (files) => {
        const server = createServer({ name: 'skilled', version: '1.0.0' });
        await server.skills(folderOf(files));
        return server;
      }),
    );
    const { createChain } = await import('../../../src/chain/index.js');
    const front = createChain().to({
      forms: { server: servers[0] as Server },
      print: { server: servers[1] as Server },
    });
    const client = await connect(front);
    open.push(...servers, front, client);
    return client;
  }

  it('keeps skills of the same URI apart, and each can be loaded', async () => {
    const client = await gateway();
    const entries = await client.skills.list();
    expect(entries.map(({ uri }) => uri).sort()).toEqual([
      'skill://forms/acme/release-notes/SKILL.md',
      'skill://forms/pdf-processing/SKILL.md',
      'skill://print/pdf-processing/SKILL.md',
    ]);
    for (const entry of entries) {
      const skill = await client.skills.load(entry);
      expect(skill.frontmatter).toEqual(entry.frontmatter);
    }
    const forms = await client.skills.load('skill://forms/pdf-processing/SKILL.md');
    expect(await forms.read('scripts/icon.bin')).toEqual(FILES['pdf-processing/scripts/icon.bin']);
    const listed = await client.resources.list();
    expect(listed.map(({ uri }) => uri).sort()).toEqual(entries.map(({ uri }) => uri).sort());
  });

  it('takes the URI of a server while only one has it, and refuses what several have', async () => {
    const client = await gateway();
    const get = (uri: string) => client.request('skills/get', { uri });
    expect(await get('skill://acme/release-notes/SKILL.md')).toMatchObject({
      skill: { uri: 'skill://forms/acme/release-notes/SKILL.md' },
    });
    await expect(get('skill://pdf-processing/SKILL.md')).rejects.toThrow(/Several servers have/);
    await expect(get('skill://nothing/SKILL.md')).rejects.toThrow(/No server behind this gateway/);
  });

  it.each(['2025-11-25', '2026-07-28'])(
    'reports changes of files under the same addresses in %s',
    async (revision) => {
      const sources = [folderOf(FILES), folderOf({ 'pdf-processing/SKILL.md': PDF })];
      const servers = await Promise.all(
        sources.map(async (folder) => {
          const server = createServer({ name: 'skilled', version: '1.0.0' });
          await server.skills(folder);
          return server;
        }),
      );
      const { createChain } = await import('../../../src/chain/index.js');
      const [forms, print] = servers as [Server, Server];
      const front = createChain().to({ forms: { server: forms }, print: { server: print } });
      const client = await connect(front, { revisions: [revision] });
      open.push(...servers, front, client);
      const uri = 'skill://print/pdf-processing/SKILL.md';
      const updates: string[] = [];
      const other: string[] = [];
      const subscription = await client.resources.subscribe(uri, (update) => updates.push(update.uri));
      await client.resources.subscribe('skill://forms/pdf-processing/SKILL.md', (update) =>
        other.push(update.uri),
      );
      writeFileSync(join(sources[1] ?? '', 'pdf-processing', 'SKILL.md'), PDF.replace('Fill in', 'Print'));
      await expect.poll(() => updates, { timeout: 10_000 }).toContain(uri);
      expect(other).toEqual([]);
      expect(await client.resources.read(uri, { cache: 'reload' })).toMatchObject({
        contents: [{ uri, text: PDF.replace('Fill in', 'Print') }],
      });
      await subscription.close();
    },
  );

  it('lists directories under the same addresses', async () => {
    const client = await gateway();
    const uri = 'skill://forms/pdf-processing';
    expect(await client.request('resources/directory/read', { uri })).toMatchObject({
      resources: [{ uri: `${uri}/references` }, { uri: `${uri}/scripts` }, { uri: `${uri}/SKILL.md` }],
    });
  });
});
