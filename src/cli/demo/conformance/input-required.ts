/** Calls that need more than one round trip in the stateless revision. The keys of the questions are the suite's. */

import {
  type Ask,
  type ClientCapabilities,
  elicit,
  roots,
  type Server,
  sample,
} from '../../../server/index.js';
import { textOf } from '../tools/model.js';

const NAME_FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const CONFIRM_FORM = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] } as const;
const COLOUR_FORM = {
  type: 'object',
  properties: { color: { type: 'string' } },
  required: ['color'],
} as const;
const CONTEXT_FORM = {
  type: 'object',
  properties: { context: { type: 'string' } },
  required: ['context'],
} as const;

export function addInputRequiredFixtures(server: Server): void {
  addSingleQuestions(server);
  addSeveralQuestions(server);
  addStates(server);

  server.prompt(
    'test_input_required_result_prompt',
    { description: 'Conformance: asks the user before it gives its messages.' },
    async (_args, ctx) => {
      const { user_context } = await ctx.ask({
        user_context: elicit('What context should the prompt use?', CONTEXT_FORM),
      });
      return `Use this context: ${user_context.content?.context ?? 'none'}`;
    },
  );
}

function addSingleQuestions(server: Server): void {
  server.tool(
    'test_input_required_result_elicitation',
    { description: 'Conformance: asks the user for a name.' },
    async (_args, ctx) => {
      const { user_name } = await ctx.ask({ user_name: elicit('What is your name?', NAME_FORM) });
      return `Hello, ${user_name.content?.name ?? 'stranger'}!`;
    },
  );

  server.tool(
    'test_input_required_result_sampling',
    { description: "Conformance: asks the client's model." },
    async (_args, ctx) => {
      const question = {
        role: 'user' as const,
        content: { type: 'text' as const, text: 'What is the capital of France?' },
      };
      const { capital_question } = await ctx.ask({
        capital_question: sample({ messages: [question], maxTokens: 100 }),
      });
      return `The model said: ${textOf(capital_question)}`;
    },
  );

  server.tool(
    'test_input_required_result_list_roots',
    { description: "Conformance: asks for the client's roots." },
    async (_args, ctx) => {
      const { client_roots } = await ctx.ask({ client_roots: roots() });
      return `The client has ${client_roots.length} roots.`;
    },
  );
}

function addSeveralQuestions(server: Server): void {
  server.tool(
    'test_input_required_result_multiple_inputs',
    { description: 'Conformance: asks the user, the model and for the roots at once.' },
    async (_args, ctx) => {
      const { user_name, greeting, client_roots } = await ctx.ask({
        user_name: elicit('What is your name?', NAME_FORM),
        greeting: sample('Generate a greeting.'),
        client_roots: roots(),
      });
      return `${textOf(greeting)}, ${user_name.content?.name ?? 'stranger'}: ${client_roots.length} roots.`;
    },
  );

  server.tool(
    'test_input_required_result_multi_round',
    { description: 'Conformance: asks twice, one question after the other.' },
    async (_args, ctx) => {
      const { step1 } = await ctx.ask({ step1: elicit('Step 1: what is your name?', NAME_FORM) });
      const { step2 } = await ctx.ask({
        step2: elicit('Step 2: what is your favourite colour?', COLOUR_FORM),
      });
      return `${step1.content?.name ?? 'A person'} likes ${step2.content?.color ?? 'no colour'}.`;
    },
  );

  server.tool(
    'test_input_required_result_capabilities',
    { description: 'Conformance: asks only what the client can answer.' },
    async (_args, ctx) => {
      const answers = await ctx.ask(answerable(ctx.caller.capabilities));
      return `Answered: ${Object.keys(answers).join(', ') || 'nothing'}.`;
    },
  );
}

function addStates(server: Server): void {
  const names = ['test_input_required_result_request_state', 'test_input_required_result_tampered_state'];
  for (const name of names) {
    server.tool(
      name,
      { description: 'Conformance: carries a sealed state from one round to the next.' },
      async (_args, ctx) => {
        const token = await ctx.once('token', () => crypto.randomUUID());
        const { confirm } = await ctx.ask({ confirm: elicit('Please confirm to continue.', CONFIRM_FORM) });
        return `state-ok: ${token}, ${confirm.action}`;
      },
    );
  }
}

/** One question of each kind that the client declared. Elicitation without further words means forms. */
function answerable({
  elicitation,
  sampling,
  roots: rooted,
}: ClientCapabilities): Record<string, Ask<unknown>> {
  const asks: Record<string, Ask<unknown>> = {};
  const forms =
    elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  if (sampling !== undefined) asks.capital_question = sample('What is the capital of France?');
  if (forms) asks.user_name = elicit('What is your name?', NAME_FORM);
  if (rooted !== undefined) asks.client_roots = roots();
  return asks;
}
