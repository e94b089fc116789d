/** A server as a child process. Its whole process group goes when the pipe is closed. */

import { tellingLine } from '../../protocol/telling-line.js';
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
      const words = tellingLine(child.stderrTail());
      events.ended(`the server ${how}${words === '' ? '' : ` (its stderr: ${words.slice(0, 300)})`}`);
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
