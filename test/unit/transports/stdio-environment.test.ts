import { describe, expect, it } from 'vitest';
import { childEnvironment } from '../../../src/transports/stdio/environment.js';

const ours = {
  PATH: '/bin',
  LC_ALL: 'C',
  AWS_SECRET_ACCESS_KEY: 'secret',
  NODE_OPTIONS: '--inspect',
  UNSET: undefined,
};

describe('environment of a child', () => {
  it('has what programs need, and no secrets', () => {
    expect(childEnvironment({}, ours, 'linux')).toEqual({ PATH: '/bin', LC_ALL: 'C' });
  });

  it('has what the user names, set or inherited', () => {
    const options = { env: { PATH: '/opt/bin', TOKEN: 't' }, inheritEnv: ['NODE_OPTIONS', 'UNSET'] };
    expect(childEnvironment(options, ours, 'linux')).toEqual({
      PATH: '/opt/bin',
      LC_ALL: 'C',
      NODE_OPTIONS: '--inspect',
      TOKEN: 't',
    });
  });

  it('has everything only when the user says so', () => {
    const { UNSET: _, ...set } = ours;
    expect(childEnvironment({ inheritEnv: true }, ours, 'linux')).toEqual(set);
    expect(childEnvironment({ inheritEnv: false }, ours, 'linux')).toEqual({ PATH: '/bin', LC_ALL: 'C' });
  });

  it('treats names that differ in case as one on Windows', () => {
    const windows = { Path: 'C:\\bin', SystemRoot: 'C:\\Windows', Secret: 'x', LC_ALL: 'C' };
    expect(childEnvironment({ env: { PATH: 'D:\\bin' } }, windows, 'win32')).toEqual({
      PATH: 'D:\\bin',
      SystemRoot: 'C:\\Windows',
    });
  });
});
