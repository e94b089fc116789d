/** Tools that change what the server offers, and notify the clients. */

import type { Registration, Server } from '../../../server/index.js';
import type { Values } from '../../../store/store.js';

const NOTE_URI = 'demo://note';

export function addChangingTools(server: Server, values: Values): void {
  addNote(server, values);
  addBonus(server);
}

function addNote(server: Server, values: Values): void {
  server.resource(
    NOTE_URI,
    { name: 'note', title: 'Note', description: 'Changes with the tool write_note.', mimeType: 'text/plain' },
    async () => (await values.get(NOTE_URI)) ?? 'Nothing noted yet.',
  );
  server.tool(
    'write_note',
    {
      title: 'Write the note',
      description: `Changes the resource ${NOTE_URI} and notifies its subscribers.`,
      annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
      input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    },
    async ({ text }) => {
      await values.set(NOTE_URI, text);
      server.resourceUpdated(NOTE_URI);
      return 'Noted.';
    },
  );
}

function addBonus(server: Server): void {
  let bonus: Registration | undefined;
  server.tool(
    'toggle_bonus',
    {
      title: 'Toggle the bonus tool',
      description: 'Adds or removes the tool "bonus", and notifies the clients that the list has changed.',
      annotations: { destructiveHint: false, openWorldHint: false },
    },
    () => {
      if (bonus !== undefined) {
        bonus.remove();
        bonus = undefined;
        return 'The tool "bonus" is gone.';
      }
      bonus = server.tool(
        'bonus',
        { description: 'Here only for a while.' },
        () => 'You found the bonus tool.',
      );
      return 'There is a tool "bonus" now.';
    },
  );
}
