/** A server over stdio that costs next to nothing. */
import { cannedAnswer } from './canned.mjs';

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (/** @type {string} */ chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  let out = '';
  for (const line of lines) {
    const answer = cannedAnswer(line);
    if (answer !== undefined) out += `${answer}\n`;
  }
  if (out !== '') process.stdout.write(out);
});
