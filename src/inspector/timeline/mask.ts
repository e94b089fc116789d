/** Takes secrets out of headers on their way to people and files. What is recorded stays as it was. */

import { hint, maskText, SECRET_HEADER } from '../../protocol/secrets.js';
import type { HeaderView } from '../api.js';

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

export function maskRecord(record: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, maskHeader(name, value).value]),
  );
}
