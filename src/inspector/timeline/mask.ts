/** Takes secrets out of texts and headers on their way to people and files. What is recorded stays as it was. */

import type { HeaderView } from '../api.js';

const MASK = '••••';

/** Headers whose value is a credential, or holds one. */
const SECRET_HEADER =
  /^(authorization|proxy-authorization|cookie|set-cookie|dpop|x-plumb-token)$|(api-?key|token|secret|password|credential|signature)/i;

/** Fields whose value is a credential, as JSON and as forms write them. */
const SECRET_FIELD =
  'access_?token|refresh_?token|id_?token|client_?secret|client_?assertion|registration_?access_?token|assertion|' +
  'password|passwd|passphrase|secret|api_?key|apikey|private_?key|authorization|bearer_?token|auth_?token|session_?token|' +
  'code_?verifier|device_?code';

/** Written so that a text without an end is read once: texts come from servers, and may be made to be slow. */
const JSON_FIELD = new RegExp(`("(?:${SECRET_FIELD})"\\s*:\\s*)"([^"\\\\]*(?:\\\\.[^"\\\\]*)*)"`, 'gi');
const FORM_FIELD = new RegExp(`((?:^|[?&;])(?:${SECRET_FIELD}|code|token)=)([^&;\\s"]+)`, 'gi');

/** Forms that are nothing but credentials, wherever they stand. */
const CREDENTIALS: readonly RegExp[] = [
  /\b(?:Bearer|DPoP|Basic) [A-Za-z0-9._~+/=-]{16,}/g,
  /\bsk-[A-Za-z0-9_-]{20,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{30,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*-----END [A-Z ]*PRIVATE KEY-----/g,
];

export interface Masked {
  readonly text: string;
  readonly masked: boolean;
}

export function maskText(text: string): Masked {
  let masked = text.replace(JSON_FIELD, (_whole, name: string, value: string) => `${name}"${hint(value)}"`);
  masked = masked.replace(FORM_FIELD, (_whole, name: string, value: string) => `${name}${hint(value)}`);
  for (const pattern of CREDENTIALS) masked = masked.replace(pattern, hint);
  return { text: masked, masked: masked !== text };
}

/** A few characters, so that two secrets can be told apart, and no more than a fifth of it. */
export function hint(secret: string): string {
  if (secret.includes(MASK)) return secret;
  const shown = Math.min(4, Math.floor(secret.length / 5));
  return shown < 2 ? MASK : `${secret.slice(0, shown)}${MASK}`;
}

/** Names and values in turn. */
export function maskHeaders(flat: readonly string[]): HeaderView[] {
  const views: HeaderView[] = [];
  for (let index = 0; index + 1 < flat.length; index += 2) {
    const [name = '', value = ''] = flat.slice(index, index + 2);
    views.push(maskHeader(name, value));
  }
  return views;
}

export function maskHeader(name: string, value: string): HeaderView {
  if (SECRET_HEADER.test(name)) {
    const [scheme, ...rest] = value.split(' ');
    const secret =
      rest.length > 0 && /^[a-z]+$/i.test(scheme ?? '') ? `${scheme} ${hint(rest.join(' '))}` : hint(value);
    return { name, value: secret, masked: true };
  }
  const { text, masked } = maskText(value);
  return { name, value: text, masked };
}

const SECRET_PARAMETER = /key|token|secret|password|signature|^code$|^code_verifier$|^assertion$/i;

/** Passwords and keys in an address. */
export function maskUrl(url: string): string {
  const withoutPassword = url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*@/i, `$1${MASK}@`);
  const mark = withoutPassword.indexOf('?');
  if (mark === -1) return maskText(withoutPassword).text;
  const parameters = withoutPassword
    .slice(mark + 1)
    .split('&')
    .map(maskParameter);
  return maskText(`${withoutPassword.slice(0, mark)}?${parameters.join('&')}`).text;
}

function maskParameter(parameter: string): string {
  const equals = parameter.indexOf('=');
  if (equals === -1 || !SECRET_PARAMETER.test(parameter.slice(0, equals))) return parameter;
  return `${parameter.slice(0, equals + 1)}${hint(parameter.slice(equals + 1))}`;
}

export function maskRecord(record: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, maskHeader(name, value).value]),
  );
}
