import { useState } from 'react';
import type { InspectedCatalogue, ServerView } from '../../../api.js';
import { Button } from '../../components/button.js';
import { CopyButton } from '../../components/copy-button.js';
import { SecondsField } from '../../components/seconds-field.js';
import type { FormValue } from '../../form/tidy-value.js';
import { SaveCallDialog } from '../composer/save-call.js';
import { asCurl, asPlumbCall, asTypeScript } from './snippets.js';

/** As the process has it. */
const DEFAULT_TIMEOUT_MS = 60_000;

type Tool = InspectedCatalogue['tools']['items'][number];

export function CallButtons({
  server,
  tool,
  args,
  busy,
  disabled,
  repeated,
  timeout,
  onTimeout,
  onCall,
  task,
}: {
  server: ServerView;
  tool: Tool;
  args: FormValue;
  busy: boolean;
  disabled: boolean;
  repeated: boolean;
  /** In seconds, as typed. */
  timeout: string;
  onTimeout: (timeout: string) => void;
  /** Absent inside a form, which is sent instead. */
  onCall: (() => void) | undefined;
  /** Present where the user may ask for a task. */
  task?: { readonly wanted: boolean; onWanted(wanted: boolean): void };
}) {
  const [saving, setSaving] = useState(false);
  const curl = asCurl(server, tool, args);
  return (
    <div className="row-wrap">
      <Button
        icon={repeated ? 'again' : 'play'}
        kind="primary"
        type={onCall === undefined ? 'submit' : 'button'}
        disabled={busy || disabled}
        onClick={onCall}
      >
        {repeated ? 'Call again' : 'Call'}
      </Button>
      <Button icon="save" onClick={() => setSaving(true)}>
        Save
      </Button>
      <SecondsField
        label="Time-out"
        value={timeout}
        fallback={String((server.settings.callTimeoutMs ?? DEFAULT_TIMEOUT_MS) / 1_000)}
        onChange={onTimeout}
      />
      {task && (
        <label className="check">
          <input
            type="checkbox"
            checked={task.wanted}
            onChange={(event) => task.onWanted(event.target.checked)}
          />
          As a task
        </label>
      )}
      <div className="row-wrap copies">
        <span className="small soft">Copy as</span>
        <CopyButton label="plumb call" text={() => asPlumbCall(server, tool.name, args)} />
        <CopyButton label="TypeScript" text={() => asTypeScript(server, tool.name, args)} />
        {curl !== undefined && <CopyButton label="curl" text={() => curl} />}
      </div>
      {saving && (
        <SaveCallDialog
          server={server}
          target={{ kind: 'tool', name: tool.name, arguments: { ...args } }}
          name={tool.title ?? tool.name}
          onClose={() => setSaving(false)}
        />
      )}
    </div>
  );
}
