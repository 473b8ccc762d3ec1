// What this browser remembers of how the picture is shown. A browser may refuse to: then it holds for this page.

export function readSetting(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function saveSetting(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // no storage here
  }
}
