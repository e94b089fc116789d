import { useState } from 'react';
import type { Failure, MessageDetail } from '../../../api.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { parseJson } from '../../components/json-value.js';
import { FailureNotice } from '../../components/notice.js';
import { command, failureOf } from '../../state/api-client.js';
import { LineDiffView } from './line-diff-view.js';
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
          <LineDiffView before={pretty(other.text)} after={pretty(message.text)} />
        </Dialog>
      )}
    </div>
  );
}

function pretty(text: string): string {
  const parsed = parseJson(text);
  return parsed.ok ? JSON.stringify(parsed.value, null, 2) : text;
}
