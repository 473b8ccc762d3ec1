// Numbers and times as people read them.

// clockTime is the local 14:32:07 of an ISO time; an en dash when it is none.
export function clockTime(iso: string): string {
  return timeOf(iso, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
}

// shortTime is the local 14:32.
export function shortTime(iso: string): string {
  return timeOf(iso, { hour: '2-digit', minute: '2-digit' });
}

function timeOf(iso: string, parts: Intl.DateTimeFormatOptions): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? '–' : date.toLocaleTimeString('en-GB', { ...parts, hour12: false });
}

// isoZone is the time with its zone, for a tooltip.
export function isoZone(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return '';
  const minutes = -date.getTimezoneOffset();
  const zone = `${minutes < 0 ? '-' : '+'}${two(Math.trunc(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}${zone}`;
}

function two(n: number): string {
  return String(n).padStart(2, '0');
}
