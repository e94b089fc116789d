/** The text of the file of credentials, encrypted with a key from the system's keychain. */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { Keychain } from './node-keychain.js';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

export interface FileSeal {
  /** From what is in the file, encrypted or not yet. */
  open(content: JsonObject): Promise<JsonObject>;
  seal(content: JsonObject): Promise<JsonObject>;
}

/** `keychain` undefined: as it is. A file that is not encrypted yet is read, and encrypted when it is written next. */
export function createFileSeal(keychain: Keychain | undefined): FileSeal {
  let known: Promise<Buffer> | undefined;
  const key = (isNeeded: boolean): Promise<Buffer> => {
    known ??= keyOf(keychain, isNeeded);
    known.catch(() => {
      known = undefined;
    });
    return known;
  };
  return {
    open: async (content) => {
      const { sealed } = content;
      return typeof sealed === 'string' ? decrypt(sealed, await key(true)) : content;
    },
    seal: async (content) =>
      keychain === undefined ? content : { sealed: encrypt(content, await key(false)) },
  };
}

/** `isNeeded`: there is something encrypted with it, so a new one would not do. */
async function keyOf(keychain: Keychain | undefined, isNeeded: boolean): Promise<Buffer> {
  const stored = await keychain?.get();
  if (stored !== undefined) return Buffer.from(stored, 'base64');
  if (keychain === undefined || isNeeded)
    throw new Error(
      'it is encrypted, and its key is not in the keychain of this system; delete it and log in again',
    );
  const made = randomBytes(KEY_BYTES);
  await keychain.set(made.toString('base64'));
  return made;
}

function encrypt(content: JsonObject, key: Buffer): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv);
  const text = Buffer.concat([cipher.update(JSON.stringify(content), 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64');
}

function decrypt(sealed: string, key: Buffer): JsonObject {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  const value: unknown = JSON.parse(text.toString('utf8'));
  return isRecord(value) ? value : {};
}
