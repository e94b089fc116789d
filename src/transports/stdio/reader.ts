import { createContentLengthReader } from '../../framing/content-length.js';
import { createLineReader, DEFAULT_MAX_LINE_BYTES, type LineReader } from '../../framing/ndjson.js';
import { answeredBy } from '../../jsonrpc/truncated.js';
import type { TransportFault } from '../transport.js';

export interface StdioReaderOptions {
  /** Longest line accepted from the peer. Default: 16 MiB. */
  readonly maxLineBytes?: number;
  /** Also read `Content-Length` framing, for peers built on an LSP library. Default: off. */
  readonly contentLength?: boolean;
}

export function createStdioReader(
  options: StdioReaderOptions,
  onLine: (text: string) => void,
  onFault: (fault: TransportFault) => void,
): LineReader {
  const maxLineBytes = options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES;
  const create = options.contentLength === true ? createContentLengthReader : createLineReader;
  return create({
    maxLineBytes,
    onLine,
    onOversize: (bytes, sample, ending) => {
      const answers = answeredBy(sample, ending);
      onFault({
        kind: 'oversize',
        message: `Dropped a line of ${bytes} bytes; the limit is ${maxLineBytes} (maxLineBytes)`,
        sample,
        ...(answers === undefined ? {} : { answers }),
      });
    },
  });
}
