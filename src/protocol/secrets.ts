/** Takes secrets out of text that people read: log lines, error messages, addresses and command lines. */

const MASK = '••••';

/** Headers whose value is a credential, or holds one. */
export const SECRET_HEADER: RegExp =
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

/** A few characters, so that two secrets can be distinguished, and no more than a fifth of it. */
export function hint(secret: string): string {
  if (secret.includes(MASK)) return secret;
  const shown = Math.min(4, Math.floor(secret.length / 5));
  return shown < 2 ? MASK : `${secret.slice(0, shown)}${MASK}`;
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

/** How options and variables end that hold a credential: `--api-key`, `GITHUB_TOKEN`, `PGPASSWORD`. */
const SECRET_NAME =
  /(?:(?:^|[-_]|api|access|private|secret)key|token|secret|passw(?:or)?d|passphrase|credential|(?:^|[-_])auth|bearer)s?$/i;

/** A command line for people to read: without the values of options and variables that hold credentials. */
export function maskCommand(words: readonly string[]): string {
  let secretNext = false;
  return words
    .map((word) => {
      const isValue = secretNext && !word.startsWith('-');
      secretNext = word.startsWith('-') && SECRET_NAME.test(word);
      if (isValue) return hint(word);
      const equals = word.indexOf('=');
      const name = word.slice(0, equals);
      if (equals > 0 && SECRET_NAME.test(name)) return `${name}=${hint(word.slice(equals + 1))}`;
      const header = /^([\w-]+):\s*(.+)$/.exec(word);
      if (header?.[1] !== undefined && header[2] !== undefined && isSecretName(header[1]))
        return `${header[1]}: ${hint(header[2])}`;
      return word.includes('://') ? maskUrl(word) : maskText(word).text;
    })
    .join(' ');
}

/** Secrets in free text, such as a line of a log: also in addresses, and the given values wherever they stand. */
export function maskLine(text: string, values: readonly string[] = []): string {
  let masked = text;
  for (const value of values) if (value.length >= MIN_VALUE) masked = masked.replaceAll(value, hint(value));
  masked = masked.replace(/\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>]+/gi, maskUrl);
  masked = masked.replace(OPTION_IN_TEXT, (_whole, name: string, value: string) => `${name}${hint(value)}`);
  return maskText(masked).text;
}

/** Shorter values stand in too many words by chance. */
const MIN_VALUE = 6;
const OPTION_IN_TEXT =
  /((?:--?[\w-]{0,40}|\b[\w-]{0,40}_)(?:key|token|secret|passw(?:or)?d|passphrase)(?:\s*[=:]\s*|\s+)["']?)([^\s"',;]{4,})/gi;

/** Whether a header, a variable or an option of this name holds a credential. */
export function isSecretName(name: string): boolean {
  return SECRET_HEADER.test(name) || SECRET_NAME.test(name);
}

/** The values of variables whose names say that they are credentials. */
export function secretValues(variables: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(variables).flatMap(([name, value]) =>
    value !== undefined && isSecretName(name) ? [value] : [],
  );
}
