package robot_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"testing"

	"mybot/robot"
)

// commands has one command of each kind, and whether it is harmless.
var commands = map[string]struct {
	command  robot.Command
	harmless bool
}{
	"Drive":      {robot.Drive{}, false},
	"Follow":     {robot.Follow{}, false},
	"Replay":     {robot.Replay{}, false},
	"Halt":       {robot.Halt{}, true},
	"Stop":       {robot.Stop{}, true},
	"ClearStop":  {robot.ClearStop{}, false}, // a release from before a stop does not release that stop
	"Lapse":      {robot.Lapse{}, true},
	"Lacks":      {robot.Lacks{}, true},
	"Look":       {robot.Look{}, false},
	"MoveJoints": {robot.MoveJoints{}, false},
	"Lend":       {robot.Lend{}, true},
	"SetPose":    {robot.SetPose{}, true},
	"Plan":       {robot.Plan{}, true},
	"GoTo":       {robot.GoTo{}, false},
	"Pause":      {robot.Pause{}, true},
	"Resume":     {robot.Resume{}, false},
	"Cancel":     {robot.Cancel{}, true},
	"GoAround":   {robot.GoAround{}, false},
	"Enqueue":    {robot.Enqueue{}, false},
	"RunJob":     {robot.RunJob{}, false},
	"ChangeRun":  {robot.ChangeRun{}, true},
	"PauseRun":   {robot.PauseRun{}, true},
	"ResumeRun":  {robot.ResumeRun{}, false},
	"SkipStep":   {robot.SkipStep{}, false},
	"RetryStep":  {robot.RetryStep{}, false},
	"EndRun":     {robot.EndRun{}, true},
	"OK":         {robot.OK{}, false},
	"Spoken":     {robot.Spoken{}, true},

	"OpenUnit":     {robot.OpenUnit{}, true}, // what moves the robot is held after a stop
	"StartUnit":    {robot.StartUnit{}, true},
	"GiveCommands": {robot.GiveCommands{}, true},
	"CloseUnit":    {robot.CloseUnit{}, true},
	"HoldUnits":    {robot.HoldUnits{}, true},
	"ResumeUnits":  {robot.ResumeUnits{}, false},
	"LetStandBy":   {robot.LetStandBy{}, true},
	"ContinueUnit": {robot.ContinueUnit{}, false},
	"SilenceUnit":  {robot.SilenceUnit{}, true},
	"AnswerAsk":    {robot.AnswerAsk{}, true},
	"NoteUsers":    {robot.NoteUsers{}, true},
	"WatchValues":  {robot.WatchValues{}, true},
	"StepUnits":    {robot.StepUnits{}, true},
}

// After a STOP, a new command is refused until it is added to the harmless ones, here and at
// its declaration.
func TestACommandIsRefusedAfterAStopUnlessItSaysThatItIsHarmless(t *testing.T) {
	for name, c := range commands {
		if got := robot.HarmlessAfterStop(c.command); got != c.harmless {
			t.Errorf("%s is harmless after a stop: %v, want %v", name, got, c.harmless)
		}
	}
	if declared, listed := declaredCommands(t), slices.Sorted(maps.Keys(commands)); !slices.Equal(declared, listed) {
		t.Errorf("this test lists the commands\n%v, declared are\n%v", listed, declared)
	}
}

// declaredCommands returns the names of all commands: types with the method command.
func declaredCommands(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, name := range []string{"command.go", "script_command.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "command" {
				names = append(names, f.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
	}
	slices.Sort(names)
	return names
}
