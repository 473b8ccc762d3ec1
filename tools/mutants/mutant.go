package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// A mutant is a changed place in a source.
type mutant struct {
	file     string // from the module's root
	function string
	line     int
	old, new string
	source   []byte // of the whole file, with the mutation
	again    int    // number of equal mutants before it in the same function

	from, to int    // the place, as offsets in the file
	text     string // the new text
	truth    bool   // it is boolean, so that a switch can choose it
}

// String names the mutant without its line, which changes too often.
func (m mutant) String() string {
	again := ""
	if m.again > 0 {
		again = fmt.Sprintf(" (%d)", m.again+1)
	}
	where := m.file
	if m.function != "" {
		where += " " + m.function
	}
	return fmt.Sprintf("%s: %s => %s%s", where, m.old, m.new, again)
}

// findMutants returns every mutant of a source: comparisons with the other bound and in the
// other direction, "and" for "or", the larger for the smaller, conditions and signs without
// their negation or with one.
func findMutants(file string, src []byte) ([]mutant, error) {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := finder{file: file, files: files, src: src, seen: map[string]int{}}
	for _, d := range tree.Decls {
		f.function = ""
		if fn, ok := d.(*ast.FuncDecl); ok {
			f.function = fn.Name.Name
		}
		ast.Inspect(d, f.visitNode)
	}
	return f.found, nil
}

type finder struct {
	file, function string
	files          *token.FileSet
	src            []byte
	found          []mutant
	seen           map[string]int
}

func (f *finder) visitNode(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		f.negateCondition(n.Cond)
	case *ast.ForStmt:
		f.negateCondition(n.Cond)
	case *ast.SwitchStmt:
		if n.Tag == nil {
			for _, c := range n.Body.List {
				for _, e := range c.(*ast.CaseClause).List {
					f.negateCondition(e)
				}
			}
		}
	case *ast.BinaryExpr:
		f.mutateBinary(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT || n.Op == token.SUB {
			f.addMutant(n, "("+f.sourceOf(n.X)+")", n.Op == token.NOT)
		}
	case *ast.CallExpr:
		f.mutateCall(n)
	}
	return true
}

// mutateBinary inverts a comparison or a logical operator.
func (f *finder) mutateBinary(n *ast.BinaryExpr) {
	instead := map[token.Token][]token.Token{
		token.LSS:  {token.LEQ, token.GEQ},
		token.LEQ:  {token.LSS, token.GTR},
		token.GTR:  {token.GEQ, token.LEQ},
		token.GEQ:  {token.GTR, token.LSS},
		token.EQL:  {token.NEQ},
		token.NEQ:  {token.EQL},
		token.LAND: {token.LOR},
		token.LOR:  {token.LAND},
	}
	if n.Op == token.LAND || n.Op == token.LOR {
		f.negateCondition(n.X)
		f.negateCondition(n.Y)
	}
	for _, op := range instead[n.Op] {
		f.addMutant(n, fmt.Sprintf("(%s %s %s)", f.sourceOf(n.X), op, f.sourceOf(n.Y)), true)
	}
}

// negateCondition negates a boolean that contains no comparison.
func (f *finder) negateCondition(e ast.Expr) {
	switch e := e.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.CallExpr:
		f.addMutant(e, "!"+f.sourceOf(e), true)
	}
}

// mutateCall inverts a bound, and moves a time by an instant.
func (f *finder) mutateCall(n *ast.CallExpr) {
	other := map[string]string{"min": "max", "max": "min", "math.Min": "math.Max", "math.Max": "math.Min"}
	if name, ok := other[f.sourceOf(n.Fun)]; ok {
		f.addMutant(n, name+f.sourceOf(n)[len(f.sourceOf(n.Fun)):], false)
	}
	s, ok := n.Fun.(*ast.SelectorExpr)
	if !ok || len(n.Args) != 1 {
		return
	}
	// t.Before(u) is t < u, and !t.After(u) is t <= u.
	if name, ok := map[string]string{"Before": "After", "After": "Before"}[s.Sel.Name]; ok {
		f.addMutant(n, fmt.Sprintf("!%s.%s(%s)", f.sourceOf(s.X), name, f.sourceOf(n.Args[0])), true)
	}
}

func (f *finder) addMutant(n ast.Node, text string, truth bool) {
	from, to := f.files.Position(n.Pos()), f.files.Position(n.End())
	m := mutant{
		file: f.file, function: f.function, line: from.Line,
		old: oneLine(f.sourceOf(n)), new: oneLine(text),
		source: []byte(string(f.src[:from.Offset]) + text + string(f.src[to.Offset:])),
		from:   from.Offset, to: to.Offset, text: text, truth: truth,
	}
	m.again = f.seen[m.String()]
	f.seen[mutant{file: m.file, function: m.function, old: m.old, new: m.new}.String()]++
	f.found = append(f.found, m)
}

func (f *finder) sourceOf(n ast.Node) string {
	return string(f.src[f.files.Position(n.Pos()).Offset:f.files.Position(n.End()).Offset])
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
