/** The things that servers list and return, as each revision writes them. */

import type { Revision } from '../../protocol/revisions/revision.js';
import {
  anything,
  array,
  base64,
  boolean,
  either,
  type Fields,
  number,
  object,
  oneOf,
  record,
  type ShapeCheck,
  string,
  tagged,
  uri,
  within,
} from './shape.js';

/** Keeps the fields that the revision knows; a field that it does not know is an unknown field like any other. */
function known(revision: Revision, shape: keyof Revision['reads'], fields: Fields): Fields {
  const reads: ReadonlySet<string> = new Set(revision.reads[shape]);
  return Object.fromEntries(Object.entries(fields).filter(([name]) => reads.has(name)));
}

const icon: ShapeCheck = object(
  { src: string },
  { mimeType: string, sizes: array(string), theme: oneOf('light', 'dark') },
);

export function implementation(revision: Revision): ShapeCheck {
  const optional = { title: string, description: string, websiteUrl: string, icons: array(icon) };
  return object({ name: string, version: string }, known(revision, 'implementation', optional));
}

function annotations(revision: Revision): ShapeCheck {
  return object(
    {},
    {
      audience: array(oneOf('user', 'assistant')),
      priority: within(0, 1),
      ...known(revision, 'annotations', { lastModified: string }),
    },
  );
}

export function tool(revision: Revision): ShapeCheck {
  // Since the stateless era any keyword may stand here; whether they make a schema is judged apart.
  const keywords =
    revision.structuredContent === 'any' ? {} : { properties: record, required: array(string) };
  const schema = object({ type: oneOf('object') }, keywords);
  const hints = object(
    {},
    {
      title: string,
      readOnlyHint: boolean,
      destructiveHint: boolean,
      idempotentHint: boolean,
      openWorldHint: boolean,
    },
  );
  return object(
    { name: string, inputSchema: schema },
    {
      description: string,
      ...known(revision, 'tool', {
        title: string,
        annotations: hints,
        outputSchema: revision.structuredContent === 'object' ? schema : record,
        icons: array(icon),
        execution: object({}, { taskSupport: oneOf('forbidden', 'optional', 'required') }),
        _meta: record,
      }),
    },
  );
}

function resourceFields(revision: Revision): Fields {
  return {
    description: string,
    mimeType: string,
    annotations: annotations(revision),
    ...known(revision, 'resource', { title: string, icons: array(icon), _meta: record }),
  };
}

export function resource(revision: Revision): ShapeCheck {
  return object({ uri, name: string }, { size: number, ...resourceFields(revision) });
}

export function resourceTemplate(revision: Revision): ShapeCheck {
  return object({ uriTemplate: string, name: string }, resourceFields(revision));
}

export function resourceContents(revision: Revision): ShapeCheck {
  const common = { mimeType: string, ...known(revision, 'resourceContents', { _meta: record }) };
  return either(object({ uri, blob: base64 }, common), object({ uri, text: string }, common));
}

export function prompt(revision: Revision): ShapeCheck {
  const argument = object(
    { name: string },
    {
      description: string,
      required: boolean,
      ...known(revision, 'promptArgument', { title: string }),
    },
  );
  return object(
    { name: string },
    {
      description: string,
      arguments: array(argument),
      ...known(revision, 'prompt', { title: string, icons: array(icon), _meta: record }),
    },
  );
}

/** Blocks of tool results and prompt messages. */
export function contentBlock(revision: Revision): ShapeCheck {
  const common = {
    annotations: annotations(revision),
    ...known(revision, 'content', { _meta: record }),
  };
  const media = object({ data: base64, mimeType: string }, common);
  const all: Readonly<Record<string, ShapeCheck>> = {
    text: object({ text: string }, common),
    image: media,
    audio: media,
    resource: object({ resource: resourceContents(revision) }, common),
    resource_link: resource(revision),
  };
  const variants = Object.entries(all).filter(([type]) => revision.contentTypes.has(type));
  return tagged('type', Object.fromEntries(variants));
}

/** Blocks of a conversation with a model. */
export function samplingBlock(revision: Revision): ShapeCheck {
  const media = object({ data: base64, mimeType: string });
  const variants: Record<string, ShapeCheck> = { text: object({ text: string }), image: media };
  if (revision.contentTypes.has('audio')) variants.audio = media;
  if (revision.samplingTools) {
    variants.tool_use = object({ id: string, name: string, input: record });
    variants.tool_result = object(
      { toolUseId: string, content: array(contentBlock(revision)) },
      { isError: boolean, structuredContent: anything },
    );
  }
  return tagged('type', variants);
}
