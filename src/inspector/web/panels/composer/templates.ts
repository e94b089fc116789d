/** Params to begin with, by method. */

const TEMPLATES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'tools/call': { name: '', arguments: {} },
  'resources/read': { uri: '' },
  'resources/subscribe': { uri: '' },
  'resources/unsubscribe': { uri: '' },
  'prompts/get': { name: '', arguments: {} },
  'completion/complete': { ref: { type: 'ref/prompt', name: '' }, argument: { name: '', value: '' } },
  'logging/setLevel': { level: 'info' },
  'tasks/get': { taskId: '' },
  'tasks/result': { taskId: '' },
  'tasks/cancel': { taskId: '' },
  'notifications/cancelled': { requestId: 1, reason: '' },
  'notifications/progress': { progressToken: 1, progress: 0.5, total: 1 },
  initialize: { protocolVersion: '', capabilities: {}, clientInfo: { name: 'composer', version: '1' } },
};

export function templateFor(method: string): string {
  return JSON.stringify(TEMPLATES[method] ?? {}, null, 2);
}

/** Whether a text is still what the composer began with, so that another template may take its place. */
export function isTemplate(text: string): boolean {
  return (
    text.trim() === '' ||
    Object.keys(TEMPLATES)
      .concat('')
      .some((method) => templateFor(method) === text)
  );
}
