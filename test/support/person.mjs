#!/usr/bin/env node
// What a person does in a browser at the login page of oidc-provider: types a name, agrees, and comes back.
// `person.mjs URL`, as BROWSER of a command.

/** @type {Map<string, string>} */
const cookies = new Map();

/** @param {string} url @param {URLSearchParams} [form] */
async function visit(url, form) {
  const response = await fetch(url, {
    redirect: 'manual',
    headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    ...(form === undefined ? {} : { method: 'POST', body: form }),
  });
  for (const cookie of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    cookies.set(name, value);
  }
  const location = response.headers.get('location');
  return { text: await response.text(), location: location && new URL(location, url).href };
}

let url = process.argv[2] ?? '';
/** @type {URLSearchParams | undefined} */
let form;
for (let steps = 0; steps < 20; steps += 1) {
  const { text, location } = await visit(url, form);
  form = undefined;
  if (location) {
    url = location;
    continue;
  }
  const action = /<form[^>]*action="([^"]+)"/.exec(text)?.[1];
  if (action === undefined) break;
  const prompt = /name="prompt" value="([^"]+)"/.exec(text)?.[1] ?? '';
  url = new URL(action, url).href;
  form = new URLSearchParams({ prompt, ...(prompt === 'login' ? { login: 'alice', password: 'any' } : {}) });
}
