package robot

import "testing"

func TestASlugHasLettersDigitsAndOneSeparator(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"Night round", "night-round"},
		{"  Paper -- to Jin! ", "paper-to-jin"},
		{"Büro 2", "b-ro-2"},
		{"충전", ""},
		{"", ""},
		{"abcdefghijklmnop", "abcdefghijkl"},
		{"abcdefghijk lmnop", "abcdefghijk"},
	} {
		if got := Slug(c.name, '-', 12); got != c.want {
			t.Errorf("%q: %q, want %q", c.name, got, c.want)
		}
	}
	if got := Slug("Night round", '_', 60); got != "night_round" {
		t.Errorf("with another separator: %q", got)
	}
}

func TestATextOfWhichNothingIsSeenIsBlank(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, " \t\n": true, "\u00a0": true, "\u200b": true, " \u2800\u200d ": true, "\u3164": true,
		"a": false, " \u200b\u00e9": false, "\u2764\ufe0f": false, "\ucda9\uc804": false, "-": false,
	} {
		if got := Blank(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestLegibleTextHasNoHiddenCharacters(t *testing.T) {
	for _, c := range []struct {
		text, controls string
		want           bool
	}{
		{"Café, 충전", "", true},
		{"two\nlines", "", false},
		{"two\nlines", "\n", true},
		{"a\ttab", "\n", false},
		{"\u202eback", "\n\t", false},
		{"\x1b[2J", "\n", false},
		{"\xff", "", false},
	} {
		if got := Legible(c.text, c.controls); got != c.want {
			t.Errorf("%q with %q: %v", c.text, c.controls, got)
		}
	}
}
