/** The page's side of the API: commands, files, and the stream of events. */

import type {
  ApiError,
  CommandName,
  CommandParams,
  CommandResult,
  Failure,
  InspectorEvent,
} from '../../api.js';

/** The page is served at `/t/<token>/`. */
const token = location.pathname.split('/')[2] ?? '';
const headers = { 'x-plumb-token': token };

export class ApiCallError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

export function failureOf(error: unknown): Failure {
  if (error instanceof ApiCallError) return error.failure;
  return { code: 'page', message: error instanceof Error ? error.message : String(error) };
}

export async function command<C extends CommandName>(
  name: C,
  params: CommandParams<C>,
  init: Pick<RequestInit, 'keepalive'> = {},
): Promise<CommandResult<C>> {
  const response = await send(name, params, init);
  return (await response.json()) as CommandResult<C>;
}

/** Runs a command that answers with a file, and hands the file to the user. */
export async function download<C extends CommandName>(name: C, params: CommandParams<C>): Promise<void> {
  const response = await send(name, params);
  const blob = await response.blob();
  const named = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '');
  saveFile(blob, named?.[1] ?? 'plumb');
}

export function saveFile(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has taken hold of the file by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

async function send(name: CommandName, params: unknown, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`api/${name}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(params),
      ...init,
    });
  } catch (error) {
    throw new ApiCallError({
      code: 'unreachable',
      message: `The inspector's process cannot be reached (${String(error)}). Is it still running?`,
    });
  }
  if (response.ok) return response;
  throw new ApiCallError(await readFailure(response));
}

async function readFailure(response: Response): Promise<Failure> {
  try {
    const { error } = (await response.json()) as ApiError;
    if (typeof error?.message === 'string') return error;
  } catch {
    // Not from the API; the status is all there is.
  }
  return {
    code: `http_${response.status}`,
    message: `The inspector answered with status ${response.status}.`,
  };
}

/** Reads one stream of events to its end. Throws when it could not be opened or broke. */
export async function readEvents(
  onEvent: (event: InspectorEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const response = await fetch('api/events', { headers, signal });
  if (!response.ok || response.body === null) throw new ApiCallError(await readFailure(response));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') onEvent(JSON.parse(line) as InspectorEvent);
  }
}
