package media

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// A street is a listener whose connections the test makes.
type street struct {
	knocks chan net.Conn
	faults chan error
}

func (s *street) Accept() (net.Conn, error) {
	select {
	case err := <-s.faults:
		return nil, err
	case c, ok := <-s.knocks:
		if !ok {
			return nil, net.ErrClosed
		}
		return c, nil
	}
}

func (s *street) Close() error   { close(s.knocks); return nil }
func (s *street) Addr() net.Addr { return &net.TCPAddr{} }

// A caller is a connection from an address.
type caller struct {
	net.Conn
	from net.TCPAddr
}

func (c *caller) RemoteAddr() net.Addr { return &c.from }

// behind returns a door, and a function that connects from an address: theirs is
// the caller's end, ours the robot's, nil if the connection was refused.
func behind() (d *tcpGate, s *street, knock func(from string) (theirs, ours net.Conn)) {
	s = &street{knocks: make(chan net.Conn), faults: make(chan error, 1)}
	d = &tcpGate{Listener: s}
	in := make(chan net.Conn)
	go func() {
		for {
			c, err := d.Accept()
			if err != nil {
				return
			}
			in <- c
		}
	}()
	port := 0
	return d, s, func(from string) (net.Conn, net.Conn) {
		port++
		theirs, ours := net.Pipe()
		s.knocks <- &caller{ours, net.TCPAddr{IP: net.ParseIP(from), Port: port}}
		synctest.Wait()
		select {
		case c := <-in:
			return theirs, c
		default:
			return theirs, nil
		}
	}
}

// closed reports whether the other end of a connection was closed.
func closed(c net.Conn) bool {
	_ = c.SetReadDeadline(time.Now())
	_, err := c.Read(make([]byte, 1))
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

// answers has the robot answer on a connection: its credentials were valid.
func answers(t *testing.T, theirs, ours net.Conn) {
	t.Helper()
	go func() { _, _ = ours.Write([]byte("yes")) }()
	if _, err := io.ReadFull(theirs, make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
}

func TestWhoShowsNoCredentialsIsSentAwaySoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _, knock := behind()
		defer d.Close()
		silent, _ := knock("192.0.2.1")
		known, ours := knock("192.0.2.1")
		answers(t, known, ours)
		begun := time.Now()
		_, err := silent.Read(make([]byte, 1))
		if took := time.Since(begun); err == nil || took != authenticateWithin {
			t.Errorf("who says nothing is cut off after %v with %v; it should be %v", took, err, authenticateWithin)
		}
		if closed(known) {
			t.Error("a client with credentials is cut off too")
		}
	})
}

func TestOneTooManyTakesThePlaceOfTheOldestWithoutCredentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _, knock := behind()
		defer d.Close()
		other, _ := knock("192.0.2.9")
		var callers []net.Conn
		for i := range maxConnsEach {
			theirs, ours := knock("2001:db8::" + fmt.Sprintf("%x", i+1)) // all of one /64
			if callers = append(callers, theirs); i == 0 {
				answers(t, theirs, ours)
			}
		}
		if _, ours := knock("2001:db8::ffff"); ours == nil {
			t.Fatal("one too many is not let in, though others have shown nothing")
		}
		for i, c := range append([]net.Conn{other}, callers...) {
			if closed(c) != (i == 2) {
				t.Errorf("caller %d is cut off: %v; it should be the oldest of that address that has shown nothing", i, i != 2)
			}
		}
	})
}

func TestWhereAllHaveShownTheirCredentialsOneTooManyIsNotLetIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _, knock := behind()
		defer d.Close()
		for range maxConnsEach {
			theirs, ours := knock("192.0.2.1")
			answers(t, theirs, ours)
		}
		if theirs, ours := knock("192.0.2.1"); ours != nil || !closed(theirs) {
			t.Error("there is no bound for one address")
		}
		if theirs, ours := knock("192.0.2.2"); ours == nil || closed(theirs) {
			t.Error("another address finds no place")
		}
	})
}

func TestThereIsABoundForAllWhoComeByTCP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _, knock := behind()
		defer d.Close()
		first, _ := knock("192.0.2.1")
		second, _ := knock("192.0.2.2")
		for i := range maxConns - 1 {
			knock(net.IPv4(198, 51, byte(i>>8), byte(i)).String())
		}
		if !closed(first) || closed(second) {
			t.Errorf("of %d callers the oldest is cut off: %v, the second: %v", maxConns+1, closed(first), closed(second))
		}
	})
}

func TestWhoSendsMuchBeforeHisCredentialsIsNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _, knock := behind()
		defer d.Close()
		theirs, ours := knock("192.0.2.1")
		go func() { _, _ = theirs.Write(make([]byte, maxUnauthenticated+1)) }()
		if n, err := io.Copy(io.Discard, ours); n > maxUnauthenticated || !errors.Is(err, errUnauthenticated) {
			t.Errorf("%d bytes are read, then %v", n, err)
		}
	})
}

func TestAComputerWithoutFilesLetsPeopleInLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, s, knock := behind()
		defer d.Close()
		s.faults <- &net.OpError{Op: "accept", Err: syscall.EMFILE}
		synctest.Wait() // it has come up
		if _, ours := knock("192.0.2.1"); ours == nil {
			t.Error("no client can connect")
		}
	})
}

func TestAPersonBehindAClosedDoorIsSentAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _, knock := behind()
		theirs, _ := knock("192.0.2.1")
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if !closed(theirs) {
			t.Error("he waits still")
		}
	})
}
