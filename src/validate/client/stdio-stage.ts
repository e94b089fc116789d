/** The stage over stdio: the client starts our program, as often as it likes, and each process is a connection here. */

import { randomUUID } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { Revision } from '../../protocol/revisions/revision.js';
import { parseJson } from '../wire/recorder.js';
import { type Behaviour, type Occurrence, Stage, type StageAnswer } from './stage.js';
import { type StageProgram, writeStageProgram } from './stdio-program.js';

/** A client that writes without newlines for so long is not going to send one. */
const MAX_LINE = 4 * 1024 * 1024;

export class StdioStage extends Stage {
  readonly kind = 'stdio';
  /** Text on stdin that never became a line. */
  readonly remains: string[] = [];
  #origin = '';
  readonly #secret = randomUUID();
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #program: StageProgram | undefined;
  #connections = 0;
  readonly #stubborn: boolean;

  constructor(revision: Revision, behaviour: Behaviour, stubborn = false) {
    super(revision, behaviour);
    this.#stubborn = stubborn;
  }

  /** Our socket can be mistaken for a web server, which shows clients that fetch what they should not. */
  get origin(): string {
    return this.#origin;
  }

  async open(): Promise<string> {
    const server = createServer((socket) => this.#connected(socket));
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    this.#origin = `http://127.0.0.1:${port}`;
    this.#program = await writeStageProgram(port, this.#secret);
    return this.#program.path;
  }

  push(message: JsonObject): void {
    for (const socket of this.#sockets) tell(socket, { out: `${JSON.stringify(message)}\n` });
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) =>
      this.#server === undefined ? resolve(undefined) : this.#server.close(resolve),
    );
    await this.#program?.remove();
  }

  #connected(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    const lines = createInterface({ input: socket });
    lines.on('error', () => socket.destroy());
    let pending = '';
    let connection = 0;
    const decoder = new TextDecoder();
    lines.on('line', (line) => {
      const event = parseJson(line);
      if (connection === 0 && !isRecord(event)) this.#strange(line, socket);
      if (!isRecord(event)) return;
      if (connection === 0) {
        // Anybody on this machine can connect; only our program knows this.
        if (event.secret !== this.#secret) socket.destroy();
        else {
          this.#connections += 1;
          connection = this.#connections;
          this.#sockets.add(socket);
          this.#occurred('started', connection);
        }
      } else if (typeof event.in === 'string') {
        pending += decoder.decode(Buffer.from(event.in, 'base64'), { stream: true });
        const parts = pending.split('\n');
        pending = parts.pop() ?? '';
        for (const part of parts) this.#line(part, connection, socket);
        if (pending.length > MAX_LINE) socket.destroy();
      } else if (event.end === true) {
        if (pending !== '') this.remains.push(pending);
        pending = '';
        this.#occurred('end_of_input', connection);
        if (!this.#stubborn) tell(socket, { exit: 0 });
      } else if (event.terminate === true) {
        this.#occurred('terminate', connection);
        if (!this.#stubborn) tell(socket, { exit: 0 });
      }
    });
    socket.on('close', () => {
      this.#sockets.delete(socket);
      if (connection !== 0) this.#occurred('gone', connection);
    });
  }

  #strange(line: string, socket: Socket): void {
    const [method = '', path = '', protocol = ''] = line.split(' ');
    if (protocol.startsWith('HTTP/')) this.hear({ method, path, headers: {}, text: '' });
    socket.destroy();
  }

  #line(text: string, connection: number, socket: Socket): void {
    const { answered, heard } = this.hear({ method: 'POST', path: '/mcp', headers: {}, text, connection });
    const answer = this.behaviour(heard, this);
    if (answer === undefined) return;
    if (answer.stderr !== undefined) tell(socket, { err: answer.stderr });
    const messages = messagesIn(answer);
    // Silence leaves a request in flight.
    if (messages.length > 0) answered();
    for (const message of messages) tell(socket, { out: `${JSON.stringify(message)}\n` });
    if (answer.drop === true) tell(socket, { exit: 1 });
  }

  #occurred(kind: Occurrence['kind'], connection: number): void {
    this.occurrences.push({ at: this.now(), connection, kind });
  }
}

/** A line carries messages only: comments and other texts of event streams have no place here. */
function messagesIn({ body, events }: StageAnswer): readonly JsonObject[] {
  return [...(body === undefined ? [] : [body]), ...(events ?? [])].filter(isRecord);
}

function tell(socket: Socket, order: JsonObject): void {
  if (!socket.destroyed) socket.write(`${JSON.stringify(order)}\n`);
}
