// What this tab of the browser stores over a reload. A browser may refuse to: then it is forgotten with the page.

export function readTabItem(key: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

export function saveTabItem(key: string, value: unknown): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // no storage here
  }
}
