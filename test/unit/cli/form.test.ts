import { describe, expect, it } from 'vitest';
import { fieldsOf, parseInput } from '../../../src/cli/answers/fields.js';
import { fillInForm } from '../../../src/cli/answers/form.js';
import type { ElicitSchema } from '../../../src/protocol/index.js';
import type { PrimitiveSchema } from '../../../src/protocol/model/elicitation.js';
import { conversation } from './scripted-conversation.js';

function parse(schema: PrimitiveSchema, line: string): unknown {
  const [field] = fieldsOf({ type: 'object', properties: { field: schema } });
  if (field === undefined) throw new Error('No field');
  const parsed = parseInput(field, line);
  return 'problem' in parsed ? parsed.problem : parsed.value;
}

describe('a field', () => {
  const titled: PrimitiveSchema = {
    type: 'string',
    oneOf: [
      { const: 'a', title: 'First' },
      { const: 'b', title: 'Second' },
    ],
  };
  const several: PrimitiveSchema = {
    type: 'array',
    items: { type: 'string', enum: ['x', 'y', 'z'] },
    minItems: 1,
    maxItems: 2,
  };

  it.each<[PrimitiveSchema, string, unknown]>([
    [{ type: 'string' }, 'text', 'text'],
    [{ type: 'string', minLength: 3 }, 'ab', 'give at least 3 characters'],
    [{ type: 'string', maxLength: 1 }, '🎉', '🎉'],
    [{ type: 'string', maxLength: 1 }, 'ab', 'give at most 1 characters'],
    [{ type: 'string', format: 'email' }, 'a@b', 'a@b'],
    [{ type: 'string', format: 'email' }, 'a', 'give an e-mail address'],
    [{ type: 'string', format: 'uri' }, 'b/c', 'give a full URI'],
    [{ type: 'string', format: 'date' }, '2030-02-28', '2030-02-28'],
    [{ type: 'string', format: 'date' }, '2030-13-01', 'give a date: YYYY-MM-DD'],
    [{ type: 'string', format: 'date-time' }, '2030-02-28T10:00:00Z', '2030-02-28T10:00:00Z'],
    [{ type: 'string', format: 'date-time' }, '2030-02-28', 'give a time: YYYY-MM-DDThh:mm:ssZ'],
    [{ type: 'number' }, '1.5', 1.5],
    [{ type: 'number' }, 'many', 'give a number'],
    [{ type: 'integer' }, '1.5', 'give a whole number'],
    [{ type: 'integer', minimum: 1, maximum: 9 }, '10', 'give at most 9'],
    [{ type: 'integer', minimum: 1, maximum: 9 }, '0', 'give at least 1'],
    [{ type: 'boolean' }, 'Yes', true],
    [{ type: 'boolean' }, 'n', false],
    [{ type: 'boolean' }, 'perhaps', 'answer yes or no'],
    [{ type: 'string', enum: ['on', 'off'] }, '2', 'off'],
    [{ type: 'string', enum: ['on', 'off'] }, 'off', 'off'],
    [{ type: 'string', enum: ['on', 'off'] }, '3', 'choose a number from 1 to 2'],
    [{ type: 'string', enum: ['2', '1'] }, '2', '2'],
    [{ type: 'string', enum: ['v'], enumNames: ['Vegetarian'] }, 'vegetarian', 'v'],
    [titled, '2', 'b'],
    [titled, 'first', 'a'],
    [several, '1, 3', ['x', 'z']],
    [several, 'y', ['y']],
    [several, '1,2,3', 'choose at most 2'],
    [several, ',', 'choose at least 1'],
    [several, '1,9', 'choose a number from 1 to 3'],
  ])('%j reads %j', (schema, line, expected) => {
    expect(parse(schema, line)).toEqual(expected);
  });
});

const FORM: ElicitSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Your name', minLength: 2 },
    age: { type: 'integer', default: 30 },
    seat: { type: 'string', enum: ['window', 'aisle'], description: 'Where to sit.' },
  },
  required: ['name'],
};

describe('a form', () => {
  it('is filled in field by field, and shown before it is sent', async () => {
    const talk = conversation('', 'B', 'Bo', '', '2', '');
    await expect(fillInForm(FORM, {}, talk)).resolves.toEqual({
      action: 'accept',
      content: { name: 'Bo', age: 30, seat: 'aisle' },
    });
    expect(talk.asked).toEqual([
      'Your name (required):',
      'Your name (required):',
      'Your name (required):',
      'age (whole number) [30]:',
      'Seat (one of these):'.replace('Seat', 'seat'),
      'Send it? [Y]es, [n]o, [e]dit:',
    ]);
    expect(talk.said).toEqual([
      expect.stringContaining('Ctrl-D'),
      '    This field is required.',
      '    Please give at least 2 characters.',
      '  Where to sit.',
      '    1) window',
      '    2) aisle',
      '  To be sent: Your name: Bo; age: 30; seat: aisle',
    ]);
  });

  it('leaves out what is optional and empty', async () => {
    await expect(fillInForm(FORM, {}, conversation('Bo', '', '', 'y'))).resolves.toEqual({
      action: 'accept',
      content: { name: 'Bo', age: 30 },
    });
  });

  it('asks only for what is not given', async () => {
    const talk = conversation('1', '');
    const answer = await fillInForm(FORM, { name: 'Bo', age: 4 }, talk);
    expect(answer.content).toEqual({ name: 'Bo', age: 4, seat: 'window' });
    expect(talk.asked).toHaveLength(2);
  });

  it('can be declined in a field and at the end', async () => {
    await expect(fillInForm(FORM, {}, conversation('Bo', ':decline'))).resolves.toEqual({
      action: 'decline',
    });
    await expect(fillInForm(FORM, {}, conversation('Bo', '', '', 'n'))).resolves.toEqual({
      action: 'decline',
    });
  });

  it('is dismissed by the end of input', async () => {
    await expect(fillInForm(FORM, {}, conversation())).resolves.toEqual({ action: 'cancel' });
    await expect(fillInForm(FORM, {}, conversation('Bo', '', ''))).resolves.toEqual({ action: 'cancel' });
  });

  it('can be filled in again', async () => {
    const answer = await fillInForm(FORM, {}, conversation('Bo', '', '', 'what', 'e', 'Al', '', '', 'y'));
    expect(answer.content).toMatchObject({ name: 'Al' });
  });
});
