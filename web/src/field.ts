// typesIn reports whether a key pressed there types into a field. Sliders, boxes and buttons take no text. The script
// editor is in a shadow root, so its keys seem to come from the element that contains it.
export function typesIn(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.matches(
      'textarea,.editor,input:not([type=button],[type=checkbox],[type=color],[type=file],[type=image],[type=radio],[type=range],[type=reset],[type=submit])',
    )
  );
}
