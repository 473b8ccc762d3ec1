package handlers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"time"

	"mybot/robot"
	"mybot/session"
	"mybot/web"
)

// The robot's own screen: a page for people in front of the robot. It needs no
// WebSocket, lease or name: its content comes as server-sent events, and it may
// only stop the robot, touch OK, and report that it has spoken. On this computer it
// needs no role.

const (
	screensPath  = "/screen/events"
	maxScreens   = 8                      // open at once on this computer, and as many elsewhere
	screenEvery  = 100 * time.Millisecond // longest delay of a change
	screenAlways = 2 * time.Second        // between two events without a change
	screenWithin = 5 * time.Second        // for a screen to take an event
	stateOld     = 2 * time.Second        // age at which a state is outdated
)

// A screenEvent is everything that the screen shows. Times are in ms of the robot's
// clock, whose current time is now.
type screenEvent struct {
	Build   string         `json:"build"`
	Mode    robot.Mode     `json:"mode"` // "" = there is no state yet
	Motion  bool           `json:"motion"`
	Lost    bool           `json:"lost"`    // the position is LOST
	Silent  string         `json:"silent"`  // why the base sends nothing
	Refuses string         `json:"refuses"` // why the base refuses to drive; "" = it does not
	Stop    *screenStop    `json:"stop"`
	Goal    *screenGoal    `json:"goal"`
	Run     *screenRun     `json:"run"`
	Message *screenMessage `json:"message"`
	Speech  *screenSpeech  `json:"speech"`
	Driver  string         `json:"driver"` // the person in control; "" = no one
	Away    bool           `json:"away"`   // and is disconnected at the moment
	Lent    screenLent     `json:"lent"`
	Viewers int            `json:"viewers"` // people who watch through the camera
	Ears    bool           `json:"ears"`    // a talker's voice may come, by WHEP of the speaker
	Talks   bool           `json:"talks"`   // a talker is speaking
	Head    [2]float64     `json:"head"`    // rad, to the nearest twentieth: pan and tilt
	Charge  *float64       `json:"charge"`  // 0 to 1, to the nearest hundredth; null = unknown
	Charges bool           `json:"charges"`
	Records bool           `json:"records"` // a recording is running
	May     bool           `json:"may"`     // this screen may touch OK
	Now     int64          `json:"now"`
}

// A screenLent names the borrowers of the parts; "" = not lent.
type screenLent struct {
	Head  string `json:"head"`
	Voice string `json:"voice"`
	Arm   string `json:"arm"`
}

type screenStop struct {
	By string `json:"by"`
}

type screenGoal struct {
	Name  string          `json:"name"`
	Phase robot.GoalPhase `json:"phase"`
	Why   string          `json:"why"` // why it is paused
}

type screenRun struct {
	Name  string         `json:"name"`
	Phase robot.RunPhase `json:"phase"`
	Step  int            `json:"step"` // from 1
	Steps int            `json:"steps"`
	Why   string         `json:"why"` // why it is paused or stuck
}

type screenMessage struct {
	N     uint64 `json:"n"`
	Text  string `json:"text"` // "" = a step only waits for OK
	OK    bool   `json:"ok"`
	Until *int64 `json:"until"` // null = no limit
}

type screenSpeech struct {
	N     uint64  `json:"n"`
	Text  string  `json:"text"`
	Voice string  `json:"voice"`
	Speed float64 `json:"speed"`
	At    int64   `json:"at"`    // when it began
	Takes int64   `json:"ms"`    // how long it takes
	Aloud bool    `json:"aloud"` // the robot's voice has the sound; otherwise the screen speaks
	Base  bool    `json:"base"`  // the base's own speaker speaks, and the screen is silent
}

// screenOf returns what a screen shows for a state.
func screenOf(s robot.State, people session.Screen, viewers int, now time.Time) screenEvent {
	e := screenEvent{Driver: people.Driver, Away: people.Away, Lent: screenLent(people.Lent), Viewers: viewers}
	if now.Sub(s.Time) > stateOld && !s.IsSilent() {
		return e
	}
	if s.Stop != nil {
		e.Stop = &screenStop{s.Stop.By}
	}
	if s.IsSilent() {
		e.Silent = s.Base.Why
		return e
	}
	e.Mode, e.Motion, e.Lost = s.Mode, s.Play.Motion != 0, s.Estimate.Trust == robot.TrustLost
	e.Head = [2]float64{roundTo(s.Head.Pan, 0.05), roundTo(s.Head.Tilt, 0.05)}
	e.Records = s.Recording
	e.Refuses, e.Charges = s.Refuses, s.Battery.Charging
	if charge := s.Battery.Charge; !math.IsNaN(charge) {
		charge = roundTo(charge, 0.01)
		e.Charge = &charge
	}
	if g := s.Goal; g != nil && g.Phase != robot.GoalEnded {
		e.Goal = &screenGoal{g.Name, g.Phase, g.Result.Reason}
	}
	if r := s.Run; r != nil && r.Phase != robot.RunEnded {
		e.Run = &screenRun{r.Name, r.Phase, min(r.Step+1, len(r.Steps)), len(r.Steps), r.Result.Reason}
	}
	if m := s.Message; m != nil {
		e.Message = &screenMessage{N: m.Number, Text: m.Text, OK: m.OK}
		if !m.Until.IsZero() {
			until := m.Until.UnixMilli()
			e.Message.Until = &until
		}
	}
	if v := s.Speech; v != nil {
		e.Speech = &screenSpeech{v.Number, v.Text, v.Voice, v.Speed, v.At.UnixMilli(), v.Duration.Milliseconds(), v.Aloud, v.ByBase}
	}
	return e
}

// roundTo rounds to the nearest multiple of step; 0 for NaN and infinities.
func roundTo(x, step float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	const digits = 1e6 // so that 0.15000000000000002 is 0.15
	return math.Round(math.Round(x/step)*step*digits) / digits
}

// serveScreen writes the screen's page. It redirects strangers on other computers
// to the pairing page.
func (h *Handler) serveScreen(w http.ResponseWriter, r *http.Request) {
	if callerOf(r).Role == session.Stranger {
		http.Redirect(w, r, "/pair", http.StatusSeeOther)
		return
	}
	h.keepCookie(w, r)
	h.writePage(w, r, http.StatusOK, web.Screen(web.ScreenData{Name: h.cfg.Description.Name, Place: h.cfg.floorplan().Name, Build: h.cfg.Build}))
}

// serveScreenEvents sends a screen its content, at once and at every change, until
// it disconnects, its access ends, or the server shuts down.
func (h *Handler) serveScreenEvents(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead || r.Header.Get("Accept") != "text/event-stream" {
		writeSentence(w, http.StatusNotAcceptable, "This address serves server-sent events to the robot's screen at /screen; ask for text/event-stream.")
		return
	}
	out := http.NewResponseController(w)
	if err := out.SetReadDeadline(time.Time{}); err != nil { // the request has been read, and the answer takes long
		writeSentence(w, http.StatusNotImplemented, "This connection cannot carry events.")
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(event string, data []byte) bool {
		_ = out.SetWriteDeadline(time.Now().Add(screenWithin)) // Write fails if this does
		_, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, data)
		return err == nil && out.Flush() == nil
	}
	c := callerOf(r)
	leave, why := h.placeScreen(c)
	if leave == nil {
		send("bye", fmt.Appendf(nil, "%q", why))
		return
	}
	defer leave()
	every := time.NewTicker(screenEvery)
	defer every.Stop()
	var last []byte
	var sent time.Time
	for {
		now := time.Now()
		state, _ := h.cfg.State() // without a state its time is old
		viewers := 0
		if h.cfg.Broadcaster != nil {
			viewers = h.cfg.Broadcaster.CountViewers()
		}
		e := screenOf(state, h.cfg.Hub.Screen(), viewers, now)
		if h.cfg.Broadcaster != nil {
			e.Ears, e.Talks = true, h.cfg.Broadcaster.IsTalking()
		}
		e.Build, e.May = h.cfg.Build, c.Role >= session.Operator
		same, err := json.Marshal(e)
		if err != nil {
			h.cfg.Log.Error("an event for the screen cannot be written", "error", err)
			return
		}
		if again := now.Sub(sent) >= screenAlways; again || !bytes.Equal(same, last) {
			if again && !h.accessHolds(c) {
				return
			}
			last, sent, e.Now = same, now, now.UnixMilli()
			if whole, err := json.Marshal(e); err != nil || !send("show", whole) {
				return
			}
		}
		select {
		case <-r.Context().Done():
			return
		case <-h.closing:
			send("bye", []byte(`"The robot's program has ended."`))
			return
		case <-every.C:
		}
	}
}

// placeScreen takes a place for a screen until leave is called, or says why there is none.
// Screens elsewhere do not use up the places of the robot's own screen.
func (h *Handler) placeScreen(c caller) (leave func(), why string) {
	if !c.local {
		leave, has := h.quotas.screens.take(c.Sharer())
		_, why = h.quotas.screens.refuse(c.Identity, has)
		return leave, why
	}
	select {
	case h.screens <- struct{}{}:
		return func() { <-h.screens }, ""
	default:
		return nil, fmt.Sprintf("%d screens are open, the limit. Close one of them.", maxScreens)
	}
}

// serveScreenOK is the OK button under a message, which must be the one on display.
func (h *Handler) serveScreenOK(w http.ResponseWriter, r *http.Request) {
	var touched struct {
		Message uint64 `json:"message"`
	}
	if err := readJSON(r, &touched); err != nil {
		writeBodyFault(w, err)
		return
	}
	if touched.Message == 0 {
		writeSentence(w, http.StatusBadRequest, `The body should tell which message was answered: {"message":3}.`)
		return
	}
	by := "someone at the robot's screen"
	if c := callerOf(r); !c.local && c.Name != "" {
		by = c.Name
	}
	s, _ := h.cfg.State()
	switch m := s.Message; {
	case m == nil || m.Number != touched.Message:
		h.writeResult(w, robot.Result{Word: robot.Error, Reason: "This message is no longer shown."})
	case !m.OK:
		h.writeResult(w, robot.Result{Word: robot.Error, Reason: "This message does not wait for OK."})
	case s.Stop != nil:
		h.writeResult(w, robot.Result{Word: robot.Panic, Reason: "The robot is stopped. Tap OK again once the driver has released the stop."})
	default:
		h.writeResult(w, h.fromScreen(r, robot.OK{By: by, Message: touched.Message}))
	}
}

// serveScreenSpoken receives the report that the screen has finished a sentence.
func (h *Handler) serveScreenSpoken(w http.ResponseWriter, r *http.Request) {
	var spoken struct {
		Speech uint64 `json:"speech"`
	}
	if err := readJSON(r, &spoken); err != nil {
		writeBodyFault(w, err)
		return
	}
	if spoken.Speech == 0 {
		writeSentence(w, http.StatusBadRequest, `The body should tell which sentence was said: {"speech":5}.`)
		return
	}
	h.writeResult(w, h.fromScreen(r, robot.Spoken{Number: spoken.Speech}))
}

func (h *Handler) fromScreen(r *http.Request, cmd robot.Command) robot.Result {
	return h.cfg.Hub.Command(r.Context(), callerOf(r).Identity, session.Order{Command: cmd, AtRobot: true})
}

// serveScreenStop is the STOP button of the screen.
func (h *Handler) serveScreenStop(w http.ResponseWriter, r *http.Request) {
	if !callerOf(r).local {
		h.serveStopCommand(w, r)
		return
	}
	h.cfg.Hub.Stop("someone at the robot's screen", callerOf(r).Identity)
	h.writeResult(w, robot.Result{Word: robot.Success})
}
