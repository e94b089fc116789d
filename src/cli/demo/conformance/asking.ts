/** Tools that ask the client, with the schemas that the suite checks. */

import { type ElicitAnswer, type Server, sample } from '../../../server/index.js';
import { textOf } from '../tools/model.js';

const USER_FORM = {
  type: 'object',
  properties: {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  },
  required: ['username', 'email'],
} as const;

const DEFAULTS_FORM = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
} as const;

const OPTIONS = [
  { const: 'value1', title: 'First Option' },
  { const: 'value2', title: 'Second Option' },
  { const: 'value3', title: 'Third Option' },
] as const;

const ENUMS_FORM = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: OPTIONS },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: { type: 'array', items: { anyOf: OPTIONS } },
  },
} as const;

const NAME_FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

export function addAskingFixtures(server: Server): void {
  server.tool(
    'test_sampling',
    {
      description: "Conformance: asks the client's model.",
      input: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
    },
    async ({ prompt }, ctx) => {
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }];
      return `LLM response: ${textOf(await ctx.sample({ messages, maxTokens: 100 }))}`;
    },
  );

  server.tool(
    'test_elicitation',
    {
      description: 'Conformance: asks the user for a name and an address.',
      input: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    },
    async ({ message }, ctx) => describe(await ctx.elicit(message, USER_FORM)),
  );

  server.tool(
    'test_elicitation_sep1034_defaults',
    { description: 'Conformance: asks with a default for every kind of field.' },
    async (_args, ctx) => describe(await ctx.elicit('Please review and update the form', DEFAULTS_FORM)),
  );

  server.tool(
    'test_elicitation_sep1330_enums',
    { description: 'Conformance: asks with every kind of choice.' },
    async (_args, ctx) => describe(await ctx.elicit('Please select your options', ENUMS_FORM)),
  );

  server.tool(
    'test_streaming_elicitation',
    { description: 'Conformance: asks the user after a first notification.' },
    async (_args, ctx) => {
      ctx.progress(1, 2, 'About to ask');
      return describe(await ctx.elicit('What is your name?', NAME_FORM));
    },
  );

  server.tool(
    'test_missing_capability',
    {
      description: 'Conformance: needs a capability that the client does not declare.',
      requires: { sampling: {} },
    },
    async (_args, ctx) => {
      const { answer } = await ctx.ask({ answer: sample('Say hello.') });
      return textOf(answer);
    },
  );
}

function describe(answer: ElicitAnswer<unknown>): string {
  return `User response: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`;
}
