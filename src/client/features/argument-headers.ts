/**
 * Tool arguments that travel in headers too (Streamable HTTP, custom headers), as the tools seen in lists want it.
 * A tool whose annotations are invalid must not be used over HTTP, so it is left out of the lists there.
 */

import type { JsonObject } from '../../jsonrpc/message.js';
import {
  type MirroredParameter,
  mirroredParameters,
  parameterHeaders,
} from '../../protocol/mirrored-headers.js';
import type { Tool } from '../../protocol/model/tools.js';
import type { Note } from './results.js';

export class ArgumentHeaders {
  readonly #known = new Map<string, readonly MirroredParameter[]>();
  readonly #refused = new Set<string>();
  readonly #note: Note;

  constructor(note: Note) {
    this.#note = note;
  }

  /** The tools that can be called. */
  learn(tools: readonly Tool[]): Tool[] {
    return tools.filter(({ name, inputSchema }) => {
      const mirrored = mirroredParameters(inputSchema);
      if (mirrored.ok) {
        this.#known.set(name, mirrored.parameters);
        this.#refused.delete(name);
        return true;
      }
      this.#known.delete(name);
      // Lists are read again and again; once is enough to say it.
      if (!this.#refused.has(name)) {
        this.#note(`The tool ${name} is left out, because its input schema is wrong: ${mirrored.reason}`);
      }
      this.#refused.add(name);
      return false;
    });
  }

  /** The list changed: what is known may be out of date. */
  forget(): void {
    this.#known.clear();
  }

  /** `undefined` for a tool with no such arguments, or one never seen: then the server decides. */
  of(tool: string, args: JsonObject): Readonly<Record<string, string>> | undefined {
    const parameters = this.#known.get(tool);
    return parameters === undefined || parameters.length === 0
      ? undefined
      : parameterHeaders(parameters, args);
  }
}
