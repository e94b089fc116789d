/** Questions of `plumb add`, `plumb remove` and `plumb list --clients` to the person at the terminal. */

import { Dialog, type TerminalConversation } from '../answers/dialog.js';
import { CommandFailure, UsageError } from '../failure/failure.js';
import { StatusLine } from '../output/status.js';
import { createTerminal } from '../output/terminal.js';
import { Interruption } from '../session/interruption.js';
import type { ClientDefinition } from './client-definition.js';
import { CLIENTS, clientById } from './definitions.js';

const TRIES = 3;

/** A person can answer when both the questions and the answers go through a terminal. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Opens the terminal for a few questions, and gives it back. */
export async function converse<T>(talk: (conversation: TerminalConversation) => Promise<T>): Promise<T> {
  const interruption = new Interruption();
  const status = new StatusLine(createTerminal(process.stderr));
  const { stdin, stderr } = process;
  const dialog = new Dialog({
    input: stdin,
    output: stderr,
    status,
    onInterrupt: () => interruption.raise(),
  });
  try {
    return await dialog.converse(interruption.signal, talk);
  } catch (error) {
    const { exitCode } = interruption;
    throw exitCode === undefined ? error : new CommandFailure(exitCode, 'Interrupted', { cause: error });
  } finally {
    dialog.close();
    interruption.release();
  }
}

/** Asks until `parse` takes the answer. Ctrl-D gives up. */
export async function askFor<T>(
  { ask, say }: TerminalConversation,
  prompt: string,
  parse: (answer: string) => T,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await ask(prompt);
    if (answer === undefined) throw new UsageError('No answer, so nothing was changed');
    try {
      return parse(answer.trim());
    } catch (error) {
      if (!(error instanceof UsageError) || attempt === TRIES) throw error;
      say(error.message);
    }
  }
}

export async function confirm(
  { ask }: TerminalConversation,
  question: string,
  preset: boolean,
): Promise<boolean> {
  const answer = (await ask(`${question} [${preset ? 'Y/n' : 'y/N'}] `))?.trim().toLowerCase();
  if (answer === undefined) return false;
  return answer === '' ? preset : answer === 'y' || answer === 'yes';
}

export async function chooseClients(
  conversation: TerminalConversation,
  detected: readonly ClientDefinition[],
): Promise<ClientDefinition[]> {
  conversation.say('Clients:');
  for (const [index, client] of CLIENTS.entries()) {
    const found = detected.includes(client) ? ' (found on this machine)' : '';
    conversation.say(`  ${String(index + 1).padStart(2)}  ${client.name}${found}`);
  }
  const preset = detected.length === 0 ? '' : `, or Enter for those found on this machine`;
  return askFor(conversation, `Which? Numbers or names between commas${preset}: `, (answer) =>
    parseChoice(answer, detected),
  );
}

export function parseChoice(answer: string, detected: readonly ClientDefinition[]): ClientDefinition[] {
  const words = answer.split(/[\s,]+/).filter((word) => word !== '');
  if (words.length === 0 && detected.length > 0) return [...detected];
  if (words.length === 0) throw new UsageError('Choose at least one client');
  const chosen = words.map((word) => CLIENTS[Number(word) - 1] ?? clientById(word));
  return chosen.filter((client, index) => chosen.indexOf(client) === index);
}
