/** A form, filled in line by line. */

import { singleLine } from '../../protocol/display.js';
import type { ElicitResult, ElicitSchema } from '../../protocol/index.js';
import type { ElicitValue } from '../../protocol/model/elicitation.js';
import type { TerminalConversation } from './dialog.js';
import { describeValue, type Field, fieldsOf, hintOf, parseInput } from './fields.js';

type Content = { [field: string]: ElicitValue };

const DECLINE = ':decline';
const HELP = `  Enter takes the default or leaves a field out; ${DECLINE} refuses; Ctrl-D closes the form.`;

/** `given` holds the answers that are known already. */
export async function fillInForm(
  form: ElicitSchema,
  given: Content,
  conversation: TerminalConversation,
): Promise<ElicitResult> {
  const fields = fieldsOf(form);
  conversation.say(HELP);
  for (;;) {
    const content: Content = { ...given };
    for (const field of fields.filter(({ name }) => !Object.hasOwn(given, name))) {
      const answer = await askField(field, conversation);
      if (answer === 'decline' || answer === 'cancel') return { action: answer };
      if (answer.value !== undefined) content[field.name] = answer.value;
    }
    const decision = await confirm(fields, content, conversation);
    if (decision === 'accept') return { action: 'accept', content };
    if (decision !== 'again') return { action: decision };
  }
}

async function askField(
  field: Field,
  conversation: TerminalConversation,
): Promise<{ readonly value: ElicitValue | undefined } | 'decline' | 'cancel'> {
  const { description } = field.schema;
  if (typeof description === 'string') conversation.say(`  ${singleLine(description)}`);
  for (const [index, { label }] of field.choices.entries()) conversation.say(`    ${index + 1}) ${label}`);
  for (;;) {
    const typed = await conversation.ask(promptOf(field));
    if (typed === undefined) return 'cancel';
    const line = typed.trim();
    if (line === DECLINE) return 'decline';
    if (line === '') {
      if (field.fallback !== undefined || !field.required) return { value: field.fallback };
      conversation.say('    This field is required.');
      continue;
    }
    const parsed = parseInput(field, line);
    if (!('problem' in parsed)) return parsed;
    conversation.say(`    Please ${parsed.problem}.`);
  }
}

function promptOf(field: Field): string {
  const notes = [hintOf(field), field.required ? 'required' : ''].filter((note) => note !== '').join(', ');
  const fallback = field.fallback === undefined ? '' : ` [${describeValue(field, field.fallback)}]`;
  return `  ${field.label}${notes === '' ? '' : ` (${notes})`}${fallback}: `;
}

/** The user sees what leaves before it does. */
async function confirm(
  fields: readonly Field[],
  content: Content,
  conversation: TerminalConversation,
): Promise<'accept' | 'decline' | 'cancel' | 'again'> {
  const shown = fields.flatMap((field) => {
    const value = content[field.name];
    return value === undefined ? [] : [`${field.label}: ${describeValue(field, value)}`];
  });
  conversation.say(`  To be sent: ${shown.join('; ') || 'an empty form'}`);
  for (;;) {
    const typed = await conversation.ask('  Send it? [Y]es, [n]o, [e]dit: ');
    switch (typed?.trim().toLowerCase()) {
      case undefined:
        return 'cancel';
      case '':
      case 'y':
      case 'yes':
        return 'accept';
      case 'n':
      case 'no':
      case DECLINE:
        return 'decline';
      case 'e':
      case 'edit':
        return 'again';
    }
  }
}
