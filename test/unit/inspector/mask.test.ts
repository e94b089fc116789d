import { describe, expect, it } from 'vitest';
import { maskHeader } from '../../../src/inspector/timeline/mask.js';
import { maskText, maskUrl } from '../../../src/protocol/secrets.js';
import { cpuTimeOf } from '../../support/cpu-time.js';

const JWT = `eyJ${'a'.repeat(20)}.${'b'.repeat(20)}.${'c'.repeat(20)}`;

describe('texts', () => {
  it.each([
    ['a field', '{"access_token": "abcdefghijklmnopqrst"}', 'abcdefghijkl'],
    ['a field with escapes', '{"password":"ab\\"cdefghijklmnopqrst"}', 'cdefghijkl'],
    ['a field in another spelling', '{"apiKey":"abcdefghijklmnopqrst"}', 'abcdefghijkl'],
    ['a form', 'grant_type=x&code=abcdefghijklmnopqrst&client_secret=abcdefghijklmnopqrst', 'abcdefghijkl'],
    ['a JWT anywhere', `see ${JWT} there`, 'bbbbbbbb'],
    ['a bearer token', 'Authorization: Bearer abcdefghijklmnopqrstuvwxyz', 'efghijkl'],
    ['a well-known key', 'my key is ghp_abcdefghijklmnopqrstuvwxyz0123456789', 'efghijkl'],
    ['a private key', '-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----', 'MIIabc'],
  ])('lose %s', (_name, text, secret) => {
    const { text: clean, masked } = maskText(text);
    expect(masked).toBe(true);
    expect(clean).not.toContain(secret);
  });

  it('stay as they are without secrets, and stay JSON with them', () => {
    const plain = '{"progressToken":7,"requestState":"x","cursor":"abc"}';
    expect(maskText(plain)).toEqual({ text: plain, masked: false });
    const masked = maskText('{"a":1,"client_secret":"q\\"w\\\\e","b":[2]}').text;
    expect(JSON.parse(masked)).toMatchObject({ a: 1, b: [2] });
  });

  it.each([
    ['tokens without an end', 'eyJ-'],
    ['a field without an end', '"password":"\\'],
    ['keys without an end', '-----BEGIN PRIVATE KEY-----'],
    ['words of the scheme', 'Bearer '],
    ['parameters', '?key'],
    ['blanks', '"secret" '],
  ])('made of %s are read in linear time', (_name, part) => {
    const time = (count: number): number => {
      const text = part.repeat(count);
      return cpuTimeOf(() => [maskText(text), maskUrl(text)]);
    };
    // Ten times the text: quadratic work would take a hundred times as long, and minutes.
    const short = Math.max(time(20_000), time(20_000), 20);
    expect(time(200_000)).toBeLessThan(50 * short);
  });
});

it('headers and addresses keep their names and lose their values', () => {
  expect(maskHeader('Authorization', 'Bearer abcdefghijklmnopqrst').value).toMatch(/^Bearer abcd•+$/);
  expect(maskHeader('X-Api-Key', 'short')).toEqual({ name: 'X-Api-Key', value: '••••', masked: true });
  expect(maskHeader('Content-Type', 'application/json').masked).toBe(false);
  expect(maskUrl('https://user:pass@host/a?api_key=abcdefghijklmnop&x=1')).toBe(
    'https://••••@host/a?api_key=abc••••&x=1',
  );
});
