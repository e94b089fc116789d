/** Where output goes, and what it can show there. */

import { styleText } from 'node:util';

const MIN_COLUMNS = 40;

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export interface Terminal {
  /** Infinite when nobody looks: lines in a pipe are not wrapped. */
  readonly columns: number;
  readonly interactive: boolean;
  style(style: Style, text: string): string;
  write(text: string): void;
}

export interface TerminalStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export function createTerminal(
  stream: TerminalStream,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Terminal {
  const interactive = stream.isTTY === true;
  // Any value but the empty one means no colours (https://no-color.org).
  const colours = interactive && (environment.NO_COLOR ?? '') === '' && environment.TERM !== 'dumb';
  return {
    columns: interactive ? Math.max(MIN_COLUMNS, stream.columns ?? 80) : Number.POSITIVE_INFINITY,
    interactive,
    style: (style, text) => (colours ? styleText(style, text) : text),
    write: (text) => {
      stream.write(text);
    },
  };
}
