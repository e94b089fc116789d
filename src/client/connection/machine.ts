/**
 * The life of a connection as a pure function: what has happened goes in, what is to be done comes out. It knows no
 * clock, no dice and no transport; the driver brings those. `docs/client-states.md` is printed from this file.
 */

export type StateName = 'starting' | 'initializing' | 'ready' | 'backoff' | 'closing' | 'closed';

export type MachineState =
  /** A transport is being opened: a process started, an address looked up. `retries` counts since the last success. */
  | { readonly name: 'starting'; readonly retries: number; readonly established: boolean }
  /** Bytes flow, and a revision is being agreed on. `renewing`: over a connection that stood before. */
  | {
      readonly name: 'initializing';
      readonly retries: number;
      readonly established: boolean;
      readonly renewing: boolean;
    }
  | { readonly name: 'ready' }
  /** Waiting before the next attempt. */
  | {
      readonly name: 'backoff';
      readonly retries: number;
      readonly established: boolean;
      readonly delay: number;
    }
  | { readonly name: 'closing' }
  /** Before the first attempt, and after the last. */
  | { readonly name: 'closed' };

export type MachineEvent =
  /** A connection is requested. */
  | { readonly type: 'connect' }
  /** The transport is open. */
  | { readonly type: 'opened' }
  /** A revision is agreed on, and everything that was wanted before is wanted of this connection too. */
  | { readonly type: 'agreed' }
  /** The attempt came to nothing. `chance` is a random number from 0 to 1. */
  | { readonly type: 'failed'; readonly chance: number }
  /** The connection that stood has ended, or is as good as dead. */
  | { readonly type: 'lost'; readonly chance: number }
  /** The server answers, and knows our session no longer. */
  | { readonly type: 'forgotten' }
  /** The wait is over. */
  | { readonly type: 'elapsed' }
  /** A caller does not want to wait for the end of the backoff. */
  | { readonly type: 'hurry' }
  | { readonly type: 'close' }
  /** Nothing is left of the connection. */
  | { readonly type: 'ended' };

export type Effect =
  /** Open the target, or find out whether the connection that is there still works. */
  | { readonly type: 'open' }
  /** Agree anew over the connection that is there. */
  | { readonly type: 'renew' }
  | { readonly type: 'wait'; readonly delay: number }
  | { readonly type: 'stop_waiting' }
  /** Send the calls that waited, and notify listeners of what they may have missed. */
  | { readonly type: 'resume' }
  /** The session could not be renewed: the calls that waited for it are rejected. */
  | { readonly type: 'refuse' }
  /** End what is there or under way, and report when nothing is left of it. */
  | { readonly type: 'shut' }
  /** The final state: everything that still waits is rejected. */
  | { readonly type: 'finish' };

export interface Transition {
  readonly state: MachineState;
  readonly effects: readonly Effect[];
}

/** What decides between trying again and giving up. */
export interface ReconnectPolicy {
  /** False: a lost connection is the end. */
  readonly recover: boolean;
  /** Whether even the first attempt is repeated. */
  readonly lazy: boolean;
  /** Attempts in a row, after the first, after which it is the end. */
  readonly maxRetries: number;
  readonly initialDelayMs: number;
  readonly maxDelayMs: number;
  /** The share of the delay that is left to chance, in both directions. */
  readonly jitter: number;
}

export const DEFAULT_POLICY: ReconnectPolicy = {
  recover: true,
  lazy: false,
  maxRetries: Number.POSITIVE_INFINITY,
  initialDelayMs: 1_000,
  maxDelayMs: 30_000,
  jitter: 0.2,
};

export const INITIAL_STATE: MachineState = { name: 'closed' };

/** How long to wait after that many retries in a row. Chance keeps clients of one server from coming back at once. */
export function backoffDelay(policy: ReconnectPolicy, retries: number, chance: number): number {
  const grown = policy.initialDelayMs * 2 ** Math.min(retries, 52);
  const base = Math.min(grown, policy.maxDelayMs);
  return Math.min(policy.maxDelayMs, base * (1 + policy.jitter * (2 * chance - 1)));
}

/** What does not concern a state (a timer that fired too late, a second loss) leaves it as it is. */
export function transition(state: MachineState, event: MachineEvent, policy: ReconnectPolicy): Transition {
  if (event.type === 'close') return close(state);
  switch (state.name) {
    case 'closed':
      if (event.type !== 'connect') break;
      return { state: { name: 'starting', retries: 0, established: false }, effects: [{ type: 'open' }] };
    case 'starting':
      if (event.type === 'opened') {
        return { state: { ...state, name: 'initializing', renewing: false }, effects: [] };
      }
      if (event.type === 'failed') return failed(state, event.chance, policy);
      break;
    case 'initializing':
      if (event.type === 'agreed') return { state: { name: 'ready' }, effects: [{ type: 'resume' }] };
      if (event.type === 'failed' || event.type === 'lost') return failed(state, event.chance, policy);
      break;
    case 'ready':
      return fromReady(state, event, policy);
    case 'backoff':
      if (event.type === 'elapsed') return again(state, []);
      if (event.type === 'hurry') return again(state, [{ type: 'stop_waiting' }]);
      break;
    case 'closing':
      if (event.type === 'ended') return { state: { name: 'closed' }, effects: [{ type: 'finish' }] };
      break;
  }
  return { state, effects: [] };
}

function fromReady(state: MachineState, event: MachineEvent, policy: ReconnectPolicy): Transition {
  if (event.type === 'lost') {
    if (policy.recover && policy.maxRetries > 0) return back(0, true, event.chance, policy);
    return { state: { name: 'closed' }, effects: [{ type: 'shut' }, { type: 'finish' }] };
  }
  if (event.type === 'forgotten') {
    return {
      state: { name: 'initializing', retries: 0, established: true, renewing: true },
      effects: [{ type: 'renew' }],
    };
  }
  return { state, effects: [] };
}

function failed(
  state: Extract<MachineState, { name: 'starting' | 'initializing' }>,
  chance: number,
  policy: ReconnectPolicy,
): Transition {
  const { retries, established } = state;
  const persistent = policy.recover && (established || policy.lazy);
  if (persistent && retries < policy.maxRetries) return back(retries, established, chance, policy);
  // The connection that could not be renewed is still there, and the next call may try again.
  if (!policy.recover && state.name === 'initializing' && state.renewing) {
    return { state: { name: 'ready' }, effects: [{ type: 'refuse' }] };
  }
  return { state: { name: 'closing' }, effects: [{ type: 'shut' }] };
}

function back(retries: number, established: boolean, chance: number, policy: ReconnectPolicy): Transition {
  const delay = backoffDelay(policy, retries, chance);
  return {
    state: { name: 'backoff', retries: retries + 1, established, delay },
    effects: [{ type: 'wait', delay }],
  };
}

function again(
  { retries, established }: Extract<MachineState, { name: 'backoff' }>,
  before: readonly Effect[],
): Transition {
  return { state: { name: 'starting', retries, established }, effects: [...before, { type: 'open' }] };
}

function close(state: MachineState): Transition {
  switch (state.name) {
    case 'closed':
    case 'closing':
      return { state, effects: [] };
    case 'backoff':
      return { state: { name: 'closing' }, effects: [{ type: 'stop_waiting' }, { type: 'shut' }] };
    default:
      return { state: { name: 'closing' }, effects: [{ type: 'shut' }] };
  }
}
