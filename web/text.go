package web

import (
	_ "embed"
	"encoding/json"
	"strings"
)

//go:embed strings.json
var stringsJSON []byte

//go:embed sprite.svg
var spriteSVG string

// texts is strings.json by section and key. It is only written here.
var texts = func() map[string]map[string]any {
	var t map[string]map[string]any
	if err := json.Unmarshal(stringsJSON, &t); err != nil {
		panic("web: strings.json: " + err.Error()) // it is part of the binary
	}
	return t
}()

// Text returns a sentence of strings.json: Text("stop", "button") is "STOP". Pairs of names and
// values fill the {names} in it. An unknown key is a fault of the program and panics; the tests
// render every component.
func Text(section, key string, pairs ...string) string {
	s, ok := texts[section][key].(string)
	if !ok {
		panic("web: strings.json has no text " + section + "." + key)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		s = strings.ReplaceAll(s, "{"+pairs[i]+"}", pairs[i+1])
	}
	return s
}
