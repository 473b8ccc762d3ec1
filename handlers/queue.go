package handlers

import (
	"net/http"
	"time"

	"mybot/robot"
	"mybot/session"
	"mybot/session/protocol"
)

// RoboTalk's queue: commands with start times.

const queuePath = "/api/v1/queue"

// queueAnswer says whether a command was queued or refused.
type queueAnswer struct {
	ID       uint64     `json:"id"`
	Accepted bool       `json:"accepted"`
	Word     robot.Word `json:"word,omitempty"`
	Reason   string     `json:"reason,omitempty"`
}

// serveEnqueue adds commands to the robot's queue, each by the rules for the page's
// commands.
func (h *Handler) serveEnqueue(w http.ResponseWriter, r *http.Request) {
	now := time.Now()
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	lease, commands, err := protocol.DecodeQueue(body, now)
	if err != nil {
		writeSentence(w, http.StatusBadRequest, err.Error())
		return
	}
	status, answers := http.StatusOK, make([]queueAnswer, len(commands))
	for i, command := range commands {
		result := h.cfg.Hub.Command(r.Context(), callerOf(r).Identity, session.Order{Lease: lease, Command: command})
		answers[i] = queueAnswer{ID: command.ID, Accepted: true}
		if result.Word != robot.Success {
			status = http.StatusConflict
			answers[i] = queueAnswer{answers[i].ID, false, result.Word, result.Reason}
		}
	}
	h.writeJSON(w, status, map[string]any{"commands": answers})
}

// serveQueue answers with the state of the queue and how its last commands ended.
func (h *Handler) serveQueue(w http.ResponseWriter, _ *http.Request) {
	s, _ := h.cfg.State() // without a state the queue is empty
	h.writeJSON(w, http.StatusOK, protocol.QueueOf(s.Queue))
}
