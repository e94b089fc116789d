/** What the states of a server are called, and how grave they are. */

import type { ServerState, ServerView } from '../../../api.js';
import type { Tone } from '../../components/badge.js';

export function stateTone(state: ServerState): Exclude<Tone, 'accent' | 'info'> | undefined {
  switch (state) {
    case 'ready':
      return 'good';
    case 'starting':
    case 'initializing':
    case 'closing':
      return 'warn';
    case 'backoff':
      return 'bad';
    case 'idle':
    case 'closed':
      return undefined;
  }
}

export function stateWord(server: ServerView): string {
  switch (server.state) {
    case 'idle':
      return 'not connected';
    case 'starting':
      return 'starting';
    case 'initializing':
      return 'introducing itself';
    case 'ready':
      return 'ready';
    case 'backoff':
      return `trying again (${server.retries})`;
    case 'closing':
      return 'closing';
    case 'closed':
      return server.failure === undefined ? 'closed' : 'failed';
  }
}

export function addressText({ address }: ServerView): string {
  switch (address.kind) {
    case 'url':
      return address.url;
    case 'command':
      return [address.command, ...address.args].join(' ');
  }
}
