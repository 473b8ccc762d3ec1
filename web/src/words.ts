// Every sentence a person can read is in web/strings.json. Its sections that only the templ components read do not travel
// with the script.
import {
  alone,
  back,
  banner,
  base,
  battery,
  brand,
  control,
  delay,
  drive,
  goto,
  handover,
  hud,
  linkBadge,
  live,
  log,
  map,
  mode,
  modeShort,
  parts,
  people,
  share,
  stop,
  stopper,
  theme,
  viewer,
  workshop,
} from '../strings.json';

export const words = {
  alone,
  back,
  banner,
  base,
  battery,
  brand,
  control,
  delay,
  drive,
  goto,
  handover,
  hud,
  linkBadge,
  live,
  log,
  map,
  mode,
  modeShort,
  parts,
  people,
  share,
  stop,
  stopper,
  theme,
  viewer,
  workshop,
};

// say fills the {names} of a sentence.
export function say(sentence: string, values: Record<string, string | number>): string {
  return sentence.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}
