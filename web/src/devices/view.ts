// Who goes with a device whose access ends, from the list of devices alone.

// Device is one that is paired, as an admin sees it.
export interface Device {
  id: string;
  name: string;
  role: string;
  maker: string; // id of whose link it came by; empty: none's
}

// broodOf are the devices that came by links of this one, and by theirs.
export function broodOf(all: readonly Device[], id: string): Device[] {
  const found = [id];
  for (let i = 0; i < found.length; i++)
    for (const d of all) if (d.maker === found[i] && !found.includes(d.id)) found.push(d.id);
  return all.filter((d) => d.id !== id && found.includes(d.id));
}
