/** The user's side of elicitation: by the answers given on the command line, or by asking at the terminal. */

import type { ElicitHandler } from '../../client/index.js';
import { singleLine } from '../../protocol/display.js';
import type { ElicitResult } from '../../protocol/index.js';
import type { ElicitFormParams, ElicitUrlParams } from '../../protocol/model/elicitation.js';
import { UsageError } from '../failure/failure.js';
import type { Dialog, TerminalConversation } from './dialog.js';
import { fillInForm } from './form.js';
import { type GivenAnswers, missingFields } from './given.js';

export interface ElicitOptions {
  readonly answers: GivenAnswers;
  /** Absent without a terminal. */
  readonly dialog: Dialog | undefined;
  /** Reports why something was declined. */
  readonly note: (text: string) => void;
}

export function createElicitHandler({ answers, dialog, note }: ElicitOptions): ElicitHandler {
  const declined = (reason: string): ElicitResult => {
    note(reason);
    return { action: 'decline' };
  };

  const form = async (request: ElicitFormParams, signal: AbortSignal): Promise<ElicitResult> => {
    const content = formAnswers(answers, request);
    if (typeof content === 'string') return declined(content);
    const missing = missingFields(request.requestedSchema, content);
    if (answers.any && missing.length === 0) return { action: 'accept', content };
    if (dialog !== undefined) {
      return dialog.converse(signal, (conversation) => {
        conversation.say(`The server asks: ${singleLine(request.message)}`);
        return fillInForm(request.requestedSchema, content, conversation);
      });
    }
    const question = `"${singleLine(request.message)}"`;
    if (!answers.any) return declined(`Declined the question ${question}; answer it with --answer key=value`);
    return declined(`Declined the question ${question}; these answers are missing: ${missing.join(', ')}`);
  };

  const page = async (request: ElicitUrlParams, signal: AbortSignal): Promise<ElicitResult> => {
    const url = webPage(request.url);
    if (url === undefined)
      return declined(`Declined to open ${singleLine(request.url)}: only http and https pages are safe`);
    if (dialog === undefined)
      return declined(`Declined to open ${url.href}: it needs your consent; run the command in a terminal`);
    return dialog.converse(signal, (conversation) => consent(request.message, url, conversation));
  };

  return (request, { signal }) => (request.mode === 'url' ? page(request, signal) : form(request, signal));
}

/** Answers of the wrong kind are the user's mistake, and reason enough to decline. */
function formAnswers(
  answers: GivenAnswers,
  { requestedSchema, message }: ElicitFormParams,
): ReturnType<GivenAnswers['forForm']> | string {
  try {
    return answers.forForm(requestedSchema);
  } catch (error) {
    if (error instanceof UsageError)
      return `Declined the question "${singleLine(message)}": ${error.message}`;
    throw error;
  }
}

/** Other schemes could run programs (`file:`, `javascript:`, application links). */
function webPage(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined;
}

/** Shows where the link leads, and leaves opening it to the user: nothing is started from here. */
async function consent(message: string, url: URL, conversation: TerminalConversation): Promise<ElicitResult> {
  conversation.say(`The server asks you to visit a page: ${singleLine(message)}`);
  // The parsed form: host names in ASCII, so that look-alike letters show.
  conversation.say(`  Page: ${url.href}\n  Host: ${url.host}`);
  if (url.username !== '' || url.password !== '')
    conversation.say('  Careful: the part before the @ is not the host.');
  for (;;) {
    const typed = await conversation.ask(
      '  Open it in your browser if you trust it. Do you agree? [y]es, [n]o: ',
    );
    switch (typed?.trim().toLowerCase()) {
      case undefined:
        return { action: 'cancel' };
      case 'y':
      case 'yes':
        return { action: 'accept' };
      case 'n':
      case 'no':
        return { action: 'decline' };
    }
  }
}
