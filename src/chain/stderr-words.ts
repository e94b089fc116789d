/** The last lines that a server wrote to stderr, for the line that reports what became of it. */

import { isProgram, type Target } from '../client/target.js';

const KEPT_LINES = 40;

export class StderrWords {
  #lines: string[] = [];

  /** The same target, listened to. Those that are no programs have nothing to listen to. */
  listenTo(target: Target): Target {
    if (!isProgram(target)) return target;
    this.#lines = [];
    const { onStderr } = target;
    return {
      ...target,
      onStderr: (line) => {
        this.#lines.push(line);
        if (this.#lines.length > KEPT_LINES) this.#lines.shift();
        onStderr?.(line);
      },
    };
  }

  text(): string {
    return this.#lines.join('\n');
  }
}
