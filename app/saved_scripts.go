package app

import (
	"fmt"
	"regexp"
	"strings"

	"mybot/handlers"
	"mybot/robot"
	"mybot/robot/onboard"
	"mybot/script"
	scripts "mybot/script/library"
)

// openScripts opens the library of scripts, whose texts scripts may load by name.
func (s *server) openScripts() (err error) {
	var devices []string
	for _, d := range onboard.ScriptConfig(s.desc).Devices {
		devices = append(devices, d.Name)
	}
	s.saved, err = scripts.Open(s.store, devices, s.log)
	return err
}

// findScript returns the text of a saved script, by its id or name. The error is a sentence
// for the script that loads it.
func (s *server) findScript(name string) (text string, err error) {
	for _, one := range s.saved.List() {
		if one.ID == name || one.Name == name {
			return one.Text, nil
		}
	}
	return "", fmt.Errorf("there is no script %q", name)
}

// scriptConfig returns what the REST interface needs for scripts.
func (s *server) scriptConfig() handlers.ScriptConfig {
	names := scriptNames(s.desc)
	return handlers.ScriptConfig{
		Library: s.saved, Standby: s.scriptPermits(), StartFault: s.startFaults.StartFault, Runner: s.hub, Units: s.hub, Router: s.scripts,
		Trials: newScriptTrials(s.desc, s.maps.Plan, s.findScript), Names: func() handlers.ScriptNames { return names },
	}
}

// definition finds the name and the parameters of a function that is written in the language.
var definition = regexp.MustCompile(`def (\w+)\(([^)]*)\)`)

// scriptNames returns the names that a robot adds to the language.
func scriptNames(d robot.Description) handlers.ScriptNames {
	c := onboard.ScriptConfig(d)
	names := handlers.ScriptNames{Devices: c.Devices, Functions: c.Functions}
	for _, found := range definition.FindAllStringSubmatch(c.Library, -1) {
		n := len(strings.FieldsFunc(found[2], func(r rune) bool { return r == ',' || r == ' ' }))
		names.Functions = append(names.Functions, script.Function{Name: found[1], Min: n, Max: n, Moves: true})
	}
	return names
}
