import type { ReactNode } from 'react';
import type { Failure } from '../../api.js';
import { Icon } from './icon.js';

type NoticeTone = 'info' | 'good' | 'warn' | 'bad';

const ICONS = { info: 'info', good: 'check', warn: 'warning', bad: 'warning' } as const;

export function Notice({ tone = 'info', children }: { tone?: NoticeTone; children: ReactNode }) {
  return (
    <div className="notice" data-tone={tone} role={tone === 'bad' ? 'alert' : 'status'}>
      <Icon name={ICONS[tone]} />
      <div className="grow stack-tight">{children}</div>
    </div>
  );
}

/** What went wrong, with everything that the other side said about it. */
export function FailureNotice({ failure }: { failure: Failure }) {
  const number = failure.rpcCode === undefined ? '' : ` ${failure.rpcCode}`;
  return (
    <Notice tone="bad">
      <div className="wrap">{failure.message}</div>
      <div className="soft small mono">
        {failure.code}
        {number}
      </div>
      {failure.data !== undefined && (
        <pre className="small wrap pre-wrap">{JSON.stringify(failure.data, null, 2)}</pre>
      )}
    </Notice>
  );
}
