/** Tools that ask back: forms, pages, the client's model, its roots. */

import { elicit, roots, type Server, sample, ToolError } from '../../../server/index.js';
import { FORM } from './form.js';
import { textOf, useTools } from './model.js';

export function addAskingTools(server: Server): void {
  server.tool(
    'ask_form',
    { title: 'Ask with a form', description: 'Asks the user to fill in a form with every kind of field.' },
    async (_args, ctx) => {
      const answer = await ctx.elicit('Please describe your trip.', FORM);
      if (answer.action !== 'accept') return `The user chose to ${answer.action}.`;
      return `The user answered:\n${JSON.stringify(answer.content, null, 2)}`;
    },
  );

  server.tool(
    'ask_page',
    { title: 'Ask with a page', description: 'Asks the user to visit a page, as for a payment or a login.' },
    async (_args, ctx) => {
      const answer = await ctx.elicitUrl(
        'Please confirm on our page.',
        'https://example.com/confirm?order=42',
      );
      return `The user chose to ${answer.action}.`;
    },
  );

  server.tool(
    'ask_model',
    {
      title: 'Ask the model',
      description: "Puts a question to the client's model.",
      input: {
        type: 'object',
        properties: { question: { type: 'string', default: 'What is a plumb line?' } },
      },
    },
    async ({ question = 'What is a plumb line?' }, ctx) => {
      const answer = await ctx.sample({
        messages: [{ role: 'user', content: { type: 'text', text: question } }],
        systemPrompt: 'Answer in one sentence.',
        maxTokens: 200,
        temperature: 0.2,
        modelPreferences: { hints: [{ name: 'small' }], speedPriority: 1 },
      });
      return `${answer.model} answered: ${textOf(answer)}`;
    },
  );

  server.tool(
    'ask_model_with_tools',
    {
      title: 'Ask the model, with tools',
      description: "Lets the client's model calculate with a tool of this server before it answers.",
      requires: { sampling: { tools: {} } },
      input: {
        type: 'object',
        properties: { question: { type: 'string', default: 'What is 17 times 23?' } },
      },
    },
    ({ question = 'What is 17 times 23?' }, ctx) => useTools(question, ctx),
  );

  server.tool(
    'ask_roots',
    { title: 'Ask for roots', description: 'Asks the client for the directories that it works in.' },
    async (_args, ctx) => {
      const list = await ctx.roots();
      if (list.length === 0) return 'The client has no roots.';
      return list
        .map((root) => (root.name === undefined ? root.uri : `${root.name}: ${root.uri}`))
        .join('\n');
    },
  );

  server.tool(
    'ask_everything',
    {
      title: 'Ask for several things at once',
      description:
        'Asks for a name, a greeting by the model, and the roots: one round trip where the protocol can.',
      requires: { elicitation: {}, sampling: {}, roots: {} },
    },
    async (_args, ctx) => {
      const answers = await ctx.ask({
        name: elicit('What is your name?', NAME_FORM),
        greeting: sample('Write a greeting.'),
        places: roots(),
      });
      const { name, greeting, places } = answers;
      const who = name.action === 'accept' ? name.content.name : 'stranger';
      return `${textOf(greeting)} ${who}, you work in ${places.length} place(s).`;
    },
  );

  addBooking(server);
}

const NAME_FORM = {
  type: 'object',
  properties: { name: { type: 'string', title: 'Your name', minLength: 1 } },
  required: ['name'],
} as const;

const CONFIRM_FORM = {
  type: 'object',
  properties: { confirmed: { type: 'boolean', title: 'Book it?', default: true } },
  required: ['confirmed'],
} as const;

function addBooking(server: Server): void {
  let bookings = 0;
  server.tool(
    'book_table',
    {
      title: 'Book a table',
      description:
        'Reserves a table, asks for confirmation, and reserves only once however often it is run again.',
      annotations: { destructiveHint: false },
      input: { type: 'object', properties: { guests: { type: 'integer', minimum: 1, default: 2 } } },
    },
    async ({ guests = 2 }, ctx) => {
      const number = await ctx.once('reserve', () => {
        bookings += 1;
        return bookings;
      });
      const answer = await ctx.elicit(`Reservation ${number} is a table for ${guests}.`, CONFIRM_FORM);
      if (answer.action !== 'accept' || !answer.content.confirmed) {
        throw new ToolError(`Reservation ${number} was given back.`);
      }
      return `Reservation ${number} is confirmed.`;
    },
  );
}
