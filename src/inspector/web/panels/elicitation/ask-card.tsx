import type { AskAnswer, AskView } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { FailureNotice } from '../../components/notice.js';
import { command } from '../../state/api-client.js';
import { useServerName } from '../../state/server-name.js';
import { toast } from '../../state/toasts.js';
import { type Running, useCommand } from '../../state/use-command.js';
import { FormAsk } from './form-ask.js';
import { RootsAsk } from './roots-ask.js';
import { SamplingAsk } from './sampling-ask.js';
import { UrlAsk } from './url-ask.js';

const TITLES: Readonly<Record<AskView['kind'], string>> = {
  form: 'Elicitation: a form to fill in',
  url: 'Elicitation: a page to visit',
  sampling: 'Sampling: a request to the model',
  roots: 'Roots: a request for your folders',
};

export function AskCard({ ask }: { ask: AskView }) {
  const name = useServerName(ask.server);
  const running: Running = useCommand();
  const answer = (given: AskAnswer) =>
    running.run(async () => {
      const { accepted } = await command('asks.answer', { id: ask.id, answer: given });
      if (!accepted) toast('info', 'The question had been answered or withdrawn before.');
    });
  const subject = ask.about?.subject ?? ask.about?.method;
  return (
    <section className="card stack ask-card" aria-label={TITLES[ask.kind]}>
      <div className="row-wrap">
        <h2>{TITLES[ask.kind]}</h2>
        <Badge>{name}</Badge>
        {subject && <Badge tone="info">{subject}</Badge>}
        <Badge>{ask.revision}</Badge>
      </div>
      <AskBody ask={ask} busy={running.busy} answer={answer} />
      {running.failure && <FailureNotice failure={running.failure} />}
    </section>
  );
}

function AskBody({
  ask,
  busy,
  answer,
}: {
  ask: AskView;
  busy: boolean;
  answer: (answer: AskAnswer) => void;
}) {
  switch (ask.kind) {
    case 'form':
      return <FormAsk ask={ask} busy={busy} answer={answer} />;
    case 'url':
      return <UrlAsk ask={ask} busy={busy} answer={answer} />;
    case 'sampling':
      return <SamplingAsk ask={ask} busy={busy} answer={answer} />;
    case 'roots':
      return <RootsAsk ask={ask} busy={busy} answer={answer} />;
  }
}
