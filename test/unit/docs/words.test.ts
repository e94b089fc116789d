/** The check of README, docs and help for phrases that the documentation does not use. */

import { describe, expect, it } from 'vitest';
import { bannedPhrases, checkWords } from '../../../scripts/check-words.mjs';

describe('the check of words', () => {
  it('reports a banned phrase with its line and what to write instead', () => {
    expect(bannedPhrases('Clients connect.\nWhoever answers wrongly is not measured.')).toEqual([
      '2: "whoever"; write: the caller, the peer, the client, the handler',
    ]);
  });

  it.each([
    ['over a line break', 'The server is\ntold.', '1: "is told"'],
    ['over a line break in a comment', '/**\n * 30 s unless\n * given.\n */', '2: "unless given"'],
    [
      'after an escaped line break in a string',
      String.raw`const text = 'ready\nNobody calls';`,
      '1: "nobody"',
    ],
  ])('finds a phrase %s', (_where, text, finding) => {
    expect(bannedPhrases(text)).toEqual([expect.stringContaining(finding)]);
  });

  it('accepts words that only contain a banned phrase', () => {
    expect(bannedPhrases('The storyteller untold the tale; retells of othersome.')).toEqual([]);
  });

  it('passes for README, docs and help', () => {
    expect(checkWords()).toEqual({ ok: true, output: '' });
  });
});
