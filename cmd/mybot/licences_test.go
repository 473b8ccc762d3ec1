package main

import (
	"os/exec"
	"strings"
	"testing"
)

func TestTheLicencesOfAllModulesInTheProgramArePrinted(t *testing.T) {
	var out, wrong strings.Builder
	if code := run(t.Context(), []string{"licences"}, &out, &wrong, func(string) string { return "" }); code != exitDone {
		t.Fatalf("licences ends with %d: %s", code, wrong.String())
	}
	list, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(list)) {
		module := strings.TrimSpace(line)
		if module == "" {
			continue
		}
		n++
		if !strings.Contains("\n"+out.String(), "\n"+module+"\n") {
			t.Fatalf("%s is in the program and its licence is not printed; run go generate ./cmd/mybot", module)
		}
	}
	if n == 0 {
		t.Error("the program has no modules")
	}
	for _, words := range []string{"Permission is hereby granted, free of charge", "Apache License", "Redistribution and use in source and binary forms", "The Go Authors"} {
		if !strings.Contains(out.String(), words) {
			t.Errorf("the licences do not say %q", words)
		}
	}
}
