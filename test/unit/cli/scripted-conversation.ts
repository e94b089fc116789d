import type { TerminalConversation } from '../../../src/cli/answers/dialog.js';

export interface ScriptedConversation extends TerminalConversation {
  readonly said: string[];
  readonly asked: string[];
}

/** A person who answers with these lines, in this order, and then ends the input. */
export function conversation(...lines: readonly string[]): ScriptedConversation {
  const left = [...lines];
  const said: string[] = [];
  const asked: string[] = [];
  return {
    said,
    asked,
    say: (text) => {
      said.push(text);
    },
    ask: async (prompt) => {
      asked.push(prompt.trim());
      return left.shift();
    },
  };
}
