/** What the person sees in the browser at the end of a login. Nothing of the request is repeated in it. */

export const END_PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  Connection: 'close',
};

export function endPage(succeeded: boolean): string {
  const [title, text] = succeeded
    ? ['You are logged in', 'You can close this window and go back to your terminal.']
    : ['The login failed', 'See your terminal for the reason.  You can close this window.'];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { display: grid; min-height: 90vh; place-content: center; text-align: center; margin: 1rem; }
  h1 { font-size: 1.5rem; margin: 0; }
</style>
<main>
  <h1>${title}</h1>
  <p>${text}</p>
</main>
</html>
`;
}
