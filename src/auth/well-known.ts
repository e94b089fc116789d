/** Where documents about an issuer or a resource are kept. */

/**
 * The places of an authorization server's metadata, in the order in which they are asked: RFC 8414, then OpenID
 * Connect with the well-known part inserted before the path, then appended to it.
 */
export function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const urls = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  return [...new Set(urls)];
}
