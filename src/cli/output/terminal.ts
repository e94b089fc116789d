/** Where output goes, and what it can show there. */

const MIN_COLUMNS = 40;
/** Where the terminal does not know, or reports 0. */
const DEFAULT_COLUMNS = 80;

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Escape sequences that begin and end a style. `util.styleText` would ask stdout whether stderr may have colours. */
const STYLES: Readonly<Record<Style, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

export interface Terminal {
  /** Infinite without a terminal: lines in a pipe are not wrapped. */
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
    columns: interactive
      ? Math.max(MIN_COLUMNS, stream.columns || DEFAULT_COLUMNS)
      : Number.POSITIVE_INFINITY,
    interactive,
    style: (style, text) => (colours ? paint(STYLES[style], text) : text),
    write: (text) => {
      stream.write(text);
    },
  };
}

function paint([on, off]: readonly [number, number], text: string): string {
  return `\u001b[${on}m${text}\u001b[${off}m`;
}
