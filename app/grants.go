package app

import (
	"encoding/json"
	"fmt"

	"mybot/session/access"
	"mybot/store"
)

// AuditFile is the name of the audit log in the data directory.
const AuditFile = "audit.jsonl"

// grants is the store as an access.GrantStore.
type grants struct{ *store.Store }

// Grants reads all grants.
func (g grants) Grants() ([]access.Grant, error) {
	stored, err := g.Store.Grants()
	if err != nil {
		return nil, err
	}
	list := make([]access.Grant, len(stored))
	for i, data := range stored {
		if err := json.Unmarshal(data, &list[i]); err != nil {
			return nil, fmt.Errorf("a grant in the store is damaged: %w", err)
		}
	}
	return list, nil
}

// PutGrant saves a grant.
func (g grants) PutGrant(grant access.Grant) error {
	data, err := json.Marshal(grant)
	if err != nil {
		return err
	}
	return g.Store.PutGrant(grant.ID, data)
}

// openStore opens the store in the data directory, or a temporary one without a
// data directory.
func openStore(dir string) (*store.Store, error) {
	if dir == "" {
		return store.OpenTemporary()
	}
	return store.Open(dir)
}

// OpenAccess opens the authenticator of a robot that is not running, to list and
// revoke its grants. shut releases its data directory.
func OpenAccess(dir string) (authenticator *access.Authenticator, shut func() error, err error) {
	db, err := store.Open(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("app: %w", err)
	}
	if authenticator, err = access.NewAuthenticator(grants{db}); err != nil {
		_ = db.Close() // the first error is what matters
		return nil, nil, fmt.Errorf("app: %w", err)
	}
	return authenticator, db.Close, nil
}
