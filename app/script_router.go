package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"mybot/jobs"
	"mybot/media"
	"mybot/media/voice"
	"mybot/robot"
	"mybot/robot/onboard"
	"mybot/script"
)

// maxRouted is how many lines of scripts may wait to be delivered, and maxAnswers how many
// requests may be answered at the same time.
const (
	maxRouted  = 4000
	maxAnswers = 32
)

// A scriptRouter delivers what scripts say and answers what they ask. The control loop
// passes lines and requests to it without waiting; Run's goroutine delivers the lines in
// order, and others answer the requests.
type scriptRouter struct {
	robot   scriptRobot
	answers map[string]scriptAnswer // by function
	wake    chan struct{}

	delivering sync.Mutex // held while lines are delivered; before mu

	mu          sync.Mutex
	lines       []script.Line
	left        map[string]int // lines that were dropped, by unit
	asks        []script.Ask
	subscribers []*scriptSubscriber // in order of subscription
	answering   map[int]context.CancelFunc
}

// A scriptRobot takes answers: onboard.Loop.
type scriptRobot interface {
	Do(ctx context.Context, cmd robot.Command) robot.Result
}

// A scriptAnswer answers one function. The error is a sentence for the script.
type scriptAnswer func(ctx context.Context, a script.Ask) (robot.AnswerAsk, error)

// A scriptSubscriber receives the lines of one unit, or of all.
type scriptSubscriber struct {
	unit    string // "" = all
	deliver func([]script.Line)
}

func newScriptRouter(r scriptRobot) *scriptRouter {
	return &scriptRouter{robot: r, wake: make(chan struct{}, 1), answers: map[string]scriptAnswer{}, left: map[string]int{}, answering: map[int]context.CancelFunc{}}
}

// sink returns what the control loop calls.
func (r *scriptRouter) sink() onboard.ScriptSink {
	return onboard.ScriptSink{Lines: r.takeLines, Asks: r.takeAsks}
}

// takeLines queues lines. If too many wait, it drops them and counts them.
func (r *scriptRouter) takeLines(lines []script.Line) {
	r.mu.Lock()
	for _, l := range lines {
		if len(r.lines) < maxRouted {
			r.lines = append(r.lines, l)
		} else {
			r.left[l.Unit]++
		}
	}
	r.mu.Unlock()
	r.wakeUp()
}

func (r *scriptRouter) takeAsks(asks []script.Ask) {
	r.mu.Lock()
	r.asks = append(r.asks, asks...)
	r.mu.Unlock()
	r.wakeUp()
}

func (r *scriptRouter) wakeUp() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Subscribe delivers the lines of a unit, or of all units if unit is "", from now on. deliver
// is called in order, by one goroutine at a time. cancel delivers what was said before it; deliver
// is never called after it has returned, and must not call it.
func (r *scriptRouter) Subscribe(unit string, deliver func([]script.Line)) (cancel func()) {
	s := &scriptSubscriber{unit: unit, deliver: deliver}
	r.mu.Lock()
	r.subscribers = append(r.subscribers, s)
	r.mu.Unlock()
	return func() {
		r.delivering.Lock()
		defer r.delivering.Unlock()
		r.mu.Lock()
		r.subscribers = slices.DeleteFunc(r.subscribers, func(o *scriptSubscriber) bool { return o == s })
		waiting := slices.Clone(r.lines)
		r.mu.Unlock()
		s.send(waiting)
	}
}

// Run delivers lines and answers requests until ctx ends.
func (r *scriptRouter) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var answering sync.WaitGroup
	defer answering.Wait()
	defer cancel()
	places := make(chan struct{}, maxAnswers)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.wake:
		}
		for _, a := range r.deliverAll() {
			r.beginAnswer(ctx, a, places, &answering)
		}
	}
}

// deliverAll delivers the lines that wait, and returns the requests.
func (r *scriptRouter) deliverAll() (asks []script.Ask) {
	r.delivering.Lock()
	defer r.delivering.Unlock()
	lines, asks, subscribers := r.takeAll()
	for _, s := range subscribers {
		s.send(lines)
	}
	return asks
}

// takeAll returns what waits. Dropped lines are reported behind the others.
func (r *scriptRouter) takeAll() (lines []script.Line, asks []script.Ask, subscribers []*scriptSubscriber) {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines, asks, subscribers = r.lines, r.asks, slices.Clone(r.subscribers)
	r.lines, r.asks = nil, nil
	for unit, n := range r.left {
		last := lines[len(lines)-1]
		lines = append(lines, script.Line{Unit: unit, Time: last.Time, Text: fmt.Sprintf("*** %d lines left out", n)})
	}
	clear(r.left)
	return lines, asks, subscribers
}

// send delivers the lines of the subscriber's unit.
func (s *scriptSubscriber) send(lines []script.Line) {
	if s.unit != "" {
		own := make([]script.Line, 0, len(lines))
		for _, l := range lines {
			if l.Unit == s.unit {
				own = append(own, l)
			}
		}
		lines = own
	}
	if len(lines) > 0 {
		s.deliver(lines)
	}
}

// beginAnswer answers a request in a goroutine of its own, or ends the answer to one that
// was cancelled.
func (r *scriptRouter) beginAnswer(ctx context.Context, a script.Ask, places chan struct{}, all *sync.WaitGroup) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a.Cancelled {
		if cancel := r.answering[a.ID]; cancel != nil {
			cancel()
		}
		return
	}
	own, cancel := context.WithCancel(ctx)
	r.answering[a.ID] = cancel
	all.Go(func() {
		defer cancel()
		answer := robot.AnswerAsk{Refusal: "too many requests wait; try again in a moment"}
		select {
		case places <- struct{}{}:
			answer = r.findAnswer(own, a)
			<-places
		default:
		}
		answer.ID = a.ID
		r.mu.Lock()
		delete(r.answering, a.ID)
		r.mu.Unlock()
		r.robot.Do(own, answer) // the statement may be over by now
	})
}

// findAnswer answers a request.
func (r *scriptRouter) findAnswer(ctx context.Context, a script.Ask) robot.AnswerAsk {
	answer := r.answers[a.Name]
	if answer == nil {
		return robot.AnswerAsk{Refusal: "this robot cannot do that"}
	}
	v, err := answer(ctx, a)
	if err != nil {
		v.Refusal = err.Error()
	}
	return v
}

// useScripts lets the scripts of the robot run: it answers what they ask by what the server
// has.
func (s *server) useScripts() {
	s.scripts = newScriptRouter(s.loop)
	s.loop.UseScripts(s.scripts.sink())
	speak := s.findSpeech()
	s.scripts.answers = map[string]scriptAnswer{
		"goto": s.findScriptGoal,
		"dock": s.findScriptGoal,
		"job":  s.prepareScriptJob,
		"say": func(ctx context.Context, a script.Ask) (robot.AnswerAsk, error) {
			return s.prepareScriptSpeech(ctx, a, speak)
		},
		"alert": func(_ context.Context, a script.Ask) (robot.AnswerAsk, error) {
			s.hub.AlertByScript(a.Unit, a.Values[0].Plain())
			return robot.AnswerAsk{}, nil
		},
		"load": s.loadScript,
		"motoron": func(ctx context.Context, a script.Ask) (robot.AnswerAsk, error) {
			return robot.AnswerAsk{}, s.hub.TakeScriptControl(ctx, a.Unit)
		},
		"motoroff": func(ctx context.Context, a script.Ask) (robot.AnswerAsk, error) {
			return robot.AnswerAsk{}, s.hub.ReleaseScriptControl(ctx, a.Unit)
		},
		"killall": func(ctx context.Context, a script.Ask) (robot.AnswerAsk, error) {
			return robot.AnswerAsk{}, s.hub.PermitKillAll(ctx, a.Unit, a.Values[0].Plain())
		},
		"camera.val": s.takeScriptPicture,
		"micro.val": func(ctx context.Context, a script.Ask) (robot.AnswerAsk, error) {
			return recordScriptSound(ctx, s.newMicrophone(), a)
		},
	}
}

// findScriptGoal looks up where goto(place) and dock() lead.
func (s *server) findScriptGoal(_ context.Context, a script.Ask) (robot.AnswerAsk, error) {
	return onboard.FindScriptGoal(s.maps.Plan(), a)
}

// prepareScriptJob prepares a saved job, by its name or id.
func (s *server) prepareScriptJob(ctx context.Context, a script.Ask) (answer robot.AnswerAsk, err error) {
	name := a.Values[0].Plain()
	saved := s.jobs.List()
	i := slices.IndexFunc(saved, func(j jobs.Job) bool { return j.Name == name || j.ID == name })
	if i < 0 {
		return answer, fmt.Errorf("there is no job %q", name)
	}
	state, ok := s.newestState()
	if !ok {
		return answer, errors.New("the robot is starting")
	}
	answer.Run, err = s.jobs.Prepare(ctx, state.Estimate.Pose, saved[i])
	return answer, err
}

// prepareScriptSpeech prepares say(text[, voice]), or the sound of speaker.val.
func (s *server) prepareScriptSpeech(ctx context.Context, a script.Ask, speak func(ctx context.Context, text, voice string, speed float64) (jobs.PreparedSpeech, error)) (answer robot.AnswerAsk, err error) {
	if _, file, ok := a.Values[0].Binary(); ok {
		return s.prepareScriptSound(file)
	}
	voice := ""
	if len(a.Values) > 1 {
		voice = a.Values[1].Plain()
	}
	ready, err := speak(ctx, a.Values[0].Plain(), voice, 1)
	if err != nil {
		return answer, fmt.Errorf("the text cannot be spoken: %w", err)
	}
	for _, one := range ready.Sentences {
		answer.Speech = append(answer.Speech, robot.Speech{Text: one.Text, Voice: cmp.Or(voice, "en"), Speed: 1, Duration: one.Duration, Aloud: ready.Aloud, ByBase: ready.ByBase})
	}
	return answer, nil
}

// prepareScriptSound prepares a sound for the robot's screen, also where the base speaks.
func (s *server) prepareScriptSound(file []byte) (answer robot.AnswerAsk, err error) {
	one, name, err := s.voice.AddSound(file)
	if err == nil {
		answer.Speech = []robot.Speech{{Text: one.Text, Voice: name, Speed: 1, Duration: one.Duration, Aloud: true}}
	}
	return answer, err
}

// loadScript returns the text of a saved script.
func (s *server) loadScript(_ context.Context, a script.Ask) (answer robot.AnswerAsk, err error) {
	text, err := s.findScript(a.Values[0].Plain())
	answer.Value = script.Text(text)
	return answer, err
}

// pictureTimeout is how long a picture for a script may take.
const pictureTimeout = 5 * time.Second

// isCameraOff reports whether a script has switched the camera off.
func (s *server) isCameraOff() bool {
	state, _ := s.states.load()
	return state.Scripts != nil && state.Scripts.CameraOff != ""
}

// takeScriptPicture returns the next picture of the camera.
func (s *server) takeScriptPicture(ctx context.Context, a script.Ask) (answer robot.AnswerAsk, err error) {
	if s.camera == nil {
		return answer, errors.New("this robot has no camera")
	}
	ctx, cancel := context.WithTimeout(ctx, pictureTimeout)
	defer cancel()
	quality, _ := a.Values[0].Number()
	format, data, err := s.camera.takeJPEG(ctx, int(math.Round(quality)))
	answer.Value = script.Binary(format, data)
	return answer, err
}

// maxScriptSound is the longest sound that a script can record at once. It leaves the host
// time within the limit for its answers.
const maxScriptSound = 5 * time.Second

// recordScriptSound records micro.val(ms): so many milliseconds from now on, as WAV.
func recordScriptSound(ctx context.Context, from media.Sound, a script.Ask) (answer robot.AnswerAsk, err error) {
	ms, ok := a.Values[0].Number()
	if longest := float64(maxScriptSound.Milliseconds()); !ok || !(ms >= 1 && ms <= longest) {
		return answer, fmt.Errorf("it takes how long to listen, 1 to %.0f ms, but got %s", longest, a.Values[0].Plain())
	}
	samples := make([]int16, int(ms*media.SoundRate/1000))
	if err := from.Read(ctx, samples); err != nil {
		return answer, fmt.Errorf("nothing is heard: %w", err)
	}
	answer.Value = script.Binary("wav", voice.EncodeWAV(samples, media.SoundRate))
	return answer, nil
}
