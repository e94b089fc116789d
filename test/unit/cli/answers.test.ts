import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Dialog } from '../../../src/cli/answers/dialog.js';
import { createElicitHandler } from '../../../src/cli/answers/elicit.js';
import { type AnswerFlags, readAnswers } from '../../../src/cli/answers/given.js';
import { createSampleHandler } from '../../../src/cli/answers/sample.js';
import { StatusLine } from '../../../src/cli/output/status.js';
import { createTerminal } from '../../../src/cli/output/terminal.js';
import type { ElicitHandler } from '../../../src/client/index.js';
import type { AskContext } from '../../../src/client/input/asks.js';
import type { CreateMessageParams } from '../../../src/protocol/index.js';
import type { ElicitFormParams } from '../../../src/protocol/model/elicitation.js';

function context(signal = new AbortController().signal): AskContext {
  return { signal, revision: 'any', call: undefined };
}

/** A person who types these lines as soon as the dialog opens; `end` is Ctrl-D. */
function terminal(...lines: string[]): {
  dialog: Dialog;
  shown: () => string;
  interrupted: () => number;
  end: () => void;
} {
  const input = new PassThrough();
  const output = new PassThrough();
  let shown = '';
  let interrupts = 0;
  output.on('data', (chunk) => {
    shown += chunk;
  });
  const status = new StatusLine(createTerminal({ write: (text) => output.write(text) }));
  const dialog = new Dialog({
    input,
    output,
    status,
    onInterrupt: () => {
      interrupts += 1;
    },
  });
  for (const line of lines) input.write(line);
  return { dialog, shown: () => shown, interrupted: () => interrupts, end: () => input.write('\u0004') };
}

const FORM: ElicitFormParams = {
  message: 'Who are\nyou?',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      age: { type: 'integer' },
      days: { type: 'array', items: { type: 'string', enum: ['mo', 'tu'] } },
      agreed: { type: 'boolean', default: true },
    },
    required: ['name', 'agreed'],
  },
};

function elicitor(flags: AnswerFlags, dialog?: Dialog): { handler: ElicitHandler; notes: string[] } {
  const notes: string[] = [];
  const handler = createElicitHandler({
    answers: readAnswers(flags),
    dialog,
    note: (text) => notes.push(text),
  });
  return { handler, notes };
}

describe('without a terminal', () => {
  it('declines a form, and says how to answer it', async () => {
    const { handler, notes } = elicitor({});
    await expect(handler(FORM, context())).resolves.toEqual({ action: 'decline' });
    expect(notes).toEqual(['Declined the question "Who are you?"; answer it with --answer key=value']);
  });

  it('fills in a form with the answers given, in the types that it asks for', async () => {
    const { handler } = elicitor({ answer: ['name=7', 'age=7', 'days=mo', 'days=tu', 'other=x'] });
    await expect(handler(FORM, context())).resolves.toEqual({
      action: 'accept',
      content: { name: '7', age: 7, days: ['mo', 'tu'] },
    });
  });

  it('takes answers as JSON', async () => {
    const { handler } = elicitor({ answers: '{"name": "Bo", "more": {}}', answer: ['age=3'] });
    await expect(handler(FORM, context())).resolves.toEqual({
      action: 'accept',
      content: { name: 'Bo', age: 3 },
    });
  });

  it('declines when a required answer is missing or does not fit', async () => {
    const missing = elicitor({ answer: ['age=3'] });
    await expect(missing.handler(FORM, context())).resolves.toEqual({ action: 'decline' });
    expect(missing.notes).toEqual([expect.stringContaining('these answers are missing: name')]);
    const wrong = elicitor({ answer: ['name=Bo', 'age=old'] });
    await expect(wrong.handler(FORM, context())).resolves.toEqual({ action: 'decline' });
    expect(wrong.notes).toEqual([expect.stringContaining('age=old: must be an integer')]);
  });

  it('declines to open pages', async () => {
    const { handler } = elicitor({ answers: '{}' });
    const page = { mode: 'url', message: 'Pay', url: 'https://example.com/' } as const;
    await expect(handler(page, context())).resolves.toEqual({ action: 'decline' });
  });

  it('has no model unless it is told what to say', async () => {
    expect(createSampleHandler(undefined, undefined)).toBeUndefined();
    const answer = await createSampleHandler('Yes.', undefined)?.({ messages: [], maxTokens: 5 }, context());
    expect(answer).toMatchObject({
      role: 'assistant',
      content: { type: 'text', text: 'Yes.' },
      stopReason: 'endTurn',
    });
  });
});

describe('at a terminal', () => {
  it('asks for what is not given', async () => {
    const person = terminal('Bo\n', '\n', '1\n', '\n', '\n');
    const { handler } = elicitor({}, person.dialog);
    await expect(handler(FORM, context())).resolves.toEqual({
      action: 'accept',
      content: { name: 'Bo', days: ['mo'], agreed: true },
    });
    expect(person.shown()).toContain('The server asks: Who are you?');
    person.dialog.close();
  });

  it('asks one thing after the other, however many are asked at once', async () => {
    const person = terminal('y\n', 'n\n');
    const { handler } = elicitor({}, person.dialog);
    const page = (url: string) => handler({ mode: 'url', message: 'Go', url }, context());
    await expect(Promise.all([page('https://a.example/'), page('https://b.example/')])).resolves.toEqual([
      { action: 'accept' },
      { action: 'decline' },
    ]);
    person.dialog.close();
  });

  it('shows where a page leads, and refuses what is not a web page', async () => {
    const person = terminal('y\n');
    const { handler, notes } = elicitor({}, person.dialog);
    const url = 'https://paypal.com@xn--e1awd7f.example/pay';
    await handler({ mode: 'url', message: 'Pay', url }, context());
    expect(person.shown()).toContain('Host: xn--e1awd7f.example');
    expect(person.shown()).toContain('the part before the @ is not the host');
    for (const bad of ['file:///etc/passwd', 'javascript:alert(1)', 'vscode://x', 'nonsense']) {
      await expect(handler({ mode: 'url', message: 'Go', url: bad }, context())).resolves.toEqual({
        action: 'decline',
      });
    }
    expect(notes).toHaveLength(4);
    person.dialog.close();
  });

  it('takes the end of input for a closed dialog, and can ask again', async () => {
    const person = terminal();
    const { handler } = elicitor({}, person.dialog);
    const page = { mode: 'url', message: 'Go', url: 'https://a.example/' } as const;
    const first = handler(page, context());
    person.end();
    await expect(first).resolves.toEqual({ action: 'cancel' });
    const second = handler(page, context());
    person.end();
    await expect(second).resolves.toEqual({ action: 'cancel' });
  });

  it('stops asking when the answer is no longer wanted', async () => {
    const person = terminal();
    const { handler } = elicitor({}, person.dialog);
    const controller = new AbortController();
    const asking = handler(FORM, context(controller.signal));
    controller.abort(new Error('too late'));
    await expect(asking).rejects.toThrow('too late');
    person.dialog.close();
  });

  it('hears Ctrl-C', async () => {
    const person = terminal('\u0003');
    const controller = new AbortController();
    const { handler } = elicitor({}, person.dialog);
    const asking = handler(FORM, context(controller.signal));
    await expect.poll(person.interrupted).toBe(1);
    controller.abort(new Error('interrupted'));
    await expect(asking).rejects.toThrow('interrupted');
    person.dialog.close();
  });
});

describe('a person in place of the model', () => {
  const request: CreateMessageParams = {
    messages: [{ role: 'user', content: { type: 'text', text: 'What is \u001b[5m2 x 3?' } }],
    systemPrompt: 'Be brief.',
    maxTokens: 10,
    tools: [
      {
        name: 'multiply',
        inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
      },
    ],
  };

  const play = async (...lines: string[]): Promise<{ answer: unknown; shown: string }> => {
    const person = terminal(...lines);
    const handler = createSampleHandler(undefined, person.dialog);
    const answer = await Promise.resolve(handler?.(request, context())).catch((error: unknown) => error);
    person.dialog.close();
    return { answer, shown: person.shown() };
  };

  it('reads the request and types the answer', async () => {
    const { answer, shown } = await play('Six,\nI think.\n\n');
    expect(answer).toEqual({
      role: 'assistant',
      model: 'human',
      stopReason: 'endTurn',
      content: { type: 'text', text: 'Six,\nI think.' },
    });
    expect(shown).toContain('system: Be brief.');
    expect(shown).toContain('user: What is \u241b[5m2 x 3?');
    expect(shown).toContain('tool /multiply [a=NUMBER] [b=NUMBER]');
  });

  it('may call a tool', async () => {
    const { answer, shown } = await play('/divide\n', '/multiply a=x\n', '/multiply a=2 b=3\n');
    expect(shown).toContain('Unknown tool /divide');
    expect(shown).toContain('must be a number');
    expect(answer).toMatchObject({
      stopReason: 'toolUse',
      content: { type: 'tool_use', name: 'multiply', input: { a: 2, b: 3 } },
    });
  });

  it('may refuse', async () => {
    expect((await play(':refuse\n')).answer).toMatchObject({ code: 'refused' });
  });
});
