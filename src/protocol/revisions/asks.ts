/** Which of a server's questions (elicitation, sampling, roots) a client can be asked. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { ClientCapabilities } from '../model/capabilities.js';
import type { Revision } from './revision.js';

/** Why a question cannot be put to this client: the capability that it would have to declare. */
export type AskObstacle = { readonly required: ClientCapabilities; readonly reason: string };

/** The capability that is missing for this question, if any. */
export function askObstacle(
  revision: Revision,
  capabilities: ClientCapabilities,
  method: string,
  params: JsonObject,
): AskObstacle | undefined {
  const required = requiredCapability(revision, method, params);
  if (required === undefined)
    return { required: {}, reason: `${method} does not exist in ${revision.version}` };
  if (!revision.asks.has(method) || !knows(revision, params)) {
    return { required, reason: `${method} does not exist in protocol revision ${revision.version}` };
  }
  if (declares(capabilities, required)) return undefined;
  return { required, reason: `The client did not declare the capability that ${method} needs` };
}

/** Whether the revision has this form of the question, whatever a client of it declares. */
function knows(revision: Revision, params: JsonObject): boolean {
  if (params.mode === 'url') return revision.elicitation === 'form_and_url';
  return revision.samplingTools || (params.tools === undefined && params.toolChoice === undefined);
}

function requiredCapability(
  revision: Revision,
  method: string,
  params: JsonObject,
): ClientCapabilities | undefined {
  switch (method) {
    case 'roots/list':
      return { roots: {} };
    case 'sampling/createMessage':
      return params.tools === undefined && params.toolChoice === undefined
        ? { sampling: {} }
        : { sampling: { tools: {} } };
    case 'elicitation/create':
      if (params.mode === 'url') return { elicitation: { url: {} } };
      return revision.elicitation === 'form_and_url' ? { elicitation: { form: {} } } : { elicitation: {} };
    default:
      return undefined;
  }
}

/** Whether the declared capabilities cover the required ones. `elicitation: {}` stands for form mode alone. */
export function declares(declared: ClientCapabilities, required: ClientCapabilities): boolean {
  return covers(normalised(declared), required as JsonObject);
}

function normalised(declared: ClientCapabilities): JsonObject {
  // What the client declared came off the wire: it need not be the object that the type promises.
  const elicitation: unknown = declared.elicitation;
  if (!isRecord(elicitation) || elicitation.form !== undefined || elicitation.url !== undefined) {
    return declared as JsonObject;
  }
  return { ...declared, elicitation: { ...elicitation, form: {} } };
}

function covers(declared: JsonObject, required: JsonObject): boolean {
  return Object.entries(required).every(([key, need]) => {
    const have = declared[key];
    if (have === undefined || have === false || have === null) return false;
    return !isRecord(need) || (isRecord(have) ? covers(have, need) : Object.keys(need).length === 0);
  });
}
