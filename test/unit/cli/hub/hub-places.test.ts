import { expect, it } from 'vitest';
import { type HubSystem, hubPlaces } from '../../../../src/cli/hub/hub-places.js';

const LINUX: HubSystem = {
  platform: 'linux',
  environment: { XDG_CONFIG_HOME: '/elsewhere', XDG_RUNTIME_DIR: '/run/user/1' },
  home: '/home/ada',
  temporary: '/tmp',
  user: '1000',
};

it('depends on the home folder alone, because clients pass on little of their environment', () => {
  expect(hubPlaces(LINUX)).toEqual({
    folder: '/home/ada/.config/plumb',
    socket: '/home/ada/.config/plumb/hub.sock',
    lock: '/home/ada/.config/plumb/hub.lock',
    config: '/home/ada/.config/plumb/hub.json',
    log: '/home/ada/.config/plumb/hub.log',
  });
});

it('listens on a named pipe of the user on Windows', () => {
  const windows: HubSystem = {
    platform: 'win32',
    environment: { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming' },
    home: 'C:\\Users\\ada',
    temporary: 'C:\\Temp',
    user: 'ada',
  };
  const { socket, config } = hubPlaces(windows);
  expect(config).toBe('C:\\Users\\ada\\AppData\\Roaming\\plumb\\hub.json');
  expect(socket).toMatch(/^\\\\\.\\pipe\\plumb-hub-[0-9a-f]{16}$/);
  expect(hubPlaces({ ...windows, environment: {} })).toEqual(hubPlaces(windows));
  expect(hubPlaces({ ...windows, user: 'bob' }).socket).not.toBe(socket);
});

it('puts the socket into the folder for temporary files where its path would be too long', () => {
  const { socket, lock } = hubPlaces({ ...LINUX, home: `/home/${'a'.repeat(120)}` });
  expect(socket).toMatch(/^\/tmp\/plumb-1000-[0-9a-f]{16}\/hub\.sock$/);
  expect(lock).toContain('aaa/.config/plumb/hub.lock');
});

it('takes another folder from PLUMB_HUB', () => {
  expect(hubPlaces({ ...LINUX, environment: { PLUMB_HUB: '/srv/hub' } }).socket).toBe('/srv/hub/hub.sock');
});
