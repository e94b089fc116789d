import { createLineReader, DEFAULT_MAX_LINE_BYTES, type LineReader } from '../../framing/ndjson.js';
import { answeredBy } from '../../jsonrpc/truncated.js';
import { byteCount, type Size } from '../../protocol/size.js';
import type { TransportFault } from '../transport.js';

export interface StdioReaderOptions {
  /** Longest line accepted from the peer. Default: 16 MiB. */
  readonly maxLineBytes?: Size | undefined;
}

export function createStdioReader(
  options: StdioReaderOptions,
  onLine: (text: string) => void,
  onFault: (fault: TransportFault) => void,
): LineReader {
  const maxLineBytes = byteCount(options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES);
  return createLineReader({
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
