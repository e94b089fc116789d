import { useState } from 'react';
import type { AskAnswer } from '../../../api.js';
import { Button } from '../../components/button.js';
import { defaultValues } from '../../form/default-values.js';
import { SchemaForm } from '../../form/schema-form.js';
import type { FormValue } from '../../form/tidy-value.js';
import type { AskProps } from './ask-props.js';
import { RefuseButton } from './refuse-button.js';

type ElicitContent = Extract<AskAnswer, { readonly kind: 'form' | 'url' }>['result']['content'];

export function FormAsk({ ask, busy, answer }: AskProps<'form'>) {
  const { message, requestedSchema } = ask.params;
  const [value, setValue] = useState<FormValue>(() => defaultValues(requestedSchema));
  return (
    <div className="stack">
      <p className="pre-wrap wrap">{message}</p>
      <SchemaForm
        schema={requestedSchema}
        value={value}
        idPrefix={`ask-${ask.id}`}
        choicesAreSets
        onChange={setValue}
        onSubmit={(content) =>
          // The form holds what the schema asked for, and the schema asks for plain values only.
          answer({
            kind: 'form',
            result: { action: 'accept', content: content as NonNullable<ElicitContent> },
          })
        }
      >
        <div className="row-wrap">
          <Button type="submit" kind="primary" disabled={busy}>
            Accept
          </Button>
          <Button disabled={busy} onClick={() => answer({ kind: 'form', result: { action: 'decline' } })}>
            Decline
          </Button>
          <Button disabled={busy} onClick={() => answer({ kind: 'form', result: { action: 'cancel' } })}>
            Cancel
          </Button>
          <RefuseButton busy={busy} answer={answer} />
        </div>
      </SchemaForm>
    </div>
  );
}
