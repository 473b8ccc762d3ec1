package script

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// lexWords returns the tokens of a text as words, or its fault.
func lexWords(text string) string {
	l := lexer{text: text, pos: Pos{1, 1}}
	tokens, f := l.tokens()
	if f != nil {
		return f.Error()
	}
	var words []string
	for _, t := range tokens[:len(tokens)-1] {
		switch t.kind {
		case numberToken:
			words = append(words, fmt.Sprintf("%g", t.number))
		case textToken:
			words = append(words, fmt.Sprintf("%q", t.text))
		default:
			words = append(words, t.text)
		}
	}
	return strings.Join(words, " ")
}

func TestATextIsCutIntoTokens(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a setting", "headPan.val=80 time:4500", "headPan . val = 80 time : 4500"},
		{"units of time are in milliseconds", "5ms 2s 1.5min 1h", "5 2000 90000 3.6e+06"},
		{"units of length are in metres, those of angles in degrees", "3m 50cm 90deg", "3 0.5 90"},
		{"an exponent", "1e3 2.5e-1", "1000 0.25"},
		{"comments are left out", "a # one\n// two\n/* three\n */ b", "a b"},
		{"the normalised value", "x'n = 1", "x 'n = 1"},
		{"a text with escapes", `"a\"b\\\n"`, `"a\"b\\\n"`},
		{"operators of two characters", "a<=b~=c->d++", "a <= b ~= c -> d ++"},
		{"an unknown unit", "5 kg; 5kg", "line 1, column 7: 5kg has an unknown unit; the units are ms s min h deg rad m cm"},
		{"a text without end", "x;\n \"abc", "line 2, column 2: this text is not closed; it ends with \""},
		{"a comment without end", "/* abc", "line 1, column 1: this comment is not closed; it ends with */"},
		{"a strange character", "é = 1", "line 1, column 1: 'é' is not part of the language; text is written in quotes \"..\""},
		{"a column counts characters", "\"é\" $", "line 1, column 5: '$' is not part of the language; text is written in quotes \"..\""},
		{"a number beyond all bounds", "1e999", "line 1, column 1: 1e999 is too large for a number"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := lexWords(c.text); got != c.want {
				t.Errorf("%q is %s; want %s", c.text, got, c.want)
			}
		})
	}
	if got := lexWords(`"` + strings.Repeat("x", MaxText+1) + `"`); !strings.Contains(got, "a text has at most 4096") {
		t.Errorf("a long text: %s", got)
	}
}

func TestTheNearestKnownNameIsSuggested(t *testing.T) {
	known := []string{"headPan", "headTilt", "A", "speaker", "abs"}
	for name, want := range map[string]string{
		"headPam": " Did you mean headPan?", "headpan": " Did you mean headPan?", "haedTilt": " Did you mean headTilt?",
		"speeker": " Did you mean speaker?", "camera": "", "y": "", "a": " Did you mean A?",
	} {
		if got := suggestName(name, known); got != want {
			t.Errorf("suggestName(%q) = %q; want %q", name, got, want)
		}
		slices.Reverse(known)
	}
}
