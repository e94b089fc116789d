/** Line icons, drawn on 16 x 16. */

const PATHS = {
  plumb: 'M8 1v5M4.5 6h7L8 14.5z',
  servers: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01',
  tools:
    'M9.8 2.4a3.4 3.4 0 0 0-3.6 4.5L2.2 11a1.4 1.4 0 0 0 2 2l4-4a3.4 3.4 0 0 0 4.7-4L10.7 7 9 5.3l2.2-2.2z',
  resources: 'M3.5 1.8h6l3 3v9.4h-9zM9.5 1.8v3h3',
  prompts: 'M2 3h12v8H7l-3 2.6V11H2zM5 6h6M5 8.3h4',
  skills: 'M2 3.2c2-.9 4.2-.9 6 .4 1.8-1.3 4-1.3 6-.4v9.4c-2-.9-4.2-.9-6 .4-1.8-1.3-4-1.3-6-.4zM8 3.6V13',
  tasks: 'M8 14.2A6.2 6.2 0 1 0 8 1.8a6.2 6.2 0 0 0 0 12.4zM8 4.6V8l2.4 1.6',
  asks: 'M8 14.2A6.2 6.2 0 1 0 8 1.8a6.2 6.2 0 0 0 0 12.4zM6.2 6.2A1.9 1.9 0 1 1 8.6 8c-.5.2-.6.5-.6 1M8 11.3h.01',
  logs: 'M2.5 3.5h11M2.5 6.5h8M2.5 9.5h11M2.5 12.5h6',
  timeline: 'M4 1.8v12.4M12 1.8v12.4M4 5h7.5M9.5 3.2 11.5 5 9.5 6.8M12 11H4.5M6.5 9.2 4.5 11l2 1.8',
  auth: 'M3 7.2h10v6.6H3zM5 7.2V5a3 3 0 0 1 6 0v2.2M8 10v1.6',
  comply: 'M8 1.6 13.2 3.4v4.2c0 3.2-2 5.5-5.2 6.8-3.2-1.3-5.2-3.6-5.2-6.8V3.4zM5.6 8l1.7 1.7 3.2-3.4',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.6 10.6 14 14',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.2 1.2M11.8 11.8 13 13M3 13l1.2-1.2M11.8 4.2 13 3',
  moon: 'M13.5 9.6A5.8 5.8 0 0 1 6.4 2.5a5.8 5.8 0 1 0 7.1 7.1z',
  half: 'M8 14.2A6.2 6.2 0 1 0 8 1.8a6.2 6.2 0 0 0 0 12.4zM8 1.8v12.4M8 4.5h3.8M8 8h6M8 11.5h3.8',
  keyboard: 'M1.5 4h13v8.5h-13zM4 6.7h.01M6.7 6.7h.01M9.3 6.7h.01M12 6.7h.01M4.8 9.8h6.4',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  check: 'M2.8 8.5 6.3 12l7-7.6',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  up: 'M8 13V3.5M4 7l4-4 4 4',
  down: 'M8 3v9.5M4 9l4 4 4-4',
  back: 'M13 8H3.5M7 4 3 8l4 4',
  play: 'M4.5 2.8v10.4L13 8z',
  stop: 'M4 4h8v8H4z',
  again: 'M13.3 8a5.3 5.3 0 1 1-1.6-3.8M13.5 1.8v3h-3',
  save: 'M2.8 2.8h8.4l2 2v8.4H2.8zM5.2 2.8v3.4h5V2.8M5 13.2V9.4h6v3.8',
  trash: 'M3 4.5h10M6.3 4.5V2.8h3.4v1.7M4.2 4.5l.6 9h6.4l.6-9M6.8 7v4M9.2 7v4',
  pencil: 'M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3zM9 4.7 11.3 7',
  pin: 'M5.5 1.8h5l-.7 4.4 2.4 2.6H3.8l2.4-2.6zM8 8.8v5.4',
  diff: 'M5 2v12M11 2v12M3 5h4M9 11h4M5 3.2v3.6',
  download: 'M8 2v8M4.5 7 8 10.5 11.5 7M2.8 13.4h10.4',
  upload: 'M8 10.5v-8M4.5 5.5 8 2l3.5 3.5M2.8 13.4h10.4',
  bell: 'M3.5 11.5h9c-1-1-1.3-2-1.3-4.3a3.2 3.2 0 0 0-6.4 0c0 2.3-.3 3.3-1.3 4.3zM6.8 13.6h2.4',
  warning: 'M8 2 14.5 13.5h-13zM8 6.5v3.2M8 11.7h.01',
  info: 'M8 14.2A6.2 6.2 0 1 0 8 1.8a6.2 6.2 0 0 0 0 12.4zM8 7.3v4M8 4.8h.01',
  link: 'M6.5 9.5l3-3M7 4.5l1.2-1.2a3 3 0 0 1 4.4 4.3L11.4 9M9 11.5l-1.2 1.2a3 3 0 0 1-4.4-4.3L4.6 7',
  dockRight: 'M2 3h12v10H2zM9.5 3v10',
  dockBottom: 'M2 3h12v10H2zM2 9h12',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  send: 'M2 8l12-5.5L9.5 14 7.5 9z',
  gear: 'M8 10.3a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6zM8 1.6v2M8 12.4v2M1.6 8h2M12.4 8h2M3.5 3.5l1.4 1.4M11.1 11.1l1.4 1.4M3.5 12.5l1.4-1.4M11.1 4.9l1.4-1.4',
  right: 'M6 3.5 10.5 8 6 12.5',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
