import { useState } from 'react';
import type { Failure, MessageDetail } from '../../../api.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { parseJson } from '../../components/json-value.js';
import { diffLines } from '../../components/line-diff.js';
import { FailureNotice } from '../../components/notice.js';
import { command, failureOf } from '../../state/api-client.js';
import { usePins } from './pins.js';

/** Compares the message with one that was pinned before. */
export function ComparePins({ message }: { message: MessageDetail }) {
  const pins = usePins().filter((seq) => seq !== message.seq);
  const [other, setOther] = useState<MessageDetail | undefined>();
  const [failure, setFailure] = useState<Failure | undefined>();
  const compare = async (seq: number) => {
    try {
      const { messages } = await command('timeline.get', { seqs: [seq] });
      setOther(messages[0]);
      setFailure(messages[0] ? undefined : { code: 'gone', message: `Message ${seq} is no longer kept.` });
    } catch (error) {
      setFailure(failureOf(error));
    }
  };
  if (pins.length === 0) return null;
  return (
    <div className="row-wrap">
      <span className="small soft">Compare with pinned</span>
      {pins.map((seq) => (
        <Button key={seq} size="small" icon="diff" onClick={() => compare(seq)}>
          #{seq}
        </Button>
      ))}
      {failure && <FailureNotice failure={failure} />}
      {other && (
        <Dialog title={`#${other.seq} and #${message.seq}`} onClose={() => setOther(undefined)}>
          <DiffView before={pretty(other.text)} after={pretty(message.text)} />
        </Dialog>
      )}
    </div>
  );
}

function pretty(text: string): string {
  const parsed = parseJson(text);
  return parsed.ok ? JSON.stringify(parsed.value, null, 2) : text;
}

const SIGNS = { same: ' ', added: '+', removed: '−' } as const;

function DiffView({ before, after }: { before: string; after: string }) {
  const lines = diffLines(before, after);
  const changed = lines.filter(({ kind }) => kind !== 'same').length;
  return (
    <div className="stack-tight">
      <p className="soft">{changed === 0 ? 'They are the same.' : `${changed} lines differ.`}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <section className="diff mono" tabIndex={0} aria-label="Differences">
        {lines.map(({ kind, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names
          <div key={index} className="diff-line" data-kind={kind}>
            {SIGNS[kind]} {text}
          </div>
        ))}
      </section>
    </div>
  );
}
