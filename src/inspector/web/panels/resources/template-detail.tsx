import { type FormEvent, useId, useState } from 'react';
import type { InspectedCatalogue, ServerView } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { Combobox } from '../../components/combobox.js';
import { Icon } from '../../components/icon.js';
import { command } from '../../state/api-client.js';
import { useDraft } from '../../state/drafts.js';
import { routeHash } from '../../state/route.js';
import { expandTemplate, templateNames } from './expand-template.js';
import { ResourceReading } from './resource-detail.js';

type Template = InspectedCatalogue['templates']['items'][number];
type Values = Readonly<Record<string, string>>;

export function TemplateDetail({ server, template }: { server: ServerView; template: Template }) {
  const id = useId();
  const { uriTemplate } = template;
  const names = templateNames(uriTemplate);
  const [values, setValues] = useDraft<Values>(`template ${server.id} ${uriTemplate}`, () => ({}));
  const [reading, setReading] = useState<string | undefined>();
  const uri = expandTemplate(uriTemplate, values);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setReading(uri);
  };
  const suggest = (name: string) => (value: string) => {
    const settled = Object.fromEntries(
      Object.entries(values).filter(([key, each]) => key !== name && each !== ''),
    );
    const ref = { type: 'ref/resource', uri: uriTemplate } as const;
    return command('completion.complete', { server: server.id, ref, argument: { name, value }, settled });
  };
  return (
    <div className="detail stack">
      <a className="button back" href={routeHash('resources', server.id)}>
        <Icon name="back" /> All resources
      </a>
      <div className="stack-tight">
        <div className="row-wrap">
          <h1 className="panel-title wrap">{template.title ?? template.name}</h1>
          <Badge tone="info">template</Badge>
          {template.mimeType && <Badge>{template.mimeType}</Badge>}
        </div>
        <code className="soft wrap">{uriTemplate}</code>
        {template.description && <p className="wrap">{template.description}</p>}
      </div>
      <form className="stack" onSubmit={submit}>
        {names.map((name) => (
          <div key={name} className="field">
            <label htmlFor={`${id}-${name}`}>{name}</label>
            <Combobox
              id={`${id}-${name}`}
              value={values[name] ?? ''}
              suggest={suggest(name)}
              onChange={(value) => setValues({ ...values, [name]: value })}
            />
          </div>
        ))}
        <div className="row-wrap">
          <Button type="submit" icon="play" kind="primary" disabled={server.state !== 'ready'}>
            Read
          </Button>
          <code className="wrap soft">{uri}</code>
        </div>
      </form>
      {reading !== undefined && <ResourceReading key={reading} server={server} uri={reading} />}
    </div>
  );
}
