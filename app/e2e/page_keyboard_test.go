package e2e_test

import "testing"

func focused(selector string) string { return "document.activeElement.matches(`" + selector + "`)" }

// Space always stops the robot, so Enter switches the boxes.
func TestEnterSwitchesTheLayersOfTheMap(t *testing.T) {
	t.Parallel()
	v := visit(t, chromium(t), open(t).addr)
	v.inFront()
	v.focus(`[data-map=layers]`)
	v.stroke(keyEnter)
	v.until("the layers", `!document.querySelector('#layers').hidden`)
	const box = `#layers [data-layer]`
	v.focus(box)
	v.stroke(keyEnter)
	v.until("the layer to be off", `!document.querySelector('`+box+`').checked`)
	v.stroke(keyEnter)
	v.until("the layer to be on", `document.querySelector('`+box+`').checked`)
	v.stroke(keyEsc)
	v.until("the focus on what opened the layers", focused(`[data-map=layers]`)+` && document.querySelector('#layers').hidden`)
	if stops := value[int](v, `__seen.sent.filter((m) => m.type === 'stop').length`); stops != 0 {
		t.Errorf("the page sent %d stops", stops)
	}
}
