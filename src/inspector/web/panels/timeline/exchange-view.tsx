import type { HeaderView, HttpExchangeView } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { formatDuration } from '../../components/format.js';
import { Notice } from '../../components/notice.js';

/** An HTTP exchange: its address, its status, and all headers. */
export function ExchangeView({ exchange }: { exchange: HttpExchangeView }) {
  const { method, url, status, failure, headMs, durationMs } = exchange;
  return (
    <div className="stack">
      <div className="row-wrap">
        <Badge>{method}</Badge>
        <code className="wrap">{url}</code>
        {status !== undefined && <Badge tone={status < 400 ? 'good' : 'bad'}>{status}</Badge>}
      </div>
      {failure && <Notice tone="bad">{failure}</Notice>}
      {(headMs !== undefined || durationMs !== undefined) && (
        <p className="small soft">
          {headMs !== undefined && `head after ${formatDuration(headMs)}`}
          {durationMs !== undefined && `, end after ${formatDuration(durationMs)}`}
        </p>
      )}
      <Headers title="Request headers" headers={exchange.requestHeaders} />
      <Headers title="Response headers" headers={exchange.responseHeaders} />
    </div>
  );
}

export function Headers({ title, headers }: { title: string; headers: readonly HeaderView[] }) {
  return (
    <div className="stack-tight">
      <h3>{title}</h3>
      {headers.length === 0 && <p className="small soft">None.</p>}
      <dl className="facts mono small">
        {headers.map(({ name, value, masked }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a header can occur twice
          <HeaderLine key={index} name={name} value={value} masked={masked} />
        ))}
      </dl>
    </div>
  );
}

function HeaderLine({ name, value, masked }: HeaderView) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {value} {masked && <Badge tone="info">masked</Badge>}
      </dd>
    </>
  );
}
