package handlers

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"mybot/web"
)

// openAPI describes /api/v1 in OpenAPI 3.1. A test compares it with the routes and
// their answers.
//
//go:embed openapi.json
var openAPI []byte

func serveOpenAPI(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(openAPI) // the caller may be gone
}

// serveAPI answers with the document as a page, which is written once.
func (h *Handler) serveAPI(w http.ResponseWriter, _ *http.Request) {
	page, err := h.about()
	if err != nil {
		h.cfg.Log.Error("the page about the interface cannot be written", "error", err)
		writeSentence(w, http.StatusInternalServerError, "The page cannot be written. The robot's log says why.")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(page) // the browser may be gone
}

// aboutAPI writes the page about the interface.
func (h *Handler) aboutAPI() ([]byte, error) {
	page, err := apiPage(openAPI)
	if err != nil {
		return nil, err
	}
	page.Name, page.Build = h.cfg.Description.Name, h.cfg.Build
	var out bytes.Buffer
	err = web.API(page).Render(context.Background(), &out)
	return out.Bytes(), err
}

// A document is the part of OpenAPI that the page shows.
type document struct {
	Info struct{ Description string }
	Tags []struct{ Name, Description string }
	// Paths remain in order.
	Paths      json.RawMessage
	Components struct {
		Responses map[string]response
		Schemas   json.RawMessage
	}
}

type operation struct {
	Tags        []string
	Summary     string
	Description string
	OperationID string `json:"operationId"`
	Role        string `json:"x-role"`
	Parameters  []struct {
		Name        string
		Description string
		Required    bool
		Schema      schema
	}
	RequestBody *struct{ Content map[string]content } `json:"requestBody"`
	Responses   json.RawMessage
}

type response struct {
	Ref         string `json:"$ref"`
	Description string
	Content     map[string]content
}

type content struct {
	Schema  schema
	Example json.RawMessage
}

// A schema is the part of a JSON Schema that the page shows.
type schema struct {
	Ref         string `json:"$ref"`
	Type        any    // a text, or a list of texts
	Description string
	Enum        []any
	Const       any
	Items       *schema
	AnyOf       []schema `json:"anyOf"`
	AllOf       []schema `json:"allOf"`
	Required    []string
	Properties  json.RawMessage
}

// A member is one member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// membersOf returns the members of an object in order.
func membersOf(object json.RawMessage) ([]member, error) {
	if len(object) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	var all []member
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: fmt.Sprint(name)}
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// apiPage converts a document to a page.
func apiPage(data []byte) (web.APIData, error) {
	var doc document
	if err := json.Unmarshal(data, &doc); err != nil {
		return web.APIData{}, fmt.Errorf("handlers: the document of the interface: %w", err)
	}
	page := web.APIData{Text: doc.Info.Description}
	for _, t := range doc.Tags {
		page.Groups = append(page.Groups, web.APIGroup{Name: t.Name, Text: t.Description})
	}
	paths, err := membersOf(doc.Paths)
	if err != nil {
		return page, err
	}
	for _, path := range paths {
		methods, err := membersOf(path.value)
		if err != nil {
			return page, err
		}
		for _, method := range methods {
			o, tag, err := doc.describeOperation(strings.ToUpper(method.name), path.name, method.value)
			if err != nil {
				return page, fmt.Errorf("handlers: %s %s: %w", method.name, path.name, err)
			}
			if i := slices.IndexFunc(page.Groups, func(g web.APIGroup) bool { return g.Name == tag }); i >= 0 {
				page.Groups[i].Operations = append(page.Groups[i].Operations, o)
			}
		}
	}
	shapes, err := membersOf(doc.Components.Schemas)
	if err != nil {
		return page, err
	}
	for _, s := range shapes {
		var v schema
		if err := json.Unmarshal(s.value, &v); err != nil {
			return page, fmt.Errorf("handlers: %s: %w", s.name, err)
		}
		shape := web.APIShape{Name: s.name, Kind: v.describeKind(), Text: v.Description}
		if shape.Fields, err = v.describeFields(); err != nil {
			return page, err
		}
		page.Shapes = append(page.Shapes, shape)
	}
	return page, nil
}

func (d document) describeOperation(method, path string, data json.RawMessage) (o web.APIOperation, tag string, err error) {
	var op operation
	if err := json.Unmarshal(data, &op); err != nil {
		return o, "", err
	}
	o = web.APIOperation{ID: op.OperationID, Method: method, Path: path, Summary: op.Summary, Text: op.Description, Role: op.Role}
	for _, p := range op.Parameters {
		o.Fields = append(o.Fields, web.APIField{Name: p.Name, Kind: p.Schema.describeKind(), Text: p.Description, Required: p.Required})
	}
	if op.RequestBody != nil {
		for kind, m := range op.RequestBody.Content {
			body, err := m.describeBody(kind)
			if err != nil {
				return o, "", err
			}
			o.Body = &body
		}
	}
	answers, err := membersOf(op.Responses)
	if err != nil {
		return o, "", err
	}
	for _, a := range answers {
		var r response
		if err := json.Unmarshal(a.value, &r); err != nil {
			return o, "", err
		}
		if name, ok := strings.CutPrefix(r.Ref, "#/components/responses/"); ok {
			r = d.Components.Responses[name]
		}
		answer := web.APIAnswer{Status: a.name, Text: r.Description}
		if a.name < "300" {
			for kind, m := range r.Content {
				if answer.Body, err = m.describeBody(kind); err != nil {
					return o, "", err
				}
			}
		}
		o.Answers = append(o.Answers, answer)
	}
	if len(op.Tags) > 0 {
		tag = op.Tags[0]
	}
	return o, tag, nil
}

func (m content) describeBody(kind string) (web.APIBody, error) {
	b := web.APIBody{Media: kind, Kind: m.Schema.describeKind()}
	var err error
	if b.Fields, err = m.Schema.describeFields(); err != nil || m.Example == nil {
		return b, err
	}
	b.Example, err = laidOut(m.Example)
	return b, err
}

// describeFields returns the fields that an object has itself.
func (s schema) describeFields() ([]web.APIField, error) {
	all, err := membersOf(s.Properties)
	if err != nil {
		return nil, err
	}
	var fields []web.APIField
	for _, p := range all {
		var v schema
		if err := json.Unmarshal(p.value, &v); err != nil {
			return nil, err
		}
		fields = append(fields, web.APIField{Name: p.name, Kind: v.describeKind(), Text: v.Description, Required: slices.Contains(s.Required, p.name)})
	}
	return fields, nil
}

// describeKind says in a few words what a value is.
func (s schema) describeKind() string {
	ref, isRef := strings.CutPrefix(s.Ref, "#/components/schemas/")
	switch {
	case isRef:
		return ref
	case len(s.AnyOf) > 0:
		return joinKinds(s.AnyOf)
	case len(s.Enum) > 0:
		var words []string
		for _, v := range s.Enum {
			if v != "" {
				words = append(words, fmt.Sprint(v))
			}
		}
		return strings.Join(words, ", ")
	case s.Const != nil:
		return fmt.Sprint(s.Const)
	case len(s.AllOf) > 0:
		return joinKinds(s.AllOf) + " and more"
	case s.Type == "array" && s.Items != nil:
		return "list of " + s.Items.describeKind()
	}
	if list, ok := s.Type.([]any); ok {
		var words []string
		for _, t := range list {
			words = append(words, fmt.Sprint(t))
		}
		return strings.Join(words, " or ")
	}
	return fmt.Sprint(s.Type)
}

func joinKinds(all []schema) string {
	var words []string
	for _, s := range all {
		words = append(words, s.describeKind())
	}
	return strings.Join(words, " or ")
}

// laidOut breaks long JSON into lines.
func laidOut(data json.RawMessage) (string, error) {
	const long = 72
	var line bytes.Buffer
	if err := json.Compact(&line, data); err != nil {
		return "", err
	}
	if line.Len() <= long {
		return line.String(), nil
	}
	var out strings.Builder
	switch data[0] {
	case '{':
		all, err := membersOf(data)
		if err != nil {
			return "", err
		}
		out.WriteString("{\n")
		for i, m := range all {
			value, err := laidOut(m.value)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&out, "  %q: %s%s\n", m.name, indentJSON(value), commaAfter(i, len(all)))
		}
		out.WriteString("}")
	case '[':
		var all []json.RawMessage
		if err := json.Unmarshal(data, &all); err != nil {
			return "", err
		}
		out.WriteString("[\n")
		for i, v := range all {
			value, err := laidOut(v)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&out, "  %s%s\n", indentJSON(value), commaAfter(i, len(all)))
		}
		out.WriteString("]")
	default:
		return line.String(), nil
	}
	return out.String(), nil
}

func indentJSON(s string) string { return strings.ReplaceAll(s, "\n", "\n  ") }

func commaAfter(i, of int) string {
	if i == of-1 {
		return ""
	}
	return ","
}
