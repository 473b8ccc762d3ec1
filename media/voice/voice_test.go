package voice

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mybot/jobs"
	"mybot/robot"
)

var quiet = slog.New(slog.DiscardHandler)

// real returns the voice of the installed espeak-ng.
func real(t *testing.T) *Voice {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skip(program + " is not on the PATH")
	}
	v := New(quiet)
	if !v.IsAloud() {
		t.Fatal(program + " is there, but it is not used")
	}
	return v
}

// acted replaces espeak-ng by a shell script, which gets espeak-ng's arguments.
func acted(t *testing.T, script string) (v *Voice, dir string) {
	t.Helper()
	dir = t.TempDir()
	file := filepath.Join(dir, program)
	lists := "#!/bin/sh\ncase $1 in --voices) echo 'Pty Language Age/Gender VoiceName File Other'; echo ' 2 en-gb --/M English gmw/en (en 2)'; exit;; --voices=*) exit;; esac\n"
	if err := os.WriteFile(file, []byte(lists+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	return New(quiet), dir
}

// spoken are sentences that a robot says. They were not used when the constants of
// the estimate were chosen.
var spoken = []string{
	"Hello!", "Hello, I am Mybot.", "Here is a message", "I am on my way to the copy room.", "Room 304 is on the left side of the corridor.",
	"Hello, everybody!", "I have a message for you.", "Take the paper out of the tray, then touch the OK button.", "I go back to my desk.",
	"Could you open the door?", "It is half past three.", "I wait for thirty seconds.", "The elevator is out of order today.",
	"Welcome to the third floor of the electrical engineering building.", "Nobody answered, so I left the letter on the table.",
}

func TestASentenceIsSaidAndItsLengthIsThatOfItsSound(t *testing.T) {
	v := real(t)
	for _, text := range spoken {
		wav, err := v.WAV(t.Context(), text, "en", 1)
		if err != nil {
			t.Fatal(err)
		}
		le := binary.LittleEndian
		if n := len(wav); le.Uint32(wav[4:]) != uint32(n-8) || le.Uint32(wav[40:]) != uint32(n-headerBytes) || le.Uint32(wav[24:]) != Rate {
			t.Errorf("%q: the header of %d bytes is % x", text, n, wav[:headerBytes])
		}
		if n := len(Samples(wav)); n != (len(wav)-headerBytes)/2 || n < Rate/4 {
			t.Errorf("%q: %d samples in %d bytes", text, n, len(wav))
		}
		said, err := v.PrepareSpeech(t.Context(), text, "", 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(said.Sentences) != 1 || !said.Aloud || said.Reason != "" || said.Sentences[0].Duration != durationOf(wav) {
			t.Errorf("%q is spoken as %+v; its sound lasts %v", text, said, durationOf(wav))
		}
		guess := estimateDuration(text, 1)
		if off := guess.Seconds()/durationOf(wav).Seconds() - 1; off < -0.15 || off > 0.15 {
			t.Errorf("%q: the estimate %v is %.0f %% off %v", text, guess, 100*off, durationOf(wav))
		}
	}
}

func TestATextIsSaidSentenceBySentenceInEveryVoice(t *testing.T) {
	v := real(t)
	for _, c := range []struct {
		voice string
		speed float64
		text  string
	}{{"en", 1, "Hello! I am Mybot."}, {"en-us", 0.5, "Hello! I am Mybot."}, {"en+f3", 2, "Hello! I am Mybot."}, {"ko", 1, "안녕하세요. 저는 마이봇입니다."}, {"de", 1, "Guten Tag! Ich bin da."}} {
		said, err := v.PrepareSpeech(t.Context(), c.text, c.voice, c.speed)
		if err != nil {
			t.Fatal(err)
		}
		if len(said.Sentences) != 2 || !said.Aloud {
			t.Errorf("%s: spoken as %+v", c.voice, said)
		}
		for _, s := range said.Sentences {
			if s.Duration < 100*time.Millisecond || s.Duration > 10*time.Second {
				t.Errorf("%s: %q takes %v", c.voice, s.Text, s.Duration)
			}
		}
	}
	slow, _ := v.PrepareSpeech(t.Context(), "Hello there, how are you?", "en", 0.5)
	fast, _ := v.PrepareSpeech(t.Context(), "Hello there, how are you?", "en", 2)
	if a, b := slow.Sentences[0].Duration, fast.Sentences[0].Duration; a < 3*b || a > 10*b {
		t.Errorf("slowly it takes %v, fast %v", a, b)
	}
	if names := v.Voices(); !slices.IsSorted(names) || !slices.Contains(names, "en") || !slices.Contains(names, "ko") || slices.Contains(names, "f3") {
		t.Errorf("the voices are %q", names)
	}
}

func TestPhonemesAndOptionsInATextAreText(t *testing.T) {
	v := real(t)
	plain, err := v.WAV(t.Context(), "--help", "en", 1)
	if err != nil {
		t.Fatal(err)
	}
	hello, err := v.WAV(t.Context(), "hello", "en", 1)
	if err != nil {
		t.Fatal(err)
	}
	if durationOf(plain) < 200*time.Millisecond {
		t.Errorf("an option lasts %v", durationOf(plain))
	}
	for _, text := range []string{"[[h@l'oU]]", "[[[h@l'oU]]]", "\x01[\x01[h@l'oU]]"} {
		phonemes, err := v.WAV(t.Context(), text, "en", 1)
		if err != nil {
			t.Fatal(err)
		}
		if durationOf(phonemes) < 2*durationOf(hello) {
			t.Errorf("the phonemes %q last %v beside %v", text, durationOf(phonemes), durationOf(hello))
		}
	}
	for _, order := range []string{"\x0180P", "\x01400S"} { // in espeak-ng's text: a pitch, a speed
		a, err := v.WAV(t.Context(), "hello "+order+"hello hello", "en", 1)
		if err != nil {
			t.Fatal(err)
		}
		b, err := v.WAV(t.Context(), "hello "+order[1:]+"hello hello", "en", 1)
		if err != nil {
			t.Fatal(err)
		}
		if durationOf(a) < durationOf(b)*9/10 {
			t.Errorf("%q is obeyed: it lasts %v, as text %v", order, durationOf(a), durationOf(b))
		}
	}
}

func TestAVoiceOrASpeedThatIsNotThereIsRefused(t *testing.T) {
	v, dir := acted(t, `touch "$0.ran"`)
	for _, c := range []struct {
		voice string
		speed float64
		says  string
	}{
		{"xx", 1, `no voice "xx"`},
		{"-w", 1, `no voice "-w"`},
		{"en+nobody", 1, "no voice"},
		{"en+", 1, "no voice"},
		{"../en", 1, "no voice"},
		{strings.Repeat("é", 500), 1, "..."},
		{"en", 0.4, "from 0.5 to 2"},
		{"en", 2.1, "from 0.5 to 2"},
		{"en", nan(), "from 0.5 to 2"},
	} {
		_, err := v.PrepareSpeech(t.Context(), "Hello!", c.voice, c.speed)
		if refusal := (robot.Refusal{}); !errors.As(err, &refusal) || !strings.Contains(err.Error(), c.says) || len(err.Error()) > 200 {
			t.Errorf("%q at %g: %v, want %q", c.voice, c.speed, err, c.says)
		}
	}
	if _, err := v.WAV(t.Context(), strings.Repeat("a", maxSentence+1), "en", 1); err == nil || !strings.Contains(err.Error(), "201 letters") {
		t.Errorf("a sentence that is too long: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, program+".ran")); err == nil {
		t.Error("the program ran all the same")
	}
}

func nan() float64 { zero := 0.0; return zero / zero }

func TestWithoutAProgramTheLengthsAreEstimates(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	v := New(quiet)
	if v.IsAloud() || len(v.Voices()) != 0 {
		t.Fatal("there is a voice without a program")
	}
	said, err := v.PrepareSpeech(t.Context(), "Hello! I am Mybot.", "klingon", 2)
	if err != nil {
		t.Fatal(err)
	}
	want := []jobs.Sentence{{Text: "Hello!", Duration: estimateDuration("Hello!", 2)}, {Text: "I am Mybot.", Duration: estimateDuration("I am Mybot.", 2)}}
	if said.Aloud || !strings.Contains(said.Reason, program) || !slices.Equal(said.Sentences, want) {
		t.Errorf("spoken as %+v", said)
	}
	if _, err := v.WAV(t.Context(), "Hello!", "en", 1); !errors.Is(err, errSilent) {
		t.Errorf("its sound: %v", err)
	}
}

func TestNoVoiceLooksForNoProgram(t *testing.T) {
	acted(t, "exit 0")
	v := NewSilent()
	said, err := v.PrepareSpeech(t.Context(), "Hello!", "", 1)
	if err != nil || said.Aloud || len(said.Sentences) != 1 || said.Sentences[0].Duration <= 0 || len(v.Voices()) != 0 {
		t.Errorf("a voice of its own, beside an installed program: %+v, voices %v, %v", said, v.Voices(), err)
	}
}

func TestAProgramThatFailsLeavesTheWordToTheScreen(t *testing.T) {
	for name, script := range map[string]string{
		"it fails":            "echo broken >&2; exit 3",
		"it writes no WAV":    "echo hello",
		"its header only":     `printf 'RIFF\044\000\000\000WAVE'`,
		"another rate":        `printf 'RIFF\044\000\000\000WAVEfmt \020\000\000\000\001\000\001\000\200\076\000\000\000\175\000\000\002\000\020\000data\000\000\000\000'`,
		"it writes for ever ": "exec cat /dev/zero",
	} {
		t.Run(name, func(t *testing.T) {
			v, _ := acted(t, script)
			said, err := v.PrepareSpeech(t.Context(), "Hello! I am Mybot.", "en", 1)
			if err != nil {
				t.Fatal(err)
			}
			if said.Aloud || !strings.Contains(said.Reason, "failed") || len(said.Sentences) != 2 || said.Sentences[0].Duration != estimateDuration("Hello!", 1) {
				t.Errorf("spoken as %+v", said)
			}
		})
	}
	t.Run("its list of voices is empty", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, program), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir)
		if New(quiet).IsAloud() {
			t.Error("there is a voice")
		}
	})
}

// sounding is a script that logs each run and outputs a short sound of its text's
// length.
const sounding = `
echo run >> "$0.runs"
printf 'RIFF\000\000\000\000WAVEfmt \020\000\000\000\001\000\001\000\042\126\000\000\104\254\000\000\002\000\020\000data\000\360\377\177'
cat
`

func TestASoundIsMadeOnceAndKeptWithinABound(t *testing.T) {
	v, dir := acted(t, sounding)
	runs := func() int {
		log, _ := os.ReadFile(filepath.Join(dir, program+".runs"))
		return bytes.Count(log, []byte("run"))
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			wav, err := v.WAV(t.Context(), "Hello!", "en", 1)
			if err != nil || !bytes.HasSuffix(wav, []byte("Hello!")) {
				t.Errorf("%q, %v", wav, err)
			}
		})
	}
	all.Wait()
	if n := runs(); n < 1 || n > atOnce {
		t.Errorf("8 at once made %d runs", n)
	}
	before := runs()
	for _, voice := range []string{"en", "en-gb"} {
		if _, err := v.PrepareSpeech(t.Context(), "Hello!", voice, 1); err != nil {
			t.Fatal(err)
		}
	}
	if n := runs() - before; n != 1 {
		t.Errorf("the same and another voice caused %d runs, want 1", n)
	}

	big := make([]byte, maxKept/4)
	for i := range 8 {
		v.keepSound(sentence{fmt.Sprint(i), "en", 175}, big)
		v.findSound(sentence{"0", "en", 175})
	}
	if v.bytes > maxKept || v.order.Len() != len(v.cached) || v.bytes < maxKept/2 {
		t.Errorf("%d bytes are cached in %d sounds, %d in order", v.bytes, len(v.cached), v.order.Len())
	}
	if v.findSound(sentence{"0", "en", 175}) == nil || v.findSound(sentence{"1", "en", 175}) != nil || v.findSound(sentence{"7", "en", 175}) == nil {
		t.Error("the cached ones are not the most recent ones")
	}
	v.keepSound(sentence{"4", "en", 175}, big) // made again, by two callers at once
	v.keepSound(sentence{"8", "en", 175}, big)
	if v.findSound(sentence{"4", "en", 175}) == nil {
		t.Error("a sound that was made again was dropped as the oldest")
	}
	v.keepSound(sentence{"huge", "en", 175}, make([]byte, 2*maxKept))
	if v.order.Len() != 1 || v.bytes != 2*maxKept {
		t.Errorf("beside one huge sound there are %d, %d bytes", v.order.Len(), v.bytes)
	}
}

func TestNoMoreThanTwoProgramsRunAndNoCallerWaitsLongerThanItWants(t *testing.T) {
	v, dir := acted(t, `touch "$0.on.$$"; exec sleep 60`)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for i := range 5 {
		all.Go(func() {
			if _, err := v.PrepareSpeech(ctx, fmt.Sprintf("Sentence %d.", i), "en", 1); !errors.Is(err, context.Canceled) {
				t.Errorf("it ended with %v", err)
			}
		})
	}
	on := func() int {
		found, _ := filepath.Glob(filepath.Join(dir, program+".on.*"))
		return len(found)
	}
	for late := time.Now().Add(10 * time.Second); on() < atOnce; {
		if time.Now().After(late) {
			t.Fatalf("%d programs run", on())
		}
	}
	if len(v.turns) != atOnce {
		t.Errorf("%d turns are taken", len(v.turns))
	}
	begin := time.Now()
	cancel()
	all.Wait()
	if n := on(); n != atOnce {
		t.Errorf("%d programs ran", n)
	}
	if took := time.Since(begin); took > 3*time.Second {
		t.Errorf("they ended after %v", took)
	}
}

// The base knows no speed, so its time is that of the usual one.
func TestTheDurationOfWhatTheBaseSaysIsEstimatedAtItsOwnSpeed(t *testing.T) {
	said, err := PrepareForBase(t.Context(), "Hello! I am here.", "en+f3", 2)
	want := []jobs.Sentence{{Text: "Hello!", Duration: estimateDuration("Hello!", 1)}, {Text: "I am here.", Duration: estimateDuration("I am here.", 1)}}
	if err != nil || said.Aloud || !said.ByBase || said.Reason != "" || !slices.Equal(said.Sentences, want) {
		t.Errorf("it is %+v, %v", said, err)
	}
}
