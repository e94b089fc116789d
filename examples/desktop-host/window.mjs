/** A window: it knows tools by name and text, and reaches the main process only through its port. */

/** @param {import('node:worker_threads').MessagePort} port */
export async function openWindow(port) {
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  const waiting = new Map();
  let lastId = 0;
  port.on('message', ({ id, type, result, error, question }) => {
    if (type === 'dialog') port.postMessage({ type, id, params: dialog(question) });
    if (type !== undefined) return;
    const request = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) request?.resolve(result);
    else request?.reject(new Error(error));
  });
  const request = (/** @type {string} */ type, /** @type {object} */ params = {}) =>
    new Promise((resolve, reject) => {
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      port.postMessage({ id: lastId, type, params });
    });

  for (const { name, state } of await request('status')) console.log(`${name}: ${state}`);
  for (const { name, description } of await request('tools')) console.log(`tool: ${name} - ${description}`);
  console.log('result:', await request('call', { name: 'weather__forecast', args: { city: 'Bern' } }));
  await request('shell', { command: 'ls' }).catch((error) => console.log('refused:', error.message));
  port.close();
}

/**
 * A real window shows a form here. This one accepts the first choice of each field.
 *
 * @param {{ message: string, requestedSchema?: { properties: Record<string, { enum?: string[] }> } }} question
 */
function dialog({ message, requestedSchema }) {
  const fields = Object.entries(requestedSchema?.properties ?? {});
  const content = Object.fromEntries(fields.map(([name, field]) => [name, field.enum?.[0] ?? '']));
  console.log(`dialog: ${message}`, JSON.stringify(content));
  return { action: 'accept', content };
}
