/** Everything that can be set for a server. */

import { type FormEvent, type ReactNode, useId } from 'react';
import { useInspector } from '../../state/inspector.js';
import type { ServerDraft } from './server-draft.js';

export function ServerForm({
  draft,
  onChange,
  onSubmit,
  children,
}: {
  draft: ServerDraft;
  onChange: (draft: ServerDraft) => void;
  onSubmit: () => void;
  /** The buttons. */
  children: ReactNode;
}) {
  const set = (part: Partial<ServerDraft>) => onChange({ ...draft, ...part });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className="stack" onSubmit={submit}>
      {draft.kind === 'url' ? (
        <>
          <Field
            label="URL"
            type="url"
            required
            placeholder="https://example.com/mcp"
            value={draft.url}
            onChange={(url) => set({ url })}
          />
          <Lines
            label="Headers"
            placeholder="Authorization: Bearer …"
            value={draft.headers}
            onChange={(headers) => set({ headers })}
          />
        </>
      ) : (
        <>
          <Field
            label="Command"
            mono
            required
            placeholder="npx -y @modelcontextprotocol/server-everything"
            hint="A program and its arguments; quotes keep words together. No shell runs."
            value={draft.line}
            onChange={(line) => set({ line })}
          />
          <Field label="Directory" mono value={draft.cwd} onChange={(cwd) => set({ cwd })} />
          <Lines
            label="Environment"
            placeholder="NAME=value"
            value={draft.env}
            onChange={(env) => set({ env })}
          />
        </>
      )}
      <div className="field-row">
        <Field
          label="Name"
          value={draft.name}
          placeholder="derived from the address"
          onChange={(name) => set({ name })}
        />
        <RevisionField value={draft.revision} onChange={(revision) => set({ revision })} />
      </div>
      <div className="field-row">
        <Field
          label="Start time-out (s)"
          type="number"
          placeholder="60"
          value={draft.startTimeout}
          onChange={(startTimeout) => set({ startTimeout })}
        />
        <Field
          label="Call time-out (s)"
          type="number"
          placeholder="60"
          hint="Progress starts it anew; 0 waits without end."
          value={draft.callTimeout}
          onChange={(callTimeout) => set({ callTimeout })}
        />
      </div>
      {draft.kind === 'url' && <OAuthFields draft={draft} set={set} />}
      {children}
    </form>
  );
}

function OAuthFields({ draft, set }: { draft: ServerDraft; set: (part: Partial<ServerDraft>) => void }) {
  const { clientId, issuer, scopes, resource } = draft;
  const used = [clientId, issuer, scopes, resource].some((text) => text !== '');
  return (
    <details className="form-object" open={used}>
      <summary className="field-label">OAuth</summary>
      <div className="stack">
        <p className="small soft">
          Used instead of what is discovered and registered. All of it is optional.
        </p>
        <div className="field-row">
          <Field label="Client id" value={clientId} onChange={(value) => set({ clientId: value })} />
          <Field
            label="Client secret"
            type="password"
            value={draft.clientSecret}
            onChange={(clientSecret) => set({ clientSecret })}
          />
        </div>
        <Field
          label="Issuer"
          placeholder="the authorization server that the server names"
          value={issuer}
          onChange={(value) => set({ issuer: value })}
        />
        <div className="field-row">
          <Field
            label="Scopes"
            placeholder="read write"
            value={scopes}
            onChange={(value) => set({ scopes: value })}
          />
          <Field label="Resource" value={resource} onChange={(value) => set({ resource: value })} />
        </div>
      </div>
    </details>
  );
}

function Field({
  label,
  value,
  onChange,
  type = 'text',
  required = false,
  mono = false,
  placeholder,
  hint,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  type?: 'text' | 'url' | 'number' | 'password';
  required?: boolean;
  mono?: boolean;
  placeholder?: string;
  hint?: string;
}) {
  const id = useId();
  return (
    <div className="field grow">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className={mono ? 'input mono' : 'input'}
        type={type}
        min={type === 'number' ? 0 : undefined}
        step={type === 'number' ? 'any' : undefined}
        required={required}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {hint && (
        <p className="small soft" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

function Lines({
  label,
  value,
  placeholder,
  onChange,
}: {
  label: string;
  value: string;
  placeholder: string;
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className="textarea mono"
        rows={2}
        spellCheck={false}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}

function RevisionField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const id = useId();
  const revisions = useInspector((state) => state.revisions);
  return (
    <div className="field grow">
      <label htmlFor={id}>Revision</label>
      <select id={id} className="select" value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">the newest that both support</option>
        {revisions.map(({ version, era }) => (
          <option key={version} value={version}>
            {version} ({era})
          </option>
        ))}
      </select>
    </div>
  );
}
