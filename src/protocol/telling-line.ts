/** Of what a program wrote to stderr before it failed: the line that names the cause. */

import { plainText } from './plain-text.js';

/** Begins with the word for it: `Error: ...`, `KeyError: 1`, `[cause]: Error: ...`, `panic: ...`. */
const NAMED = /^(?:\[cause\]: )?(?:\[?(?:error|fatal|panic)\b|[\w.$]*(?:error|exception)\b)(?!\()/i;
const TELLING =
  /error|exception|cannot|could not|not found|denied|failed|invalid|missing|usage|required|panic/i;
/** Lines of a stack trace, which name files rather than causes, options of a usage text, and the version of the runtime. */
const BESIDES = /^(?:at |File "|throw |node:|Node\.js v|[{}^]|code: |-{1,2}\w|\w+\(err\b)/;
/** npm writes the cause first, after its code, and then advice. */
const NPM = /^npm (?:error|ERR!) (?!code |errno |syscall |path |command |A complete log)/;

/** The last line that is called an error, else the last one that sounds like one, else the last one; empty for none. */
export function tellingLine(stderr: string): string {
  const lines = plainText(stderr)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const causes = lines.filter((line) => !BESIDES.test(line));
  return (
    causes.find((line) => NPM.test(line)) ??
    causes.findLast((line) => NAMED.test(line)) ??
    causes.findLast((line) => TELLING.test(line)) ??
    causes.at(-1) ??
    lines.at(-1) ??
    ''
  );
}

const LOCAL_ADDRESS =
  /\bhttps?:\/\/(?:127\.0\.0\.1|localhost|0\.0\.0\.0|\[::1?\])(?::\d+)?(?:\/[^\s"'`<>)\]]*)?/;

/** The address on this machine that a program says it listens at: it may serve HTTP where stdio is expected. */
export function servedAddress(text: string): string | undefined {
  return LOCAL_ADDRESS.exec(plainText(text))?.[0]?.replace(/[.,;]+$/, '');
}
