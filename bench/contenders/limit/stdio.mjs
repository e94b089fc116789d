/** What the machine allows over stdio: lines, JSON.parse and JSON.stringify, one write for each piece that was read. */
import { createAnswers } from './answers.mjs';

/** @param {import('../../workload.mjs').Serving} serving */
export function serve({ tools = 0 } = {}) {
  const answer = createAnswers(tools);
  let rest = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (/** @type {string} */ chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    let out = '';
    for (const line of lines) {
      const asked = JSON.parse(line);
      if (asked.id !== undefined) out += `${JSON.stringify(answer(asked))}\n`;
    }
    if (out !== '') process.stdout.write(out);
  });
}
