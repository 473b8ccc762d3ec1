package handlers

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"mybot/link"
	"mybot/media"
	"mybot/robot"
	"mybot/session"
)

// answerWithin is how long answering an offer of a data channel may take.
const answerWithin = 3 * time.Second

// serveChannel answers the page's offers until ctx ends: each offer opens a data
// channel that replaces the previous one. Its frames take the same paths as the
// WebSocket's, as datagrams.
func (h *Handler) serveChannel(ctx context.Context, by caller, user *session.User, up, down *link.Path) error {
	end := func() {}
	defer func() { end() }()
	for {
		offer, err := user.Offer(ctx)
		if err != nil {
			return err
		}
		end()
		end = func() {}
		if h.cfg.Channels == nil {
			user.Answer(offer, "", robot.Result{Word: robot.NA, Reason: "This robot has no UDP port. The WebSocket carries everything."})
			continue
		}
		leave, refusal := h.takeChannel(by)
		if leave == nil {
			user.Answer(offer, "", refusal)
			continue
		}
		within, cancel := context.WithTimeout(ctx, answerWithin)
		c := newChannel(ctx, user, up, down)
		made, answer, err := h.cfg.Channels.AnswerOffer(within, offer.Description, c.receiveFrame)
		cancel()
		if err != nil {
			c.waitAll()
			leave()
			user.Answer(offer, "", refusedOffer(err))
			continue
		}
		end = func() {
			c.cancel() // before the goroutines that wait for c.take
			made.Close()
			c.waitAll()
		}
		c.all.Go(func() error {
			<-made.Done()
			made.Close()
			leave()
			return nil
		})
		user.Answer(offer, answer, robot.Result{})
	}
}

// takeChannel takes a place for a data channel until leave is called. The last one is for the
// person in control.
func (h *Handler) takeChannel(by caller) (leave func(), refusal robot.Result) {
	leave, has := h.quotas.channels.take(by.Sharer())
	if leave == nil && h.cfg.Hub.HasControl(by.Identity) {
		leave, _ = h.quotas.driver.take(by.Grant)
	}
	if leave == nil {
		_, says := h.quotas.channels.refuse(by.Identity, has)
		refusal = robot.Result{Word: robot.Busy, Reason: says}
	}
	return leave, refusal
}

// refusedOffer says why an offer was refused.
func refusedOffer(err error) robot.Result {
	word := robot.Error
	if errors.Is(err, media.ErrFull) || errors.Is(err, context.DeadlineExceeded) {
		word = robot.Busy
	}
	return robot.Result{Word: word, Reason: "rtc: " + strings.TrimPrefix(err.Error(), "media: ") + "."}
}

// A channel carries datagrams between a page and its user, along the paths.
type channel struct {
	user     *session.User
	up, down chan []byte // nil = no impairment
	page     atomic.Pointer[media.Channel]
	ctx      context.Context
	cancel   context.CancelFunc
	all      errgroup.Group
}

func newChannel(ctx context.Context, user *session.User, up, down *link.Path) *channel {
	c := &channel{user: user}
	c.ctx, c.cancel = context.WithCancel(ctx)
	if up != nil {
		c.up, c.down = make(chan []byte), make(chan []byte)
		c.all.Go(func() error {
			return link.DeliverMessages(c.ctx, up, link.Datagram, c.up, func(frame []byte) error { c.user.ReceiveDatagram(frame, c.sendReply); return nil })
		})
		c.all.Go(func() error {
			return link.DeliverMessages(c.ctx, down, link.Datagram, c.down, func(frame []byte) error { c.sendUp(frame); return nil })
		})
	}
	return c
}

// receiveFrame sends a frame from the page on its way up.
func (c *channel) receiveFrame(page *media.Channel, frame []byte) {
	c.page.Store(page)
	if c.up == nil {
		c.user.ReceiveDatagram(frame, c.sendReply)
		return
	}
	select {
	case c.up <- frame:
	case <-c.ctx.Done():
	}
}

// sendReply sends the reply to a frame on its way down.
func (c *channel) sendReply(frame []byte) {
	if c.down == nil {
		c.sendUp(frame)
		return
	}
	select {
	case c.down <- frame:
	case <-c.ctx.Done():
	}
}

func (c *channel) sendUp(frame []byte) {
	_ = c.page.Load().Send(frame) // like any datagram, it may be lost
}

// waitAll waits until all goroutines of the channel have ended.
func (c *channel) waitAll() {
	c.cancel()
	_ = c.all.Wait() // ctx.Err()
}
