/** Where documents about an issuer or a resource are kept. */

/** Of protected resource metadata (RFC 9728, 3). */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';

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
