package voice

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"mybot/jobs"
	"mybot/robot"
)

// The limits of a Voice.
const (
	minSpeed = 0.5 // times the usual speed
	maxSpeed = 2.0

	program   = "espeak-ng"
	usual     = "en" // the default voice
	wordsAMin = 175  // espeak-ng's usual speed
	within    = 5 * time.Second
	atOnce    = 2
	maxKept   = 16 << 20 // bytes of sound
	maxOutput = 8 << 20  // bytes that one sentence may become
)

// errSilent says that the robot has no voice of its own.
var errSilent = errors.New("voice: espeak-ng is not installed on the robot's computer")

// A Voice synthesizes sentences.
type Voice struct {
	once    sync.Once // for findProgram
	program string    // "" = none
	voices  []string
	known   map[string]bool // allowed names, with those of variants after a plus
	turns   chan struct{}   // holds a token for each running program
	log     *slog.Logger

	mu     sync.Mutex
	cached map[sentence]*list.Element
	order  list.List // of *sound, the most recently used one in front
	bytes  int       // of all sounds
}

// A sentence is what a sound is synthesized from.
type sentence struct {
	text, voice string
	speed       int // words a minute
}

type sound struct {
	sentence
	wav []byte
}

// New returns the voice of this computer. It looks for espeak-ng at the first use,
// and logs the result.
func New(log *slog.Logger) *Voice {
	return &Voice{turns: make(chan struct{}, atOnce), log: log, cached: map[sentence]*list.Element{}, known: map[string]bool{}}
}

// NewSilent returns a voice that synthesizes nothing, whatever is installed: every
// duration is an estimate, the same on every computer.
func NewSilent() *Voice {
	v := New(slog.New(slog.DiscardHandler))
	v.once.Do(func() {})
	return v
}

// findProgram looks for espeak-ng on this computer, and for its voices.
func (v *Voice) findProgram() {
	found, err := exec.LookPath(program)
	if err != nil {
		v.log.Info("the robot has no voice of its own; its screen speaks", "missing", program)
		return
	}
	v.program = found
	if err := v.listVoices(); err != nil {
		v.log.Warn("the robot has no voice of its own; its screen speaks", "program", found, "error", err)
		v.program = ""
		return
	}
	v.log.Info("the robot has a voice", "program", found, "voices", len(v.voices))
}

// IsAloud reports whether the robot has a voice of its own.
func (v *Voice) IsAloud() bool {
	v.once.Do(v.findProgram)
	return v.program != ""
}

// Voices returns the names of the available languages, sorted. The name of a
// variant may follow after a plus: "en+f3".
func (v *Voice) Voices() []string {
	v.once.Do(v.findProgram)
	return slices.Clone(v.voices)
}

// PrepareSpeech synthesizes a text and returns the duration of each of its
// sentences: measured if the robot has a voice, estimated otherwise. The voice ""
// is the default; speed 1 or 0 is the usual one. The error is a robot.Refusal if
// the voice or the speed is wrong, or that of ctx; after any other failure the text
// is not said aloud.
func (v *Voice) PrepareSpeech(ctx context.Context, text, voice string, speed float64) (jobs.PreparedSpeech, error) {
	s := jobs.PreparedSpeech{Aloud: v.IsAloud()}
	if speed == 0 {
		speed = 1
	}
	if _, err := v.checkRequest("", voice, speed); err != nil {
		return s, err
	}
	if !s.Aloud {
		s.Reason = "The robot's computer has no " + program + ", so its screen speaks."
	}
	for _, part := range splitSentences(text) {
		one := jobs.Sentence{Text: part, Duration: estimateDuration(part, speed)}
		if s.Aloud {
			wav, err := v.WAV(ctx, part, voice, speed)
			switch {
			case err == nil:
				one.Duration = durationOf(wav)
			case ctx.Err() != nil:
				return s, fmt.Errorf("voice: %w", ctx.Err())
			default:
				v.log.Warn("a sentence cannot be made", "error", err)
				s.Aloud, s.Reason = false, "The robot's own voice failed, so its screen speaks."
			}
		}
		s.Sentences = append(s.Sentences, one)
	}
	return s, nil
}

// PrepareForBase prepares a text for the base's own speaker, which speaks at its usual
// speed and with the voice that it has for the language: the durations are estimates.
func PrepareForBase(ctx context.Context, text, voice string, _ float64) (jobs.PreparedSpeech, error) {
	s, err := NewSilent().PrepareSpeech(ctx, text, voice, 1)
	s.ByBase, s.Reason = true, ""
	return s, err
}

// WAV returns the sound of one sentence, at most maxSentence letters long, as a WAV
// file: Rate, 16 bit, mono. It is read-only. The error is a robot.Refusal if the
// request is wrong, and errSilent without a voice.
func (v *Voice) WAV(ctx context.Context, text, voice string, speed float64) ([]byte, error) {
	if isSound(voice) {
		if wav := v.findSound(soundOf(voice)); wav != nil {
			return wav, nil
		}
		return nil, errDropped()
	}
	if speed == 0 {
		speed = 1
	}
	s, err := v.checkRequest(text, voice, speed)
	if err != nil {
		return nil, err
	}
	if !v.IsAloud() {
		return nil, errSilent
	}
	if wav := v.findSound(s); wav != nil {
		return wav, nil
	}
	select {
	case v.turns <- struct{}{}:
		defer func() { <-v.turns }()
	case <-ctx.Done():
		return nil, fmt.Errorf("voice: %w", ctx.Err())
	}
	if wav := v.findSound(s); wav != nil { // another call has synthesized it in the meantime
		return wav, nil
	}
	stream, err := v.runProgram(ctx, s.text, "-v", s.voice, "-s", strconv.Itoa(s.speed), "-b", "1", "--stdin", "--stdout")
	if err != nil {
		return nil, err
	}
	wav, err := completeWAV(stream)
	if err != nil {
		return nil, fmt.Errorf("voice: what %s gave for %q: %w", program, s.text, err)
	}
	v.keepSound(s, wav)
	return wav, nil
}

// checkRequest checks a request. The name of a voice becomes an argument of a
// program, so it must be one that the program itself has listed.
func (v *Voice) checkRequest(text, voice string, speed float64) (sentence, error) {
	if voice == "" {
		voice = usual
	}
	if n := len([]rune(text)); n > maxSentence {
		return sentence{}, refuseText("A sentence of %d letters is too long; %d is the most.", n, maxSentence)
	}
	if !(speed >= minSpeed && speed <= maxSpeed) {
		return sentence{}, refuseText("The speed %g is wrong; it should be from %g to %g times the usual one.", speed, minSpeed, maxSpeed)
	}
	if v.IsAloud() {
		language, variant, plus := strings.Cut(voice, "+")
		if !v.known[language] || plus && !v.known["+"+variant] {
			return sentence{}, refuseText("There is no voice %q; %q is the usual one, and GET /api/v1/voices tells all of them.", clipText(voice), usual)
		}
	}
	return sentence{plainText(text), voice, int(math.Round(wordsAMin * speed))}, nil
}

// plainText removes what the program would interpret: control characters, and
// double square brackets, which begin phonemes.
func plainText(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	return strings.ReplaceAll(text, "[", " [ ")
}

// refuseText returns a refusal that says what is wrong with the request.
func refuseText(format string, a ...any) error {
	return robot.Refusal{Word: robot.Error, Reason: fmt.Sprintf(format, a...)}
}

// clipText shortens untrusted text before an answer quotes it.
func clipText(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "..."
	}
	return s
}

// listVoices asks the program for its voices.
func (v *Voice) listVoices() error {
	for _, list := range []struct{ argument, prefix string }{{"--voices", ""}, {"--voices=variant", "+"}} {
		out, err := v.runProgram(context.Background(), "", list.argument)
		if err != nil {
			return err
		}
		for name := range parseVoices(string(out), list.prefix != "") {
			if v.known[list.prefix+name] = true; list.prefix == "" {
				v.voices = append(v.voices, name)
			}
		}
	}
	if !v.known[usual] {
		return fmt.Errorf("voice: %s has no voice %q", program, usual)
	}
	slices.Sort(v.voices)
	return nil
}

// parseVoices parses a list of voices in the format of espeak-ng: for a language
// its code and its other names, for a variant the end of its file's name.
func parseVoices(list string, variants bool) map[string]bool {
	found := map[string]bool{}
	add := func(name string) {
		if isProperName(name) {
			found[name] = true
		}
	}
	for line := range strings.Lines(list) {
		fields := strings.Fields(line)
		if len(fields) < 5 || fields[0] == "Pty" {
			continue
		}
		if variants {
			_, name, _ := strings.Cut(fields[4], "/")
			add(name)
			continue
		}
		add(fields[1])
		for _, also := range strings.FieldsFunc(strings.Join(fields[5:], " "), func(r rune) bool { return r == '(' || r == ')' }) {
			name, _, _ := strings.Cut(also, " ") // a priority follows
			add(name)
		}
	}
	return found
}

// isProperName reports whether a name can be an argument.
func isProperName(name string) bool {
	return name != "" && name[0] != '-' && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// runProgram runs the program and returns its output.
func (v *Voice) runProgram(ctx context.Context, input string, arguments ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	cmd := exec.CommandContext(ctx, v.program, arguments...)
	cmd.WaitDelay = time.Second
	cmd.Stdin = strings.NewReader(input)
	out, fault := boundedBuffer{max: maxOutput}, boundedBuffer{max: 1 << 10}
	cmd.Stdout, cmd.Stderr = &out, &fault
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("voice: %s %s: %w: %s", program, strings.Join(arguments, " "), err, strings.TrimSpace(string(fault.bytes)))
	}
	return out.bytes, nil
}

// A boundedBuffer takes no more than max bytes.
type boundedBuffer struct {
	max   int
	bytes []byte
}

// Write takes all of the bytes, or none.
func (b *boundedBuffer) Write(p []byte) (int, error) {
	if len(b.bytes)+len(p) > b.max {
		return 0, fmt.Errorf("it writes more than %d bytes", b.max)
	}
	b.bytes = append(b.bytes, p...)
	return len(p), nil
}

// findSound returns the cached sound; nil = none.
func (v *Voice) findSound(s sentence) []byte {
	v.mu.Lock()
	defer v.mu.Unlock()
	e, ok := v.cached[s]
	if !ok {
		return nil
	}
	v.order.MoveToFront(e)
	return e.Value.(*sound).wav
}

// keepSound caches a sound, and drops the least recently used ones.
func (v *Voice) keepSound(s sentence, wav []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if e, ok := v.cached[s]; ok {
		v.order.MoveToFront(e)
		return
	}
	v.cached[s] = v.order.PushFront(&sound{s, wav})
	for v.bytes += len(wav); v.bytes > maxKept && v.order.Len() > 1; {
		oldest := v.order.Remove(v.order.Back()).(*sound)
		delete(v.cached, oldest.sentence)
		v.bytes -= len(oldest.wav)
	}
}
