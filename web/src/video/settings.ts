// Settings of the picture, stored in this browser. Without storage they are lost with the page.

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
