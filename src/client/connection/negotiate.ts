/**
 * Finding out how a server talks. A stateless probe goes first; whatever says that the server does not know it (any
 * error, silence, even its exit) leads to the handshake, and no particular error code is relied on.
 */

import { INTERNAL_ERROR, METHOD_NOT_FOUND } from '../../jsonrpc/codes.js';
import { encodeNotification, encodeRequest } from '../../jsonrpc/encode.js';
import type { ErrorObject, JsonObject, RequestId } from '../../jsonrpc/message.js';
import {
  HEADER_MISMATCH,
  McpError,
  MISSING_CAPABILITY,
  receivedError,
  UNSUPPORTED_VERSION,
} from '../../protocol/errors.js';
import type { Revision } from '../../protocol/revisions/index.js';
import { readable } from '../../protocol/revisions/vocabulary.js';
import { isFailedRequest, type TransportError } from '../../transports/errors.js';
import { CancelledError, StartTimeoutError } from '../errors.js';
import type { Settings } from '../options.js';
import { capabilitiesFor } from './capabilities.js';
import type { ClientSession } from './lifecycle/era.js';
import { statelessEnvelope } from './lifecycle/stateless.js';
import type { Link } from './link.js';
import type { NegotiationHandlers, WireOutcome } from './negotiation-handlers.js';
import {
  chooseHandshake,
  chooseStateless,
  type Discovery,
  namedVersions,
  noCommonRevision,
  parseDiscovery,
  parseInitialized,
} from './versions.js';

/** `reopen`: the server left because of the probe, and gets the handshake on a new connection. */
export type Agreement = ClientSession | 'reopen';

interface LateDiscovery {
  readonly kind: 'discovered';
  readonly session: ClientSession;
}

/** A server that names another version each time must not keep us negotiating for ever. */
const MAX_ATTEMPTS = 4;

export class Negotiation {
  readonly #link: Link;
  readonly #handlers: NegotiationHandlers;
  readonly #settings: Settings;
  readonly #handshakes: readonly Revision[];
  readonly #asked: RequestId[] = [];
  #attempts = 0;
  #probed = false;
  /** What a probe was answered with that had been given up. */
  #discoveredLate: ClientSession | undefined;

  constructor(link: Link, handlers: NegotiationHandlers, settings: Settings) {
    this.#link = link;
    this.#handlers = handlers;
    this.#settings = settings;
    this.#handshakes = settings.revisions.filter((revision) => revision.lifecycle === 'handshake');
  }

  /** `handshakeFirst` where it is known that the server has no use for a probe. */
  async run(handshakeFirst: boolean): Promise<Agreement> {
    const agreement = await this.#recall(handshakeFirst);
    const { endpoint } = this.#link;
    if (endpoint !== undefined && agreement !== 'reopen') {
      this.#settings.verdicts.remember(endpoint, agreement.revision.lifecycle);
    }
    // These have no waiter any more: a probe that was never answered, or an initialize that a late one
    // overtook.
    for (const id of this.#asked) this.#link.abandon(id);
    return agreement;
  }

  /** Begins the way that worked the last time; a server that has changed since is asked like an unknown one. */
  async #recall(handshakeFirst: boolean): Promise<Agreement> {
    const { endpoint } = this.#link;
    const { verdicts } = this.#settings;
    if (endpoint === undefined || handshakeFirst || verdicts.recall(endpoint) !== 'handshake') {
      return this.#agree(handshakeFirst);
    }
    try {
      return await this.#agree(true);
    } catch (error) {
      verdicts.forget(endpoint);
      const final = isFailedRequest(error) || this.#settings.signal?.aborted === true || this.#probed;
      if (final) throw error;
      return this.#agree(false);
    }
  }

  #agree(handshakeFirst: boolean): Promise<Agreement> {
    const newest = this.#settings.revisions.findLast((revision) => revision.lifecycle === 'stateless');
    if (newest === undefined || (handshakeFirst && this.#handshakes.length > 0)) return this.#shakeHands();
    return this.#probe(newest);
  }

  async #probe(revision: Revision): Promise<Agreement> {
    this.#countAttempt();
    this.#probed = true;
    // Our other ids are numbers, so an answer to the probe cannot be taken for the answer to anything else.
    const id = `discover-${this.#link.allocate()}`;
    const envelope = statelessEnvelope(revision, this.#settings, undefined);
    const answer = this.#ask(id, envelope.write(id, 'server/discover', {}, undefined, undefined));
    // Over HTTP every server answers, if only with an error: one that is silent is in trouble, not of another era.
    const silenceTells = this.#handshakes.length > 0 && this.#link.endpoint === undefined;
    const patience = silenceTells ? this.#settings.probeTimeout : this.#settings.initTimeout;
    const outcome = await this.#within(patience, [answer]);
    switch (outcome.kind) {
      case 'result':
        return this.#discovered(outcome.result, revision);
      case 'error':
        return this.#refused(outcome.error, revision);
      case 'lost':
        if (isFailedRequest(outcome.error)) return this.#unreached(outcome.error);
        if (this.#handshakes.length === 0) throw outcome.error;
        return 'reopen';
      default:
        if (!silenceTells)
          throw new StartTimeoutError(this.#link.label, 'server/discover', patience, this.#handlers.noise);
        return this.#shakeHands(undefined, answer);
    }
  }

  async #discovered(result: JsonObject, probed: Revision): Promise<Agreement> {
    const discovery = parseDiscovery(result);
    if (discovery === undefined)
      return this.#handshakeOr(() => this.#failed('server/discover had no useful answer'));
    const session = this.#sessionOf(discovery, probed);
    if (session !== undefined) return session;
    const handshake = chooseHandshake(discovery.versions, this.#handshakes);
    if (handshake === undefined) throw noCommonRevision(discovery.versions, this.#settings.revisions);
    return this.#shakeHands(handshake);
  }

  #sessionOf(discovery: Discovery, probed: Revision | undefined): ClientSession | undefined {
    // A server that answers and lists nothing speaks at least what it was asked in.
    const unlisted = discovery.versions.length === 0 ? probed : undefined;
    const revision = chooseStateless(discovery.versions, this.#settings.revisions) ?? unlisted;
    return revision === undefined ? undefined : { revision, ...discovery.described };
  }

  /**
   * Network and authorization failures do not identify the server's era; a success without an answer does.
   */
  async #unreached(error: TransportError): Promise<Agreement> {
    const { status = 0 } = error;
    if (status < 200 || status >= 300 || error.code !== 'http_status') throw error;
    return this.#handshakeOr(() => error);
  }

  async #refused(error: ErrorObject, revision: Revision): Promise<Agreement> {
    if (error.code === HEADER_MISMATCH || error.code === MISSING_CAPABILITY) {
      return { revision, server: undefined, capabilities: undefined, instructions: undefined };
    }
    const named = error.code === UNSUPPORTED_VERSION ? namedVersions(error.data) : [];
    if (named.length > 0) return this.#settleOn(named, error);
    return this.#handshakeOr(() =>
      error.code === METHOD_NOT_FOUND
        ? noCommonRevision([], this.#settings.revisions, receivedError(error))
        : this.#failed(`server/discover was refused: ${error.message}`, receivedError(error)),
    );
  }

  /** The server refused and named what it does speak. */
  #settleOn(named: readonly string[], error: ErrorObject): Promise<Agreement> {
    const stateless = chooseStateless(named, this.#settings.revisions);
    if (stateless !== undefined) return this.#probe(stateless);
    const handshake = chooseHandshake(named, this.#handshakes);
    if (handshake !== undefined) return this.#shakeHands(handshake);
    throw noCommonRevision(named, this.#settings.revisions, receivedError(error));
  }

  /** `probe` is still unanswered: a slow stateless server may yet answer it, and then the handshake is off. */
  async #shakeHands(proposal?: Revision, probe?: Promise<WireOutcome>): Promise<Agreement> {
    const revision = proposal ?? this.#handshakes.at(-1);
    if (revision === undefined) throw noCommonRevision([], this.#settings.revisions);
    this.#countAttempt();
    const { initTimeout, clock } = this.#settings;
    // What was waited for the probe counts: the limit is for the start as a whole.
    const patience = probe === undefined ? initTimeout : initTimeout - this.#settings.probeTimeout;
    const deadline = clock() + patience;
    const id = this.#link.allocate();
    const answer = this.#ask(id, encodeRequest(id, 'initialize', this.#initializeParams(revision)));
    this.#handlers.answerPings();
    const late = probe === undefined ? [] : [this.#lateDiscovery(probe)];
    const outcome = await this.#within<WireOutcome | LateDiscovery>(patience, [answer, ...late]);
    switch (outcome.kind) {
      case 'discovered':
        return outcome.session;
      case 'result':
        // Both were answered in one piece: the order of the answers counts, not that of the promises.
        return this.#discoveredLate ?? this.#initialized(outcome.result);
      case 'error': {
        const belated = await this.#within(Math.max(0, deadline - clock()), late);
        return belated.kind === 'discovered' ? belated.session : this.#uninitialized(outcome.error, revision);
      }
      case 'lost':
        if (this.#probed && !isFailedRequest(outcome.error)) return 'reopen';
        throw outcome.error;
      default:
        throw new StartTimeoutError(this.#link.label, 'initialize', initTimeout, this.#handlers.noise);
    }
  }

  #initialized(result: JsonObject): ClientSession {
    const initialized = parseInitialized(result);
    if (initialized === undefined) throw this.#failed('its answer to initialize has no protocolVersion');
    const revision = this.#handshakes.find(({ version }) => version === initialized.version);
    if (revision === undefined) throw noCommonRevision([initialized.version], this.#settings.revisions);
    this.#link.send(encodeNotification('notifications/initialized', {}));
    return { revision, ...initialized.described };
  }

  async #uninitialized(error: ErrorObject, proposed: Revision): Promise<Agreement> {
    const named = namedVersions(error.data);
    const other = chooseHandshake(named, this.#handshakes);
    if (other !== undefined && other !== proposed) return this.#shakeHands(other);
    const stateless = chooseStateless(named, this.#settings.revisions);
    if (stateless !== undefined) return this.#probe(stateless);
    if (named.length > 0) throw noCommonRevision(named, this.#settings.revisions, receivedError(error));
    throw this.#unwelcome(error);
  }

  /** It answered as the protocol has it, and does not want to, or cannot. */
  #unwelcome(error: ErrorObject): McpError<'handshake_failed'> {
    const { label, endpoint } = this.#link;
    const status = endpoint === undefined ? undefined : /^HTTP (\d{3})\b/.exec(error.message)?.[1];
    const what = status === undefined ? `${error.message} (${error.code})` : error.message;
    const advice =
      status === '404' || status === '405'
        ? 'check the path of the URL: most servers are at /mcp, older ones at /sse'
        : error.code === INTERNAL_ERROR
          ? 'its own log says more'
          : 'check that it is an MCP server';
    return new McpError('handshake_failed', `${label} refused to connect: ${what}; ${advice}`, {
      cause: receivedError(error),
    });
  }

  #initializeParams(revision: Revision): JsonObject {
    return {
      protocolVersion: revision.version,
      capabilities: capabilitiesFor(revision, this.#settings.capabilities),
      clientInfo: readable(revision, 'implementation', this.#settings.info),
    };
  }

  /** Resolves only for an answer that makes the server a stateless one. */
  #lateDiscovery(probe: Promise<WireOutcome>): Promise<LateDiscovery> {
    return new Promise((resolve) => {
      void probe.then((answer) => {
        const discovery = answer.kind === 'result' ? parseDiscovery(answer.result) : undefined;
        const session = discovery && this.#sessionOf(discovery, undefined);
        if (session === undefined) return;
        this.#discoveredLate = session;
        resolve({ kind: 'discovered', session });
      });
    });
  }

  #handshakeOr(error: () => McpError): Promise<Agreement> {
    if (this.#handshakes.length === 0) throw error();
    return this.#shakeHands();
  }

  #ask(id: RequestId, text: string): Promise<WireOutcome> {
    this.#asked.push(id);
    return this.#handlers.ask(this.#link, id, text);
  }

  #countAttempt(): void {
    this.#attempts += 1;
    if (this.#attempts > MAX_ATTEMPTS) throw this.#failed('it keeps naming versions that it then refuses');
  }

  #failed(problem: string, cause?: unknown): McpError<'handshake_failed'> {
    return new McpError(
      'handshake_failed',
      `${this.#link.label} violates the MCP protocol: ${problem}; check that it is an MCP server`,
      cause === undefined ? {} : { cause },
    );
  }

  /** The first outcome, silence when there is none in time, or a rejection when the user gives up. */
  #within<T>(
    milliseconds: number,
    outcomes: readonly Promise<T>[],
  ): Promise<T | { readonly kind: 'silence' }> {
    if (outcomes.length === 0) return Promise.resolve({ kind: 'silence' });
    const { signal } = this.#settings;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', aborted);
      };
      const aborted = (): void => {
        settle();
        reject(new CancelledError('connect', signal?.reason, false));
      };
      const late = (): void => {
        // A person is logging in, on whose behalf the request then goes out again.
        if (this.#settings.auth?.asking === true) {
          timer = setTimeout(late, milliseconds);
          return;
        }
        settle();
        resolve({ kind: 'silence' });
      };
      let timer = setTimeout(late, milliseconds);
      if (signal?.aborted === true) return aborted();
      signal?.addEventListener('abort', aborted);
      for (const outcome of outcomes) {
        void outcome.then((value) => {
          settle();
          resolve(value);
        });
      }
    });
  }
}
