// All texts for people are in web/strings.json. The script does not include sections that only the templ
// components use.
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

// say fills the {names} in a sentence.
export function say(sentence: string, values: Record<string, string | number>): string {
  return sentence.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}
