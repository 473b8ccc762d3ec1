package main

import (
	"fmt"
	"strings"
	"time"

	"mybot/jobs"
	"mybot/robot"
	"mybot/session/protocol"
)

// runStatus describes the state of a run.
func runStatus(r protocol.Run) string {
	text := string(r.Phase)
	if r.Phase == robot.RunEnded {
		text = map[robot.Word]string{robot.Success: "done", robot.Modified: "done, with changes", robot.Interrupted: "given up"}[r.Word]
		if text == "" {
			text = "failed"
		}
		if r.Ended != nil {
			text += " after " + durationText(time.Time(*r.Ended).Sub(time.Time(r.Began)))
		}
	}
	return withReason(text, r.Reason)
}

// stepStatus describes the state of a step.
func stepStatus(s protocol.RunStep) string {
	text := map[robot.ActionState]string{
		robot.StepWaiting: "waiting its turn", robot.StepInitializing: "starting", robot.StepRunning: "under way", robot.StepPaused: "paused",
		robot.StepRetriable: "failed", robot.StepFinished: "done", robot.StepFailed: "failed",
	}[s.State]
	if s.Skipped {
		text = "skipped"
	}
	if s.Began != nil && s.Ended != nil {
		text += " after " + durationText(time.Time(*s.Ended).Sub(time.Time(*s.Began)))
	}
	return withReason(text, s.Reason)
}

// withReason appends a reason, if there is one.
func withReason(text, reason string) string {
	if reason == "" {
		return text
	}
	return text + ". " + reason
}

// endSentence ends a text with a full stop.
func endSentence(text string) string { return strings.TrimSuffix(text, ".") + "." }

// stepText describes what a step does.
func stepText(s jobs.Step) string {
	text := string(s.Type)
	switch {
	case s.Place != "":
		text += " to " + s.Place
	case s.Pose != nil:
		text += fmt.Sprintf(" to x %.2f y %.2f, heading %.0f°", s.Pose[0], s.Pose[1], robot.Degrees(s.Pose[2]))
	case s.Text != "":
		text += fmt.Sprintf(" %q", s.Text)
	}
	limit := durationText(time.Duration(s.Seconds * float64(time.Second)))
	switch {
	case s.Type == jobs.Wait && s.OK:
		text += " " + limit + " or until OK is tapped"
	case s.Type == jobs.Wait:
		text += " " + limit
	case s.Type == jobs.Message && s.OK && s.Seconds > 0:
		text += ", waits for OK, at most " + limit
	case s.Type == jobs.Message && s.OK:
		text += ", waits for OK"
	}
	return text
}

// durationText formats a duration in words.
func durationText(d time.Duration) string {
	d = d.Round(time.Second)
	switch h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60; {
	case h > 0:
		return fmt.Sprintf("%d h %d min", h, m)
	case m > 0 && s > 0:
		return fmt.Sprintf("%d min %d s", m, s)
	case m > 0:
		return fmt.Sprintf("%d min", m)
	default:
		return fmt.Sprintf("%d s", s)
	}
}

// withNoun writes a number with its noun.
func withNoun(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
