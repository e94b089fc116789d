/** Headers of every answer. */

/**
 * Only what this origin serves runs, nothing is loaded from elsewhere, and no site may put the page into a
 * frame.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  'media-src data: blob:',
  "font-src 'self'",
  "connect-src 'self'",
  // Apps are shown from another port of this machine.
  'frame-src http://127.0.0.1:*',
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // The address of the page holds the token.
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};
