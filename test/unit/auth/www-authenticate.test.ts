import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseChallenges, tokenChallenge } from '../../../src/auth/client/www-authenticate.js';
import { bearerChallenge } from '../../../src/auth/resource/challenge.js';
import { cpuTimeOf } from '../../support/cpu-time.js';

describe('WWW-Authenticate', () => {
  it.each([
    ['Bearer', [{ scheme: 'bearer', parameters: {} }]],
    [
      'Bearer realm="a, b", scope="x y", resource_metadata="https://s.example/p?a=b,c"',
      [
        {
          scheme: 'bearer',
          parameters: { realm: 'a, b', scope: 'x y', resource_metadata: 'https://s.example/p?a=b,c' },
        },
      ],
    ],
    [
      'Basic realm="simple", Negotiate YII=, BEARER error=invalid_token, Scope="q\\"uoted\\\\"',
      [
        { scheme: 'basic', parameters: { realm: 'simple' } },
        { scheme: 'negotiate', parameters: {} },
        { scheme: 'bearer', parameters: { error: 'invalid_token', scope: 'q"uoted\\' } },
      ],
    ],
    ['Bearer scope = "a" , error = b', [{ scheme: 'bearer', parameters: { scope: 'a', error: 'b' } }]],
    ['Bearer scope="first", scope="second"', [{ scheme: 'bearer', parameters: { scope: 'first' } }]],
    ['', []],
    ['"', []],
    ['Bearer scope="unfinished', [{ scheme: 'bearer', parameters: {} }]],
  ])('is read: %s', (header, expected) => {
    expect(parseChallenges(header)).toEqual(expected);
  });

  it('offers the challenge that says most about tokens', () => {
    const header = 'Basic realm="x", Bearer, DPoP algs="ES256", resource_metadata="https://a.example/"';
    expect(tokenChallenge(header)).toMatchObject({ scheme: 'dpop' });
    expect(tokenChallenge('Basic realm="x"')).toBeUndefined();
    expect(tokenChallenge(undefined)).toBeUndefined();
  });

  it('is read without a fault, and in linear time, whatever it says', () => {
    fc.assert(fc.property(fc.string({ maxLength: 300 }), (text) => Array.isArray(parseChallenges(text))));
    const pieces = ['a ', 'a=', '"', '\\"', 'a="', ', ', '=', ' \t'];
    const read = (): unknown => pieces.map((piece) => parseChallenges(`Bearer ${piece.repeat(8000)}`));
    expect(cpuTimeOf(read)).toBeLessThan(2000);
  });

  it('comes back as it was written', () => {
    const parameters = { error: 'invalid_token', error_description: 'a "b" \\ c', scope: 'x y' } as const;
    expect(parseChallenges(bearerChallenge(parameters))).toEqual([{ scheme: 'bearer', parameters }]);
    expect(bearerChallenge({ error_description: 'a\r\nSet-Cookie: x\u00e9' })).toBe(
      'Bearer error_description="a??Set-Cookie: x?"',
    );
  });
});
