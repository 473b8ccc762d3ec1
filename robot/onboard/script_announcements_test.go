package onboard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/robot"
	"mybot/script"
)

// sentences are what a host answers to say.
func sentences(texts ...string) (all []robot.Speech) {
	for _, text := range texts {
		all = append(all, robot.Speech{Text: text, Duration: time.Second, Aloud: true})
	}
	return all
}

func TestScriptsSpeakOneAfterTheOther(t *testing.T) {
	p := scriptedPlant(t)
	p.say(t, "say(\"One. Two.\") | echo \"said\", say(\"Three.\"), speaker.val = \"Four.\",")
	var said []string
	for range 300 {
		for _, a := range p.core.ScriptAsks() {
			text, _ := a.Values[0].Text()
			p.order(t, robot.AnswerAsk{ID: a.ID, Speech: sentences(strings.SplitAfter(text, ". ")...)})
		}
		p.tick()
		if s := p.state.Speech; s != nil && (len(said) == 0 || said[len(said)-1] != s.Text) {
			said = append(said, s.Text)
		}
	}
	if got := strings.Join(said, "|"); got != "Four.|One. |Two.|Three." || p.lines() != "A \"said\"" || p.state.Speech != nil {
		t.Errorf("it says %q, and %v remains", got, p.state.Speech)
	}
}

// speak answers what scripts want to say, and returns the texts, one for each request.
func (p *plant) speak(t *testing.T) (texts []string) {
	t.Helper()
	for _, a := range p.core.ScriptAsks() {
		if a.Cancelled {
			continue
		}
		text, _ := a.Values[0].Text()
		texts = append(texts, a.Unit+" "+text)
		p.order(t, robot.AnswerAsk{ID: a.ID, Speech: sentences(text)})
	}
	return texts
}

func TestOfASpeakersTextsOnlyTheNewestWaits(t *testing.T) {
	p := scriptedPlant(t)
	p.order(t, robot.OpenUnit{Unit: "B"})
	give := func(unit, text string) {
		var r script.Reader
		p.order(t, robot.GiveCommands{Unit: unit, Commands: r.Read(text + "\n")})
	}
	give("A", "speaker.val = \"One.\";")
	p.speak(t)
	p.tick()
	// The host is asked for one text of each program at a time.
	for n := range 20 {
		give("A", fmt.Sprintf("speaker.val = \"A %d.\";", n))
		p.tick()
	}
	give("B", "speaker.val = \"B.\";")
	if got := strings.Join(p.speak(t), "|"); got != "A A 0.|B B." {
		t.Fatalf("the host is asked for %q", got)
	}
	if got := strings.Join(p.speak(t), "|"); got != "A A 19." {
		t.Fatalf("then it is asked for %q", got)
	}
	var said []string
	for range 300 {
		p.tick()
		if s := p.state.Speech; s != nil && (len(said) == 0 || said[len(said)-1] != s.Text) {
			said = append(said, s.Text)
		}
	}
	if got := strings.Join(said, "|"); got != "One.|A 19.|B." {
		t.Errorf("it says %q", got)
	}
	// A text that the host refuses is not said.
	give("A", "speaker.val = \"No.\";")
	p.order(t, robot.AnswerAsk{ID: p.core.ScriptAsks()[0].ID, Refusal: "it has no voice"})
	if p.tick(); p.state.Speech != nil || len(p.core.scripts.announced.speeches) != 0 || !strings.HasSuffix(p.lines(), "A !!! speaker.val: it has no voice") {
		t.Errorf("it says %v", p.core.scripts.announced.speeches)
	}
}

func TestWhatAProgramSaysAndShowsEndsWithIt(t *testing.T) {
	p := scriptedPlant(t)
	start := func() {
		t.Helper()
		program, _ := script.Parse("display.val = \"Here.\", speaker.val = \"One.\", say(\"Two.\"), wait(1h),")
		p.order(t, robot.StartUnit{Unit: "s", Program: program})
	}
	for range 2 { // the same text counts again in the next run
		start()
		p.speak(t)
		p.tick()
		if m := p.state.Message; m == nil || m.Text != "Here." || p.state.Speech == nil {
			t.Fatalf("it shows %v and says %v", m, p.state.Speech)
		}
		p.order(t, robot.CloseUnit{Unit: "s"})
		if p.tick(); p.state.Message != nil || p.state.Speech != nil {
			t.Errorf("after its end it shows %v and says %v", p.state.Message, p.state.Speech)
		}
	}
	// So does a text that the host still prepares.
	start()
	asks := p.core.ScriptAsks()
	p.order(t, robot.CloseUnit{Unit: "s"})
	if ended := p.core.ScriptAsks(); len(asks) != 2 || len(ended) != 2 || !ended[0].Cancelled || !ended[1].Cancelled {
		t.Errorf("of %v %v are cancelled", asks, ended)
	}
	for _, a := range asks {
		if r := p.core.Do(p.now, robot.AnswerAsk{ID: a.ID, Speech: sentences("Late.")}); r.Done() {
			t.Errorf("the answer to %v is taken: %v", a, r)
		}
	}
	if p.tick(); p.state.Speech != nil {
		t.Errorf("it says %v", p.state.Speech)
	}
}

func TestPicturesAndSoundsAreNeitherSaidNorShownAsText(t *testing.T) {
	p := scriptedPlant(t)
	for text, want := range map[string]string{
		"speaker.val = BIN 3 jpeg;\nabc":           "A !!! line 1, column 15: speaker.val is set to a text, which the robot speaks, or to a sound, as in speaker.val = BIN 2048 wav;",
		"display.val = BIN 3 jpeg;abc":             "A !!! line 1, column 15: This robot shows no pictures. Set display.val to a text.",
		"x = BIN 3 wav;abcspeaker.val = [1, [x]];": "speaker.val is set to a text",
		"x = BIN 3 wav;abcsay(x);":                 "say: it takes numbers and texts, not pictures or sounds",
		"x = BIN 3 wav;abcshow([x], 5s);":          "show: it takes numbers and texts",
		"x = BIN 3 wav;abcalert(x);":               "alert: it takes numbers and texts",
	} {
		var r script.Reader
		p.core.ScriptLines()
		p.order(t, robot.GiveCommands{Unit: "A", Commands: r.Read(text + "\n")})
		if got := p.lines(); !strings.Contains(got, want) {
			t.Errorf("after %q it says %q, want %q", text, got, want)
		}
		if p.tick(); p.state.Message != nil || len(p.core.ScriptAsks()) != 0 {
			t.Errorf("after %q it shows %v", text, p.state.Message)
		}
	}
}

func TestASentenceEndsWhenTheScreenHasSpokenIt(t *testing.T) {
	p := scriptedPlant(t)
	p.say(t, "say(\"Hello.\") | echo \"said\",")
	a := p.core.ScriptAsks()[0]
	p.order(t, robot.AnswerAsk{ID: a.ID, Speech: []robot.Speech{{Text: "Hello.", Duration: time.Second}}})
	p.wait(2 * time.Second) // the screen takes longer than expected
	if p.lines() != "" {
		t.Error("the sentence ends before it was spoken")
	}
	p.order(t, robot.Spoken{Number: p.state.Speech.Number})
	if got := p.lines(); got != "A \"said\"" {
		t.Errorf("it says %q", got)
	}
}

func TestAQuestionIsAnsweredByOKOrByTime(t *testing.T) {
	for name, c := range map[string]struct {
		touch func(p *plant)
		want  string
	}{
		"a page":    {func(p *plant) { p.core.Do(p.now, robot.OK{Message: p.state.Message.Number}) }, "A 1.000000"},
		"a screen":  {func(p *plant) { p.core.Do(p.now, robot.OK{}) }, "A 1.000000"},
		"a switch":  {func(p *plant) { p.ok = true; p.tick(); p.ok = false }, "A 1.000000"},
		"nobody":    {func(p *plant) { p.wait(4 * time.Second) }, "A 0.000000"},
		"a late OK": {func(p *plant) { p.core.Do(p.now, robot.OK{Message: 77}) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := scriptedPlant(t)
			p.say(t, "show(\"Wait.\", 500) , ask(\"Ready?\", 3s), at (ok.val == 1) echo \"OK\",")
			p.tick()
			if m := p.state.Message; m == nil || m.Text != "Wait." || m.OK {
				t.Fatalf("it shows %+v", m)
			}
			p.wait(time.Second)
			if m := p.state.Message; m == nil || m.Text != "Ready?" || !m.OK {
				t.Fatalf("it shows %+v", m)
			}
			c.touch(p)
			p.tick()
			got := strings.ReplaceAll(strings.ReplaceAll(p.lines(), "\nA \"OK\"", ""), "A \"OK\"", "")
			if strings.TrimSpace(got) != c.want {
				t.Errorf("it says %q, want %q", got, c.want)
			}
		})
	}
}

func TestTheDisplayShowsATextUntilAnotherReplacesIt(t *testing.T) {
	p := scriptedPlant(t)
	for text, want := range map[string]string{"show(\"One.\");": "One.", "display.val = \"Two.\";": "Two."} {
		p.say(t, text)
		p.wait(time.Second)
		if m := p.state.Message; m == nil || m.Text != want {
			t.Errorf("after %s it shows %+v", text, m)
		}
	}
	p.say(t, "display.val = \"\";")
	if p.tick(); p.state.Message != nil {
		t.Errorf("it shows %+v", p.state.Message)
	}
}

// A message is part of each state, so a list has no more room in it than a text.
func TestALongListIsShownInPart(t *testing.T) {
	for _, text := range []string{"show(x);", "show(x, 5s);", "display.val = x;"} {
		p := scriptedPlant(t)
		p.say(t, "x = [0]; for (i = 0; i < 12; i++) { x = [x, x] };")
		p.tick()
		p.say(t, text)
		if p.tick(); p.state.Message == nil || !strings.HasPrefix(p.state.Message.Text, "[[[") || len(p.state.Message.Text) > script.MaxText+100 {
			t.Errorf("after %s a message has %d bytes", text, len(p.state.Message.Text))
		}
	}
}

func TestAHeadThatDoesNotAnswerIsLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBase()
		b.rigid = errors.New("the head is silent")
		loop := run(t, b)
		time.Sleep(100 * time.Millisecond)
		loop.Do(t.Context(), robot.OpenUnit{Unit: "A"})
		var r script.Reader
		turn := func(text string) {
			loop.Do(t.Context(), robot.GiveCommands{Unit: "A", Commands: r.Read(text)})
			time.Sleep(time.Second)
		}
		turn("headPan.val = 20 time:1000,\n")
		b.set(func() { b.rigid = nil })
		turn("headPan.val = 0 time:1000,\n")
		b.set(func() { b.rigid = errors.New("the head is silent again") })
		turn("headPan.val = 20 time:1000,\n")
		loop.end(t)
		if text := loop.log.String(); b.looks < 50 || strings.Count(text, "is silent\"") != 1 || strings.Count(text, "is silent again") != 1 {
			t.Errorf("of %d angles the log has\n%s", b.looks, text)
		}
	})
}

func TestTheLoopAnswersCommandsAtOnceAndPassesOnWhatScriptsSay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var lines []script.Line
		var asks []script.Ask
		said := func() []script.Line {
			mu.Lock()
			defer mu.Unlock()
			return lines[:len(lines):len(lines)]
		}
		b := newBase()
		loop := NewLoop(b, NewCore(b.desc, &believed{drive: b.desc.Drivetrain}, nil), func(robot.State) {}, slog.New(slog.DiscardHandler))
		loop.UseScripts(ScriptSink{
			Lines: func(l []script.Line) {
				mu.Lock()
				defer mu.Unlock()
				lines = append(lines, l...)
			},
			Asks: func(a []script.Ask) { asks = append(asks, a...) },
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- loop.Run(ctx) }()
		time.Sleep(50 * time.Millisecond)
		loop.Do(t.Context(), robot.OpenUnit{Unit: "A"})
		var r script.Reader
		before := time.Now()
		answer := loop.Do(t.Context(), robot.GiveCommands{Unit: "A", Commands: r.Read("echo 3; say(\"Hello.\"), headPan.val = 20, wait(100ms); echo 4;\n")})
		if !answer.Done() || time.Since(before) > 0 || len(said()) != 1 || len(asks) != 1 || asks[0].Name != "say" {
			t.Errorf("after %v: %v, lines %v, asks %v", time.Since(before), answer, said(), asks)
		}
		time.Sleep(time.Second)
		b.mu.Lock()
		looked := b.looked
		b.mu.Unlock()
		if len(said()) != 2 || looked.Pan < robot.Radians(18) {
			t.Errorf("the lines are %v, the head looks to %v", said(), looked)
		}
		// Scripts continue while the base is silent.
		loop.Do(t.Context(), robot.GiveCommands{Unit: "A", Commands: r.Read("every (1s) echo time,\n")})
		b.set(func() { b.mute = true })
		n := len(said())
		time.Sleep(5 * time.Second)
		if len(said()) < n+4 {
			t.Errorf("in 5 s of silence scripts say %v", said()[n:])
		}
		cancel()
		<-ended
	})
}
