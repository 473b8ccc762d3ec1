package session

import "time"

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
