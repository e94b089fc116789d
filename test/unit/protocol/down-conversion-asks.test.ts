/** A maximal question of each kind, as each revision is asked it; validated like the results in down-conversion. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import { decodeAnswer, encodeAsk } from '../../../src/protocol/revisions/ask-encoding.js';
import { askObstacle, declares } from '../../../src/protocol/revisions/asks.js';
import { REVISIONS, type Revision } from '../../../src/protocol/revisions/index.js';
import { expectOfficial } from '../../support/official-schema.js';

const [R1, R2, R3, R4, R5] = REVISIONS as [Revision, Revision, Revision, Revision, Revision];

const icons = [{ src: 'https://example.com/i.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' }];
const annotations = { audience: ['user'], priority: 0.5, lastModified: '2026-01-02T03:04:05Z' };
const meta = { 'example.com/key': 1 };

const keys = (value: unknown): string[] => Object.keys(value as object).sort();

describe('elicitation', () => {
  const requestedSchema = {
    type: 'object',
    properties: {
      email: {
        type: 'string',
        title: 'Mail',
        description: 'd',
        minLength: 3,
        maxLength: 50,
        format: 'email',
        default: 'a@b.c',
      },
      age: { type: 'integer', minimum: 0, maximum: 150, default: 30 },
      agreed: { type: 'boolean', default: true },
      colour: { type: 'string', enum: ['r', 'g'], default: 'r' },
      size: {
        type: 'string',
        oneOf: [
          { const: 's', title: 'Small' },
          { const: 'l', title: 'Large' },
        ],
        default: 's',
      },
      tags: {
        type: 'array',
        title: 'Tags',
        items: { type: 'string', enum: ['a', 'b'] },
        minItems: 1,
        default: ['a'],
      },
      more: {
        type: 'array',
        description: 'some',
        items: { anyOf: [{ const: 'x', title: 'X' }] },
        maxItems: 1,
      },
    },
    required: ['email'],
  };
  const form = { mode: 'form', message: 'm', requestedSchema };
  const asRequest = (revision: Revision, params: JsonObject): JsonObject => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'elicitation/create',
    params: encodeAsk(revision, 'elicitation/create', params),
  });

  test('a form of the first kind has no mode, plain choices, and defaults on booleans alone', () => {
    const request = asRequest(R3, form);
    expect(request.params).toEqual({
      message: 'm',
      requestedSchema: {
        type: 'object',
        properties: {
          email: {
            type: 'string',
            title: 'Mail',
            description: 'd',
            minLength: 3,
            maxLength: 50,
            format: 'email',
          },
          age: { type: 'integer', minimum: 0, maximum: 150 },
          agreed: { type: 'boolean', default: true },
          colour: { type: 'string', enum: ['r', 'g'] },
          size: { type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large'] },
          tags: { type: 'string', title: 'Tags', description: 'Comma-separated, any of: a, b' },
          more: { type: 'string', description: 'some (Comma-separated, any of: x)' },
        },
        required: ['email'],
      },
    });
    expectOfficial(R3, 'ElicitRequest', request);
  });

  test('later forms go out as they are', () => {
    for (const revision of [R4, R5]) {
      const request = asRequest(revision, form);
      expect(request.params).toEqual(form);
      expectOfficial(revision, 'ElicitRequest', request);
    }
  });

  test('the answer to a form of the first kind comes back in the shape that the handler asked for', () => {
    const answer = { action: 'accept', content: { email: 'x@y.z', tags: 'a, b', more: '', size: 's' } };
    expect(decodeAnswer(R3, 'elicitation/create', form, answer)).toEqual({
      action: 'accept',
      content: { email: 'x@y.z', age: 30, agreed: true, colour: 'r', size: 's', tags: ['a', 'b'], more: [] },
    });
    expect(decodeAnswer(R4, 'elicitation/create', form, answer)).toBe(answer);
    const declined = { action: 'decline' };
    expect(decodeAnswer(R3, 'elicitation/create', form, declined)).toEqual(declined);
  });

  test('a page to visit has an id in the one revision that knows it', () => {
    const url = { mode: 'url', message: 'm', url: 'https://example.com/', elicitationId: 'e1' };
    expect(asRequest(R4, url).params).toEqual(url);
    expectOfficial(R4, 'ElicitRequest', asRequest(R4, url));
    expect(asRequest(R5, url).params).toEqual({ mode: 'url', message: 'm', url: 'https://example.com/' });
    expectOfficial(R5, 'ElicitRequest', asRequest(R5, url));
  });

  const obstacle = (revision: Revision, capabilities: JsonObject, params: JsonObject = form) =>
    askObstacle(revision, capabilities, 'elicitation/create', params)?.required;

  test('an empty elicitation capability stands for forms alone', () => {
    expect(obstacle(R3, { elicitation: {} })).toBeUndefined();
    expect(obstacle(R4, { elicitation: {} })).toBeUndefined();
    expect(obstacle(R5, { elicitation: { form: {} } })).toBeUndefined();
    const url = { mode: 'url', message: 'm', url: 'https://example.com/' };
    expect(obstacle(R5, { elicitation: {} }, url)).toEqual({ elicitation: { url: {} } });
    expect(obstacle(R5, { elicitation: { url: {} } }, url)).toBeUndefined();
    expect(obstacle(R5, { elicitation: { url: {} } })).toEqual({ elicitation: { form: {} } });
  });

  test('a revision without pages or without elicitation is never asked, whatever the client declares', () => {
    const url = { mode: 'url', message: 'm', url: 'https://example.com/' };
    expect(obstacle(R3, { elicitation: { form: {}, url: {} } }, url)).toEqual({ elicitation: { url: {} } });
    for (const revision of [R1, R2])
      expect(obstacle(revision, { elicitation: {} })).toEqual({ elicitation: {} });
  });

  test.each([null, false, undefined])('an elicitation capability of %s is none', (value) => {
    expect(declares({ elicitation: value } as JsonObject, { elicitation: {} })).toBe(false);
    expect(declares({ elicitation: value } as JsonObject, { elicitation: { form: {} } })).toBe(false);
  });
});

describe('sampling', () => {
  const text = { type: 'text', text: 'hello', annotations, _meta: meta };
  const params = {
    messages: [
      { role: 'user', content: text, _meta: meta },
      { role: 'user', content: [text, { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'look', input: { q: 1 } }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', toolUseId: 't1', content: [text], structuredContent: { a: 1 } }],
      },
    ],
    maxTokens: 10,
    modelPreferences: {
      hints: [{ name: 'm' }],
      costPriority: 0.1,
      speedPriority: 0.2,
      intelligencePriority: 0.3,
    },
    systemPrompt: 's',
    includeContext: 'none',
    temperature: 0.5,
    stopSequences: ['x'],
    metadata: { a: 1 },
    tools: [
      {
        name: 'look',
        inputSchema: { type: 'object' },
        outputSchema: { type: 'array' },
        execution: { taskSupport: 'optional' },
        icons,
      },
    ],
    toolChoice: { mode: 'auto' },
  };
  const asked = (revision: Revision): JsonObject => {
    const encoded = encodeAsk(revision, 'sampling/createMessage', params);
    const request = { jsonrpc: '2.0', id: 1, method: 'sampling/createMessage', params: encoded };
    expectOfficial(revision, 'CreateMessageRequest', request);
    return encoded;
  };
  const messages = (revision: Revision) =>
    asked(revision).messages as { role: string; content: JsonObject | JsonObject[]; _meta?: unknown }[];

  test.each([R1, R2, R3])('$version gets messages of one block each, without tools', (revision) => {
    expect(asked(revision)).not.toHaveProperty('tools');
    expect(asked(revision)).not.toHaveProperty('toolChoice');
    expect(messages(revision).map(({ role, content }) => [role, (content as JsonObject).type])).toEqual([
      ['user', 'text'],
      ['user', 'text'],
      ['user', revision === R1 ? 'text' : 'audio'],
      ['assistant', 'text'],
      ['user', 'text'],
    ]);
    for (const message of messages(revision)) expect(message).not.toHaveProperty('_meta');
    expect(JSON.stringify(messages(revision)[3])).toContain('look');
    expect(JSON.stringify(messages(revision)[4])).toContain('hello');
  });

  test('annotations and metadata of blocks are those of the revision', () => {
    expect(messages(R1)[0]?.content).toEqual({
      type: 'text',
      text: 'hello',
      annotations: { audience: ['user'], priority: 0.5 },
    });
    expect(messages(R3)[0]?.content).toEqual(text);
  });

  test.each([R4, R5])('$version gets everything, with tools as it reads them', (revision) => {
    expect(asked(revision).messages).toEqual(params.messages);
    expect(asked(revision).toolChoice).toEqual({ mode: 'auto' });
    const [tool] = asked(revision).tools as JsonObject[];
    expect(keys(tool)).toEqual(
      revision === R4
        ? ['execution', 'icons', 'inputSchema', 'name']
        : ['icons', 'inputSchema', 'name', 'outputSchema'],
    );
  });

  test('tools are offered only to clients that declared them, in revisions that have them', () => {
    const obstacle = (revision: Revision, sampling: JsonObject) =>
      askObstacle(revision, { sampling }, 'sampling/createMessage', params)?.required;
    expect(obstacle(R4, {})).toEqual({ sampling: { tools: {} } });
    expect(obstacle(R5, { tools: {} })).toBeUndefined();
    for (const revision of [R1, R2, R3])
      expect(obstacle(revision, { tools: {} })).toEqual({ sampling: { tools: {} } });
  });

  test('nothing is asked of a client that declared nothing', () => {
    for (const revision of REVISIONS) {
      for (const method of revision.asks) expect(askObstacle(revision, {}, method, {})).toBeDefined();
      expect(askObstacle(revision, {}, 'made/up', {})?.required).toEqual({});
    }
  });
});
