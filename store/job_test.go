package store

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	bolt "go.etcd.io/bbolt"
)

func TestRunsAreKeptWithTheirTransitionsAndTheOldestMakeRoom(t *testing.T) {
	dir := t.TempDir()
	s := reopened(t, dir)
	for i := range 4 {
		n, err := s.AddRun(fmt.Appendf(nil, "made %d", i+1), 3)
		if err != nil || n != uint64(i+1) {
			t.Fatalf("run %d: %v", n, err)
		}
		if err := s.KeepRun(n, []byte("half"), 0, [][]byte{[]byte("a"), []byte("b")}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(
		s.KeepRun(2, []byte("whole"), 2, [][]byte{[]byte("c")}),
		s.KeepRun(1, []byte("of one that was forgotten"), 2, [][]byte{[]byte("c")}),
		s.DropRun(3),
		s.PutJob("a", []byte("A")), s.PutJob("b", []byte("B")), s.PutJob("a", []byte("A again")), s.DeleteJob("b", 1),
	); err != nil {
		t.Fatal(err)
	}
	ready, err := s.AddRun([]byte("another made"), 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.ChangeRun(4, []byte("another made"), ready), s.Close()); err != nil {
		t.Fatal(err)
	}

	s = reopened(t, dir)
	all, err := s.Runs()
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, r := range all {
		whole, err := s.Run(r.N)
		if err != nil || r.Made != nil || string(whole.State) != string(r.State) || r.Log != nil {
			t.Errorf("%+v and %+v, %v", r, whole, err)
		}
		told = append(told, fmt.Sprintf("%d %s, %s %s", r.N, whole.Made, r.State, whole.Log))
	}
	if got, want := strings.Join(told, "; "), "2 made 2, whole [a b c]; 4 another made, half [a b]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if jobs, _, err := s.Jobs(); err != nil || fmt.Sprintf("%s", jobs) != "map[a:A again]" {
		t.Errorf("%s, %v", jobs, err)
	}
	for _, gone := range []uint64{1, 3, ready} {
		if r, err := s.Run(gone); err != nil || r.Made != nil || r.Log != nil {
			t.Errorf("run %d is %+v, %v", gone, r, err)
		}
	}
}

func TestADiskWithoutRoomIsKnownHoweverItIsSaid(t *testing.T) {
	for err, full := range map[error]bool{
		fmt.Errorf("write /x: %w", syscall.ENOSPC):                 true,
		fmt.Errorf("write /x: %w", syscall.EDQUOT):                 true,
		errors.New("file resize error: " + syscall.EFBIG.Error()):  true,
		errors.New("file resize error: " + syscall.ENOSPC.Error()): true,
		fmt.Errorf("write /x: %w", syscall.EIO):                    false,
		errors.New("there is no space left on device, he said"):    false,
	} {
		if noRoom(err) != full {
			t.Errorf("%v: %v", err, !full)
		}
	}
}

// keysOf counts the keys of a bucket.
func keysOf(t *testing.T, s *Store, bucket []byte) (n int) {
	t.Helper()
	if err := s.db.View(func(tx *bolt.Tx) error {
		return tx.Bucket(bucket).ForEach(func(_, _ []byte) error { n++; return nil })
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestOfWhatIsForgottenNothingIsLeftInTheFile(t *testing.T) {
	s := reopened(t, t.TempDir())
	add := func(most int) {
		t.Helper()
		n, err := s.AddRun([]byte("made"), most)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.KeepRun(n, []byte("state"), 0, [][]byte{[]byte("a"), []byte("b"), []byte("c")}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.AddMotion([]byte("about"), []byte("path"), most); err != nil {
			t.Fatal(err)
		}
	}
	for range 6 {
		add(9)
	}
	add(3) // four of each are deleted at once
	if err := errors.Join(s.DropRun(6), s.DeleteMotion(6)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{string(runsBucket): 2, string(runStatesBucket): 2, string(transitionsBucket): 6, string(motionsBucket): 2, string(pathsBucket): 2} {
		if got := keysOf(t, s, []byte(name)); got != want {
			t.Errorf("%s: %d are left, want %d", name, got, want)
		}
	}
	if all, err := s.Runs(); err != nil || len(all) != 2 || all[0].N != 5 || all[1].N != 7 {
		t.Errorf("%+v, %v", all, err)
	}
}
