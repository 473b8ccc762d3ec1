package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"

	"mybot/mapping/draft"
	"mybot/mapping/survey"
	"mybot/robot"
	"mybot/robot/floorplan"
)

// A mapDraft is the draft of the map in review. Any goroutine may call its methods.
type mapDraft struct {
	desc   robot.Description
	log    *slog.Logger
	places []robot.Place                                // in map, the initial places of every draft
	result func(context.Context) (draft.Result, error)  // returns the map in review
	dock   func(context.Context) (*robot.Pose, error)   // where the robot charged, in map; nil = it did not
	save   func(context.Context, json.RawMessage) error // saves all edits, for the case that the server is killed

	mu       sync.Mutex
	draft    *draft.Draft     // nil = not created yet
	edits    []byte           // for the next draft; nil = none
	extended *robot.Floorplan // the map that is being extended, with users' changes, for the next draft to adopt; nil = none, or adopted
	rev      int              // of picture
	picture  []byte           // PNG; nil = not drawn yet
}

// open returns the draft, and creates it if necessary. m.mu is locked.
func (m *mapDraft) open(ctx context.Context) (*draft.Draft, error) {
	if m.draft != nil {
		return m.draft, nil
	}
	result, err := m.result(ctx)
	if err != nil {
		return nil, err
	}
	source := draft.Source{Result: result, Robot: m.desc, Places: m.places}
	if source.Dock, err = m.dock(ctx); err != nil {
		return nil, err
	}
	if m.edits != nil {
		m.draft, err = draft.Restore(source, m.edits)
	} else {
		m.draft, err = draft.New(source)
	}
	if err != nil {
		return nil, asSentence(err)
	}
	if m.extended != nil {
		if err := m.draft.Adopt(m.extended); err != nil {
			m.log.Warn("what people changed of the map since it was saved is not on the extended one", "why", err)
		}
		m.extended = nil
	}
	return m.draft, nil
}

// close ends the review. With keep the next draft gets the edits.
func (m *mapDraft) close(keep bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !keep {
		m.edits = nil
	} else if m.draft != nil {
		if edits, err := m.draft.Edits(); err == nil {
			m.edits = edits
		}
	}
	m.draft, m.picture = nil, nil
}

// begin sets the stored edits of the next draft; nil = none. The draft adopts
// users' changes to the map that is being extended; nil = none, or the edits
// contain them.
func (m *mapDraft) begin(edits []byte, extended *robot.Floorplan) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.draft, m.picture, m.edits, m.extended = nil, nil, edits, extended
}

// view returns the draft for pages, in JSON.
func (m *mapDraft) view(ctx context.Context) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, err := m.open(ctx)
	if err != nil {
		return nil, err
	}
	return json.Marshal(d.View())
}

// apply makes an edit and returns the draft after it, as view does.
func (m *mapDraft) apply(ctx context.Context, edit []byte) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, err := m.open(ctx)
	if err != nil {
		return nil, err
	}
	e, err := draft.ParseEdit(edit)
	if err == nil {
		err = d.Apply(e)
	}
	if err != nil {
		return nil, asSentence(err)
	}
	if edits, err := d.Edits(); err == nil {
		_ = m.save(ctx, edits) // edits too long for the journal are lost if the server is killed now
	}
	return json.Marshal(d.View())
}

// image returns the picture of the draft as PNG; exact says that it has that
// revision.
func (m *mapDraft) image(ctx context.Context, rev int) (data []byte, exact, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, err := m.open(ctx)
	if err != nil {
		return nil, false, false
	}
	if now := d.View().Rev; m.picture == nil || m.rev != now {
		grid := d.Picture()
		m.picture, m.rev = survey.EncodePicture(&grid), now
	}
	return m.picture, m.rev == rev, m.picture != nil
}

// A reviewed is the result of a saved draft.
type reviewed struct {
	plan        *robot.Floorplan
	edits       []byte
	planFromMap robot.Pose
}

// finish returns the result of the draft, under a name.
func (m *mapDraft) finish(ctx context.Context, name string) (r reviewed, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, err := m.open(ctx)
	if err != nil {
		return r, err
	}
	if r.plan, err = d.Plan(name); err == nil {
		r.edits, err = d.Edits()
	}
	if err != nil {
		return r, asSentence(err)
	}
	r.planFromMap = d.FrameFromMap()
	return r, nil
}

// asSentence capitalizes an error and ends it with a full stop, for people. Of several
// faults of a map it has the first and the number of the others.
func asSentence(err error) error {
	if faults := (floorplan.Faults)(nil); errors.As(err, &faults) {
		return robot.Refusef("%s", summarizeFaults(faults))
	}
	text := strings.TrimPrefix(err.Error(), "draft: ")
	return robot.Refusef("%s.", strings.TrimSuffix(strings.ToUpper(text[:1])+text[1:], "."))
}
