// Which devices depend on a device, from the list of devices alone.

// Device is a paired device, as an admin sees it.
export interface Device {
  id: string;
  name: string;
  role: string;
  maker: string; // id of the device whose link it came by; empty: none
}

// broodOf returns the devices that came by links of this one, and by theirs.
export function broodOf(all: readonly Device[], id: string): Device[] {
  const found = [id];
  for (let i = 0; i < found.length; i++)
    for (const d of all) if (d.maker === found[i] && !found.includes(d.id)) found.push(d.id);
  return all.filter((d) => d.id !== id && found.includes(d.id));
}
