// Numbers and times as people read them.

// firstLetters returns at most n letters of a text. One of two UTF-16 units, such as an emoji, stays whole.
export function firstLetters(text: string, n: number): string {
  return [...text].slice(0, n).join('');
}

// clockTime returns the local time of an ISO time as 14:32:07; an en dash if it is invalid.
export function clockTime(iso: string): string {
  return timeOf(iso, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
}

// shortTime returns the local time as 14:32.
export function shortTime(iso: string): string {
  return timeOf(iso, { hour: '2-digit', minute: '2-digit' });
}

function timeOf(iso: string, parts: Intl.DateTimeFormatOptions): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? '–' : date.toLocaleTimeString('en-GB', { ...parts, hour12: false });
}

// isoZone returns the time with its zone, for a tooltip.
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
