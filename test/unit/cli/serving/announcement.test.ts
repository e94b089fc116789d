import { describe, expect, it } from 'vitest';
import { announcement, hostsFor } from '../../../../src/cli/serving/announcement.js';

const CHAIN = { what: 'The chain', allowsHosts: false, checksCallers: false };

describe('a command that listens', () => {
  it('prints the command that uses it', () => {
    const url = 'http://127.0.0.1:3300/mcp';
    expect(announcement({ ...CHAIN, url, host: undefined }, 'npx plumb')).toBe(
      'The chain listens at http://127.0.0.1:3300/mcp. Try: npx plumb list http://127.0.0.1:3300/mcp\n',
    );
  });

  it('prints an address that works where it listens on all of them, and who can use it', () => {
    const listening = { ...CHAIN, url: 'http://0.0.0.0:3300/mcp', host: '0.0.0.0' };
    expect(announcement(listening, 'plumb')).toBe(
      [
        'The chain listens at http://127.0.0.1:3300/mcp, and on all other addresses of this machine. Try: plumb list http://127.0.0.1:3300/mcp',
        'It refuses requests for other host names than localhost; --allow-host NAME accepts one.',
        'Every caller that can reach it can use it; --bearer-token-env or --auth-issuer admits only those with a token.',
        '',
      ].join('\n'),
    );
    const careful = { ...listening, allowsHosts: true, checksCallers: true };
    expect(announcement(careful, 'plumb').trimEnd().split('\n')).toHaveLength(1);
  });

  it('accepts requests for the address that it was given', () => {
    expect(hostsFor('192.168.1.5', ['gateway'])).toEqual(['gateway', '192.168.1.5']);
    expect(hostsFor('fd00::5', undefined)).toEqual(['[fd00::5]']);
    expect(hostsFor('0.0.0.0', undefined)).toBeUndefined();
    expect(hostsFor(undefined, ['gateway'])).toEqual(['gateway']);
  });
});
