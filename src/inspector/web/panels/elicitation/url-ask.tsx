import { Button } from '../../components/button.js';
import { SafeLink } from '../../components/safe-link.js';
import type { AskProps } from './ask-props.js';
import { RefuseButton } from './refuse-button.js';

/** The address is shown in full, and opened only by its reader. */
export function UrlAsk({ ask, busy, answer }: AskProps<'url'>) {
  const { message, url } = ask.params;
  const host = URL.canParse(url) ? new URL(url).host : undefined;
  const say = (action: 'accept' | 'decline' | 'cancel') => answer({ kind: 'url', result: { action } });
  return (
    <div className="stack">
      <p className="pre-wrap wrap">{message}</p>
      <div className="content-frame stack-tight">
        {host && (
          <p>
            The page is at <strong className="wrap">{host}</strong>
          </p>
        )}
        <SafeLink address={url} />
      </div>
      <div className="row-wrap">
        <Button kind="primary" disabled={busy} onClick={() => say('accept')}>
          I went there
        </Button>
        <Button disabled={busy} onClick={() => say('decline')}>
          Decline
        </Button>
        <Button disabled={busy} onClick={() => say('cancel')}>
          Cancel
        </Button>
        <RefuseButton busy={busy} answer={answer} />
      </div>
    </div>
  );
}
