package ratelimit

// Shares counts what each of several sharers, such as devices or links, has of something
// that they share. A sharer that has some gets one more only while more than those are
// free. So each has at most half of what the others leave, and one that has none gets one
// as long as any is free. The zero value counts nothing.
type Shares struct{ by map[string]int }

// Count returns how many the sharer has.
func (s *Shares) Count(sharer string) int { return s.by[sharer] }

// Take counts one more for the sharer if it may have one more while so many are free.
func (s *Shares) Take(sharer string, free int) bool {
	if s.by[sharer] >= free {
		return false
	}
	if s.by == nil {
		s.by = map[string]int{}
	}
	s.by[sharer]++
	return true
}

// Return counts one less for the sharer, which must have one.
func (s *Shares) Return(sharer string) {
	if s.by[sharer]--; s.by[sharer] == 0 {
		delete(s.by, sharer)
	}
}
