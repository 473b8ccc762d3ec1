package app

import (
	"slices"
	"testing"

	"mybot/robot/models/modelstest"
	"mybot/script"
)

func TestTheNamesOfScriptsIncludeWhatIsWrittenInTheLanguage(t *testing.T) {
	d := modelstest.Mybot(t)
	names := scriptNames(d)
	for name, arguments := range map[string]int{"forward": 1, "turn": 1, "look": 2, "goto": 3} {
		i := slices.IndexFunc(names.Functions, func(f script.Function) bool { return f.Name == name })
		if i < 0 || names.Functions[i].Max != arguments || !names.Functions[i].Moves {
			t.Errorf("%s is not a function of %d arguments that moves the robot", name, arguments)
		}
	}
}
