package jobs

import _ "embed"

//go:embed schema.json
var schema []byte

// Schema returns the JSON schema of a job, for authors of jobs. It is less strict
// than Parse in one respect: it allows texts with unprintable characters.
func Schema() []byte { return schema }
