package jobs

import _ "embed"

//go:embed schema.json
var schema []byte

// Schema returns the JSON schema of a job, for those who write one. What it
// allows and Parse refuses are texts with characters that cannot be read.
func Schema() []byte { return schema }
