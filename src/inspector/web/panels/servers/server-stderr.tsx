import { useEffect, useState } from 'react';
import { CodeBlock } from '../../components/code-block.js';
import { command } from '../../state/api-client.js';
import { useInspector } from '../../state/inspector.js';

/** The end of what the server wrote to stderr; fetched again when it wrote more. */
export function ServerStderr({ server }: { server: string }) {
  const last = useInspector(
    (state) => state.logs.findLast((entry) => entry.server === server && entry.source === 'stderr')?.seq,
  );
  const [text, setText] = useState('');
  useEffect(() => {
    let wanted = true;
    // `last` names the newest line, so that this runs again with each.
    void last;
    command('servers.stderr', { server }).then(
      (answer) => wanted && setText(answer.text),
      () => undefined,
    );
    return () => {
      wanted = false;
    };
  }, [server, last]);
  return (
    <section className="card" aria-label="Standard error">
      <div className="card-head">
        <h2>Standard error</h2>
      </div>
      {text === '' ? (
        <p className="soft">Nothing was written.</p>
      ) : (
        <CodeBlock text={text} label="Standard error" />
      )}
    </section>
  );
}
