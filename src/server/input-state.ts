/**
 * The sealed `requestState` of a call that waits for input: what was answered and done so far.
 * It comes back through the client, so it is encrypted and authenticated (AES-GCM), and bound to the
 * principal, the method and the parameters it belongs to; a state moved to another call does not open.
 */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { fromBase64Url, toBase64Url } from '../protocol/base64-url.js';
import { invalidParams } from '../protocol/errors.js';

export interface InputState {
  readonly answers: JsonObject;
  readonly once: JsonObject;
  /** The last progress sent; what a rerun reports again up to here is not sent twice. */
  readonly progress?: number;
  /** The handle of the session's bucket, where the client has no session. */
  readonly session?: string;
}

export interface StateBinding {
  readonly principal: string | undefined;
  readonly method: string;
  readonly params: JsonObject;
}

export interface SealerOptions {
  /** Secrets, newest first: the first seals, all of them open. Random for this process when empty. */
  readonly keys: readonly string[];
  readonly ttlMs: number;
  readonly now: () => number;
}

export type OpenSealer = () => Promise<StateSealer>;

type Key = Awaited<ReturnType<typeof crypto.subtle.deriveKey>>;

const VERSION = 'p1';
const NONCE_BYTES = 12;
/** A state beyond this never came from us; refuse before decrypting. */
const MAX_STATE_CHARACTERS = 1024 * 1024;

export class StateSealer {
  readonly #options: SealerOptions;
  #keys: Promise<readonly Key[]> | undefined;

  constructor(options: SealerOptions) {
    this.#options = options;
  }

  async seal(state: InputState, binding: StateBinding): Promise<string> {
    const [key] = await this.#loadKeys();
    if (key === undefined) throw new Error('No key to seal the request state with');
    const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const plain = JSON.stringify({ ...state, expires: this.#options.now() + this.#options.ttlMs });
    const additionalData = await bindingBytes(binding);
    const sealed = await crypto.subtle.encrypt(
      { name: 'AES-GCM', iv: nonce, additionalData },
      key,
      new TextEncoder().encode(plain),
    );
    const text = `${VERSION}.${toBase64Url(nonce)}.${toBase64Url(new Uint8Array(sealed))}`;
    if (text.length > MAX_STATE_CHARACTERS) {
      throw new Error('The answers and results of once() that this call has to keep are too large');
    }
    return text;
  }

  /** The state that the parameters of a call bring back; an empty one where they bring none. */
  async restore(binding: StateBinding): Promise<InputState> {
    const { requestState } = binding.params;
    if (requestState === undefined) return { answers: {}, once: {} };
    if (typeof requestState !== 'string') throw invalidParams('"requestState" must be a string');
    return this.open(requestState, binding);
  }

  /** Opens a state or throws the invalid-params error that the client gets. */
  async open(text: string, binding: StateBinding): Promise<InputState> {
    const [version, nonce, sealed, ...rest] = text.length > MAX_STATE_CHARACTERS ? [] : text.split('.');
    if (version !== VERSION || nonce === undefined || sealed === undefined || rest.length > 0)
      throw refused();
    const additionalData = await bindingBytes(binding);
    const iv = fromBase64Url(nonce);
    const data = fromBase64Url(sealed);
    if (iv === undefined || data === undefined) throw refused();
    for (const key of await this.#loadKeys()) {
      const plain = await crypto.subtle
        .decrypt({ name: 'AES-GCM', iv, additionalData }, key, data)
        .catch(() => undefined);
      if (plain !== undefined) return this.#parse(new TextDecoder().decode(plain));
    }
    throw refused();
  }

  #parse(plain: string): InputState {
    const value: unknown = JSON.parse(plain);
    if (!isRecord(value)) throw refused();
    const { answers, once, progress, session, expires } = value;
    if (!isRecord(answers) || !isRecord(once)) throw refused();
    if (typeof expires !== 'number' || expires < this.#options.now()) {
      throw invalidParams('The request state has expired; start the call again without it');
    }
    return {
      answers,
      once,
      ...(typeof progress === 'number' ? { progress } : {}),
      ...(typeof session === 'string' ? { session } : {}),
    };
  }

  #loadKeys(): Promise<readonly Key[]> {
    this.#keys ??= Promise.all(
      this.#options.keys.length > 0
        ? this.#options.keys.map((secret) => importKey(new TextEncoder().encode(secret)))
        : [importKey(crypto.getRandomValues(new Uint8Array(32)))],
    );
    return this.#keys;
  }
}

function refused(): Error {
  return invalidParams('The request state is not valid for this call; start the call again without it');
}

async function importKey(secret: Uint8Array<ArrayBuffer>): Promise<Key> {
  const material = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveKey']);
  const parameters = {
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(),
    info: new TextEncoder().encode('plumb request state'),
  };
  return crypto.subtle.deriveKey(parameters, material, { name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ]);
}

async function bindingBytes({ principal, method, params }: StateBinding): Promise<Uint8Array<ArrayBuffer>> {
  const { _meta, inputResponses, requestState, ...own } = params;
  const text = JSON.stringify([principal ?? null, method, canonical(own)]);
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}

/** Same value, same text: a client may write its parameters in another order on the retry. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return ['list', ...value.map(canonical)];
  if (!isRecord(value)) return value;
  // Tagged, so that an object is not taken for the list of its pairs.
  const names = Object.keys(value).sort();
  return ['object', ...names.map((key) => [key, canonical(value[key])])];
}
