/**
 * Keeps stdout clean while it carries the protocol. One stray `console.log` in a handler or in a library would
 * corrupt the connection, so what is written there by anybody else goes to stderr.
 * Bytes written below the stream (fs.writeSync(1), a child that inherits our stdout) are out of reach.
 */

type WriteCallback = (error?: Error | null) => void;

const HINT = 'plumb: stdout carries the protocol; output was sent to stderr\n';

/** Redirects `process.stdout.write` to stderr until the returned function is called. */
export function protectStdout(): () => void {
  const { stdout, stderr } = process;
  const original = Object.getOwnPropertyDescriptor(stdout, 'write');
  let hinted = false;

  function redirected(
    chunk: string | Uint8Array,
    encodingOrCallback?: BufferEncoding | WriteCallback,
    callback?: WriteCallback,
  ): boolean {
    if (!hinted) {
      hinted = true;
      stderr.write(HINT);
    }
    return typeof encodingOrCallback === 'function'
      ? stderr.write(chunk, encodingOrCallback)
      : stderr.write(chunk, encodingOrCallback, callback);
  }

  stdout.write = redirected;
  return () => {
    // A later replacement stays in place.
    if (stdout.write !== redirected) return;
    if (original === undefined) Reflect.deleteProperty(stdout, 'write');
    else Object.defineProperty(stdout, 'write', original);
  };
}
