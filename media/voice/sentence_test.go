package voice

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestATextIsTakenApartWhereASpeakerBreathes(t *testing.T) {
	long := strings.Repeat("one two three, ", 20) + "end." // 304 letters
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", " \t\n ", nil},
		{"one sentence", "Hello!", []string{"Hello!"}},
		{"without a mark", "Here is a message", []string{"Here is a message"}},
		{"two", "Hello! I am Mybot.", []string{"Hello!", "I am Mybot."}},
		{"a question and white space", "May I  pass?\tThank you.", []string{"May I pass?", "Thank you."}},
		{"lines", "One\nTwo\r\n\r\nThree\u2028Four", []string{"One", "Two", "Three", "Four"}},
		{"a title", "Mr. Kim asked Dr. Park. He said no.", []string{"Mr. Kim asked Dr. Park.", "He said no."}},
		{"no and a number", "It is No. 7. Is it? No. It is 8.", []string{"It is No. 7.", "Is it?", "No.", "It is 8."}},
		{"initials", "Here is J. S. Bach. Listen.", []string{"Here is J. S. Bach.", "Listen."}},
		{"I at the end", "It is I. You know me.", []string{"It is I.", "You know me."}},
		{"a number with a point", "Wait 2.5 seconds. Go.", []string{"Wait 2.5 seconds.", "Go."}},
		{"a small letter goes on", "Take it, e.g. the red one, etc. and go.", []string{"Take it, e.g. the red one, etc. and go."}},
		{"quotes", `He says "Stop." Then he goes. (Really.) Yes.`, []string{`He says "Stop."`, "Then he goes.", "(Really.)", "Yes."}},
		{"dots", "Well... Go on… Now", []string{"Well...", "Go on…", "Now"}},
		{"many marks", "What?! No!!! Yes", []string{"What?!", "No!!!", "Yes"}},
		{"Korean", "안녕하세요. 저는 마이봇입니다.", []string{"안녕하세요.", "저는 마이봇입니다."}},
		{"too long", long, []string{strings.TrimSpace(long[:195]), strings.TrimSpace(long[195:])}},
		{"too long without marks", strings.Repeat("abc ", 60), []string{strings.TrimSpace(strings.Repeat("abc ", 50)), strings.TrimSpace(strings.Repeat("abc ", 10))}},
		{"one long word", strings.Repeat("가", 250), []string{strings.Repeat("가", 200), strings.Repeat("가", 50)}},
		{"control letters and bad bytes", "a\x00b\xffc\x1b", []string{"a bc"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := splitSentences(c.text); !slices.Equal(got, c.want) {
				t.Errorf("Split(%q) = %q, want %q", c.text, got, c.want)
			}
		})
	}
}

// whole checks the invariants of every text that is split.
func whole(t interface{ Errorf(string, ...any) }, text string) {
	parts := splitSentences(text)
	for _, p := range parts {
		if n := utf8.RuneCountInString(p); n == 0 || n > maxSentence || p != strings.TrimSpace(p) || !utf8.ValidString(p) {
			t.Errorf("%q is a part of %d letters", p, n)
		}
		if d := estimateDuration(p, 1); d <= 0 || d > maxSentence*estimateDuration("漢漢", 1) {
			t.Errorf("%q would take %v", p, d)
		}
	}
	bare := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || unicode.IsControl(r) {
				return -1
			}
			return r
		}, s)
	}
	if got, want := bare(strings.Join(parts, " ")), bare(strings.ToValidUTF8(text, "")); got != want {
		t.Errorf("of %q the parts are %q", want, got)
	}
	if again := splitSentences(strings.Join(parts, "\n")); !slices.Equal(again, parts) {
		t.Errorf("the parts %q are taken apart again: %q", parts, again)
	}
}

func TestNothingIsLostWhenATextIsTakenApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.SampledFrom([]string{"Hello", "no", "No.", "Dr.", "7", "I.", "J.", "why?", "Go!", "\n", "(a.)", "...", "…", "，", "한글.", strings.Repeat("x", 90), strings.Repeat("漢", 210)}))
		whole(t, strings.Join(words.Draw(t, "words"), rapid.SampledFrom([]string{" ", "", "\t"}).Draw(t, "between")))
	})
}

func FuzzSplit(f *testing.F) {
	f.Add("Hello! I am Mybot. Mr. Kim asked me, e.g. to go.")
	f.Add(strings.Repeat("a, ", 200) + "\x00\xff\n.")
	f.Fuzz(func(t *testing.T, text string) { whole(t, text) })
}
