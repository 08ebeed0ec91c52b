// The office's icons, on the same grid as the shop's (../icons.jsx), which its pages have anyway.

import { Icon } from "../icons.jsx";

const SHAPES = {
  sun: <><circle cx="12" cy="12" r="4.2" /><path d="M12 2.800v2.400M12 18.800v2.400M2.800 12h2.400M18.800 12h2.400M5.500 5.500l1.700 1.700M16.800 16.800l1.700 1.700M18.500 5.500l-1.700 1.700M7.200 16.800l-1.700 1.700" /></>,
  bell: <path d="M5 17.500c1.300-1.400 1.700-3 1.700-6a5.300 5.300 0 0 1 10.600 0c0 3 .4 4.600 1.700 6ZM10 20.200c.9.9 3.100.9 4 0" />,
  receipt: <path d="M5.500 3.500h13v17l-2.200-1.500-2.100 1.500-2.200-1.500-2.200 1.500-2.100-1.500-2.200 1.500ZM9 8.500h6M9 12.500h6" />,
  box: <path d="M3.500 8 12 3.800 20.500 8v8.500L12 20.500l-8.500-4ZM3.500 8l8.500 4 8.500-4M12 12v8.500M7.700 5.900l8.500 4.200" />,
  tag: <><path d="M3.500 12.200V4.500a1 1 0 0 1 1-1h7.700l8.300 8.300a1.500 1.500 0 0 1 0 2.100l-6.600 6.600a1.500 1.500 0 0 1-2.100 0Z" /><path d="M8 8v.1" /></>,
  shelves: <path d="M4 3.500v17M20 3.500v17M4 9.500h16M4 16.500h16M7 9.500V5.500h4v4M13.500 16.500v-4H18v4" />,
  people: <><circle cx="9" cy="8.500" r="3.2" /><path d="M3 19.500c.5-3.500 3-5.200 6-5.200s5.500 1.700 6 5.200M15.500 5.600a3.200 3.200 0 0 1 0 5.800M17.500 14.700c2 .7 3.200 2.300 3.500 4.800" /></>,
  chart: <path d="M4 20.500V3.500M4 20.500h16.500M8 17v-5M12 17V7M16 17v-8" />,
  gear: <><circle cx="12" cy="12" r="3" /><path d="M12 3.500v2.200M12 18.300v2.200M3.500 12h2.200M18.300 12h2.200M6 6l1.600 1.600M16.400 16.400 18 18M18 6l-1.600 1.600M7.600 16.400 6 18" /></>,
  book: <path d="M5 4.500h6.500c.3 0 .5.200.5.500v15c-1-1-2-1.500-3.500-1.500H5ZM19 4.500h-6.500c-.3 0-.5.200-.5.500v15c1-1 2-1.500 3.500-1.500H19Z" />,
  history: <><path d="M4 12a8 8 0 1 0 2.600-5.900L4 8.500M4 4v4.500h4.500" /><path d="M12 8v4.300l3 1.700" /></>,
  more: <><circle cx="5.5" cy="12" r="1.1" fill="currentColor" /><circle cx="12" cy="12" r="1.1" fill="currentColor" /><circle cx="18.5" cy="12" r="1.1" fill="currentColor" /></>,
  leave: <path d="M13.500 4.500h-8v15h8M10 12h10.500M17 8.500l3.500 3.500-3.500 3.500" />,
  camera: <><path d="M4 7.500h3.500l1.500-2.500h6l1.500 2.500H20v11.500H4Z" /><circle cx="12" cy="13" r="3.4" /></>,
  undo: <path d="M4 9.500h10a5 5 0 0 1 0 10H9M8.500 5 4 9.500 8.500 14" />,
  upload: <path d="M12 15.500V4.500M7.500 9 12 4.500 16.500 9M4.500 19.500h15" />,
  download: <path d="M12 4.500v11M7.500 11l4.500 4.500 4.500-4.500M4.500 19.500h15" />,
  edit: <path d="m4.500 19.500.8-4L16 4.800a1.500 1.500 0 0 1 2.100 0l1.100 1.100a1.500 1.500 0 0 1 0 2.100L8.500 18.700Z" />,
  star: <path d="m12 3.800 2.500 5.300 5.700.8-4.100 4.100 1 5.800-5.100-2.800-5.100 2.800 1-5.800-4.100-4.100 5.700-.8Z" />,
  chat: <path d="M4 5.500h16v11H11l-4 3.500v-3.500H4ZM8 9.500h8M8 12.700h5" />,
};

export function OfficeIcon({ name, size = 22 }) {
  const shape = SHAPES[name];
  if (!shape) return <Icon name={name} size={size} />;
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {shape}
    </svg>
  );
}
