package protocol

import (
	"encoding/json"
	"fmt"
	"math"

	"mybot/script"
	"mybot/strictjson"
)

// maxWatched is how many values a page may watch: 20 that a person has chosen, and those
// under the pointer and at the caret of the editor.
const maxWatched = 24

// Watch says which values of the scripts a page watches, in place of those before.
type Watch struct {
	ID     uint64
	Values []*script.Watched
}

func (Watch) header() string { return `"type":"watch"` }

// MarshalJSON writes the request.
func (w Watch) MarshalJSON() ([]byte, error) {
	texts := make([]string, len(w.Values))
	for i, one := range w.Values {
		texts[i] = one.Text()
	}
	return json.Marshal(struct {
		ID     uint64   `json:"id"`
		Values []string `json:"values"`
	}{w.ID, texts})
}

// readWatch reads a watch request.
func (r *reader) readWatch() Watch {
	w := Watch{ID: r.readID(true)}
	should := fmt.Sprintf(`a list of at most %d values in quotes, such as ["battery.val"]`, maxWatched)
	value := r.requireField("values", should)
	if value == nil {
		return w
	}
	texts, ok := strictjson.OpenList(value)
	if !ok {
		r.rejectField("values", "is "+Clip(string(value)), should)
		return w
	}
	for r.fault == "" {
		quoted, ok := texts.Next()
		if !ok {
			break
		}
		text, isText := strictjson.Unquote(quoted)
		if !isText || len(w.Values) == maxWatched {
			r.rejectField("values", "is "+Clip(string(value)), should)
			break
		}
		one, f := script.ParseWatched(text)
		if f != nil {
			r.fault = fmt.Sprintf("%s, column %d: %s.", Clip(text), f.Pos.Column, f.Text)
			break
		}
		w.Values = append(w.Values, one)
	}
	return w
}

// A ValuesEvent brings a page the values that it watches, in the order of its list. Unlike
// other events it may be left out when the page is slow: only the newest counts.
type ValuesEvent struct {
	T      Seconds        `json:"t"`
	Values []WatchedValue `json:"values"`
}

// A WatchedValue is one of them.
type WatchedValue struct {
	Of     string  `json:"of"`               // as it was written
	Number *Number `json:"number,omitempty"` // nil = it is no finite number
	Text   string  `json:"text"`             // as in a line of output, cut to 200 bytes
	Unit   string  `json:"unit,omitempty"`
	Fault  string  `json:"fault,omitempty"` // why there is no value
}

// WatchedValueOf returns the wire form of a value.
func WatchedValueOf(of string, l script.Look) WatchedValue {
	v := WatchedValue{Of: of, Text: l.Text, Unit: l.Unit, Fault: l.Fault}
	if l.IsNumber && !math.IsInf(l.Number, 0) {
		n := Number(l.Number)
		v.Number = &n
	}
	return v
}

func (ValuesEvent) header() string { return `"type":"event","kind":"values"` }
