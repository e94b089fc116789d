/** The timeline: every message both ways, with its secrets masked. */

import type { RequestId } from '../../jsonrpc/message.js';
import type { EraName, ServerId, TransportName } from './servers.js';

/** Whose traffic it is. */
export type MessageSource =
  /** The inspector's own connection to a server. */
  | 'inspector'
  /** A chain that is watched. */
  | 'chain'
  /** The validator, during a run. */
  | 'validator'
  /** An app and the page that shows it. */
  | 'app'
  /** Read from a file. */
  | 'import';

/**
 * Between whom. `direct`: inspector and server. `client`: a client and the chain. `upstream`: the chain and a server
 * behind it.
 */
export type Hop = 'direct' | 'client' | 'upstream';

export type MessageKind =
  | 'request'
  | 'notification'
  | 'result'
  | 'error'
  | 'batch'
  /** A text that is no JSON-RPC message. */
  | 'malformed'
  /** An HTTP exchange that carried no message: opening a stream, ending a session, a refusal. */
  | 'http'
  /** Something that happened to the connection or its process, between the messages. */
  | 'event';

/** What happened to a connection. */
export type ConnectionEvent =
  | 'connecting'
  | 'connected'
  | 'closed'
  /** The process of the server ended. */
  | 'exited'
  /** It ended without being asked to. */
  | 'lost'
  /** Another attempt follows. */
  | 'retrying'
  | 'stderr';

/**
 * How a request ended. `lost`: its connection ended, or its HTTP request failed, before an answer came. `cancelled`: it
 * was given up by its sender.
 */
export type RequestStatus = 'pending' | 'ok' | 'error' | 'cancelled' | 'lost';

/** A rule of the revision's schema that a message breaks. */
export interface MessageProblem {
  /** Where in the message, such as `result.content[0].text`. */
  readonly path: string;
  readonly message: string;
}

/** The answer in the row of its request. */
export interface AnswerSummary {
  readonly seq: number;
  readonly kind: 'result' | 'error';
  readonly failed: boolean;
  readonly rpcCode?: number;
  readonly asksForInput?: boolean;
  readonly bytes: number;
  readonly problems?: readonly MessageProblem[];
  /** The beginning of what it says, on one line. */
  readonly preview: string;
}

export interface MessageSummary {
  /** Grows with every message, is never used again, and names the message in links. */
  readonly seq: number;
  /** Milliseconds since 1970, with a fraction. */
  readonly at: number;
  readonly server: ServerId;
  readonly source: MessageSource;
  readonly hop: Hop;
  /** Behind a chain: the name of the server there. */
  readonly upstream?: string;
  readonly direction: 'to-server' | 'to-client';
  /** Counts the connections of this server, from 1; 0 where clients of a chain need none. */
  readonly connection: number;
  readonly kind: MessageKind;
  /** Of the message, or of the request that it answers. */
  readonly method?: string;
  /** The tool, prompt or resource that it is about. */
  readonly subject?: string;
  readonly rpcId?: RequestId | null;
  /**
   * An error, a tool's own failure, an HTTP status of refusal, a message that breaks its schema, or a request that
   * was lost.
   */
  readonly failed: boolean;
  /** Of a request. */
  readonly status?: RequestStatus;
  readonly event?: ConnectionEvent;
  /** Rules of the revision's schema that it breaks; absent while it was not checked, and where it breaks none. */
  readonly problems?: readonly MessageProblem[];
  /** Messages below it, without its answer. */
  readonly parts?: number;
  /** Of a call through a chain: the names of the servers that it was sent on to. */
  readonly upstreams?: readonly string[];
  /** The number of an error. */
  readonly rpcCode?: number;
  /** The other half: the answer of a request, the request of an answer. */
  readonly pair?: number;
  /** From the request to this answer; also on the request, once it is answered. */
  readonly durationMs?: number;
  /**
   * The first request of the call that the message belongs to: answers, progress, events of its stream, questions
   * within it, and later rounds of the same call. Messages without a call are their own group.
   */
  readonly group: number;
  /** Counts the rounds of a call that needed input, from 1; absent where there is only one. */
  readonly round?: number;
  /** True for `input_required` results. */
  readonly asksForInput?: boolean;
  readonly bytes: number;
  readonly transport: TransportName;
  readonly revision?: string;
  readonly era?: EraName;
  /** For HTTP: which exchange, and how it ended. */
  readonly http?: {
    readonly exchange: number;
    readonly method: string;
    readonly status?: number;
    /** The message came as an event of a stream. */
    readonly streamed: boolean;
  };
  /** The run of the validator that it belongs to. */
  readonly run?: string;
}

/** A row of the timeline: a message with the beginning of its contents, and the answer where it has one. */
export interface TimelineRow extends MessageSummary {
  /** In rows of exchanges: the beginning of arguments, text or progress, on one line. */
  readonly preview: string;
  readonly answer?: AnswerSummary;
}

export interface MessageDetail extends MessageSummary {
  /** The text as it went over the wire, except that secrets are masked. */
  readonly text: string;
  /** Something in the text or the headers was masked. */
  readonly masked: boolean;
  /** The text was longer than what is kept. */
  readonly truncated: boolean;
  readonly exchange?: HttpExchangeView;
}

export interface HttpExchangeView {
  readonly id: number;
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: readonly HeaderView[];
  readonly status?: number;
  readonly responseHeaders: readonly HeaderView[];
  readonly startedAt: number;
  /** Until the head of the answer, and until its end. */
  readonly headMs?: number;
  readonly durationMs?: number;
  /** Why there was no answer. */
  readonly failure?: string;
}

export interface HeaderView {
  readonly name: string;
  readonly value: string;
  readonly masked: boolean;
}

/** All conditions hold; absent ones do not matter. */
export interface MessageFilter {
  readonly servers?: readonly ServerId[];
  readonly sources?: readonly MessageSource[];
  readonly hops?: readonly Hop[];
  readonly directions?: readonly MessageSummary['direction'][];
  readonly kinds?: readonly MessageKind[];
  /** The beginning of a method, or all of it: `tools/`, `notifications/progress`. */
  readonly methods?: readonly string[];
  /** Words that have to occur in the text, the method or the subject, without regard to case. */
  readonly text?: string;
  readonly failedOnly?: boolean;
  /** Only requests that took at least so long, and their answers. */
  readonly slowerThanMs?: number;
  readonly group?: number;
  readonly run?: string;
  readonly after?: number;
  readonly before?: number;
}

export interface TimelineQuery {
  readonly filter?: MessageFilter;
  /** Position among the messages that match, oldest first. */
  readonly offset: number;
  /** At most 1,000. */
  readonly limit: number;
  /**
   * `messages` (the default): every message, in the order of recording. `exchanges`: a request and its answer are one
   * row, and what belongs to a call follows it.
   */
  readonly rows?: 'messages' | 'exchanges';
}

export interface TimelinePage {
  /** How many messages match. */
  readonly total: number;
  readonly offset: number;
  readonly messages: readonly TimelineRow[];
}

/** How full the record is. */
export interface TimelineTotals {
  readonly messages: number;
  readonly bytes: number;
  /** The oldest and the newest that are kept; 0 when there is none. */
  readonly first: number;
  readonly last: number;
  /** How many had to go for newer ones. */
  readonly dropped: number;
  readonly maxMessages: number;
  readonly maxBytes: number;
  /** False: nothing new is recorded. */
  readonly recording: boolean;
}

export interface ExportRequest {
  /** `jsonl` holds everything and can be imported again; `har` holds the HTTP exchanges. */
  readonly format: 'jsonl' | 'har';
  readonly filter?: MessageFilter;
  /** Only these messages. */
  readonly seqs?: readonly number[];
}

export interface ImportSummary {
  readonly messages: number;
  /** The lines that were no messages. */
  readonly skipped: number;
  /** The servers that the imported messages now belong to. */
  readonly servers: readonly ServerId[];
  readonly first: number;
  readonly last: number;
}
