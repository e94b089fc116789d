/**
 * README, docs and help use the vocabulary of the field. Each phrase below has a plain technical term, which is
 * reported with it. The help texts are strings in src/cli/, so all of that folder is checked.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './run.mjs';
import { filesUnder } from './stamp.mjs';

/** @type {readonly { phrase: string, write: string }[]} */
const BANNED = [
  { phrase: 'whoever', write: 'the caller, the peer, the client, the handler' },
  { phrase: 'somebody', write: 'the user, a client, another process' },
  { phrase: 'nobody', write: 'no caller, no client; or name what is missing' },
  { phrase: 'everybody', write: 'all callers, every session' },
  { phrase: 'is told', write: 'is reported, is notified, gets' },
  { phrase: 'are told', write: 'are reported, are notified, get' },
  { phrase: 'told', write: 'reported, notified, sent' },
  { phrase: 'tells', write: 'reports, returns, shows, describes' },
  { phrase: 'says', write: 'reports, returns, shows, states, names' },
  { phrase: 'of others', write: 'third-party; or name them' },
  { phrase: 'unless given', write: 'default: ...' },
  { phrase: 'the other end', write: 'the peer, the server, the client' },
  { phrase: 'a line with an end', write: 'a bounded queue' },
  { phrase: 'the way of a message', write: 'how a message flows' },
  { phrase: 'one job a folder', write: 'each folder has one job' },
];

/** Line breaks within a phrase may carry the marks of a comment. */
const expression = new RegExp(
  `\\b(${BANNED.map(({ phrase }) => phrase.replaceAll(' ', '\\s+(?:\\*\\s+|//\\s+)?')).join('|')})\\b`,
  'gi',
);

/**
 * The banned phrases of a text, each with its line and what to write instead.
 *
 * @param {string} text
 * @returns {string[]}
 */
export function bannedPhrases(text) {
  // An escaped line break in a string would hide the beginning of the word after it.
  const readable = text.replaceAll('\\n', '  ');
  return [...readable.matchAll(expression)].map(({ index, 0: found }) => {
    const line = readable.slice(0, index).split('\n').length;
    const phrase = found.toLowerCase().replaceAll(/[\s*/]+/g, ' ');
    const write = BANNED.find((entry) => entry.phrase === phrase)?.write;
    return `${line}: "${phrase}"; write: ${write}`;
  });
}

/** @returns {import('./run.mjs').Outcome} */
export function checkWords() {
  const papers = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'].map((name) =>
    join(root, name),
  );
  const docs = filesUnder(join(root, 'docs')).filter((file) => file.endsWith('.md'));
  const help = filesUnder(join(root, 'src', 'cli')).filter((file) => file.endsWith('.ts'));
  const found = [...papers, ...docs, ...help].flatMap((file) =>
    bannedPhrases(readFileSync(file, 'utf8')).map((problem) => `${relative(root, file)}:${problem}\n`),
  );
  return { ok: found.length === 0, output: found.join('') };
}
