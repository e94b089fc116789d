/** A server as a child process. Its whole process group goes when the pipe is closed. */

import { type ChildOptions, spawnChild } from '../../transports/stdio/child.js';
import type { EnvironmentOptions } from '../../transports/stdio/environment.js';
import type { OpenPipe } from './line-pipe.js';
import { RawLineReader } from './raw-lines.js';

/** Tests of shutdown wait for these; everything else only needs the process gone. */
const SHUTDOWN = { endOfInput: 400, terminate: 400 };

export interface ServerCommand extends EnvironmentOptions {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly onStderr?: ((line: string) => void) | undefined;
}

export function childPipe(server: ServerCommand): OpenPipe {
  return async (events) => {
    const onStderr = (line: string): void => {
      server.onStderr?.(line);
      events.stderr(line);
    };
    const options: ChildOptions = { ...server, onStderr, shutdown: SHUTDOWN };
    const child = await spawnChild(options);
    const reader = new RawLineReader(events.line);
    child.stdout.on('data', (chunk: Uint8Array) => {
      events.bytes?.(chunk.length);
      reader.push(chunk);
    });
    child.stdout.on('end', () => reader.end());
    // The child may be gone before it read everything: that is for the checks to judge, not an error of ours.
    child.stdin.on('error', () => {});
    void child.ended.then(({ code, signal }) => {
      const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
      const words = lastWords(child.stderrTail());
      events.ended(
        `the server ${how}${words === '' ? '' : ` (its last stderr lines: ${words.slice(0, 300)})`}`,
      );
    });
    return {
      write: (data) =>
        new Promise((resolve) => {
          // A pipe that is already gone never drains and never closes again.
          if (child.stdin.destroyed || child.stdin.write(data)) resolve();
          else child.stdin.once('drain', resolve).once('close', resolve);
        }),
      endInput: () => child.stdin.end(),
      terminate: () => {
        process.kill(child.pid, 'SIGTERM');
      },
      pause: () => child.stdout.pause(),
      close: async () => {
        child.stdin.end();
        await child.shutdown();
      },
    };
  };
}

/** The line of stderr that says most: of a stack trace the error, not its frames or the version of the runtime. */
function lastWords(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^at |^Node\.js v|^[{}^]/.test(line));
  return lines.findLast((line) => /error|exception|fatal|cannot|not found/i.test(line)) ?? lines.at(-1) ?? '';
}
