package talk

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mybot/robot/robottest"
	"mybot/script"
)

const stories = "../testdata"

// runStory runs a conversation of testdata with the devices of aibo.json.
func runStory(t *testing.T, text string) string {
	t.Helper()
	list, err := os.ReadFile(filepath.Join(stories, "aibo.json"))
	if err != nil {
		t.Fatal(err)
	}
	devices, err := ReadDevices(list)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Read(text)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	setup := Setup{Devices: devices, Load: func(name string) (string, error) {
		text, err := os.ReadFile(filepath.Join(stories, filepath.Base(name)))
		return string(text), err
	}}
	err = Run(context.Background(), c, setup, func(l script.Line) { b.WriteString(l.Unit + " " + l.String() + "\n") })
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestConversationsGoAsTheirTranscriptsSay(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(stories, "*.talk"))
	if err != nil || len(files) < 9 {
		t.Fatalf("there are %d conversations: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := runStory(t, string(text))
			robottest.Golden(t, strings.TrimSuffix(file, ".talk")+".out", got)
			if again := runStory(t, string(text)); again != got {
				t.Errorf("a second run says\n%s\nand the first one\n%s", again, got)
			}
		})
	}
}
