package script

import "strings"

// suggestName returns a question to append to the fault of an unknown name: " Did you mean
// headPan?", or "" if no known name is similar. It makes none if comparing would
// take too long: see pairsOfLetters.
func suggestName(name string, known []string) string {
	best, bestDistance := "", 1+max(1, len(name)/3) // one more than a similar name has
	if len(name) == 1 {
		bestDistance = 1
	}
	if pairsOfLetters(name, known) > maxCompared {
		return ""
	}
	for _, k := range known {
		if k == name {
			continue
		}
		d := editDistance(strings.ToLower(name), strings.ToLower(k), bestDistance+1)
		if d < bestDistance || d == bestDistance && best != "" && k < best {
			best, bestDistance = k, d
		}
	}
	if best == "" {
		return ""
	}
	return " Did you mean " + best + "?"
}

// pairsOfLetters returns how many pairs of letters suggestName would compare. maxCompared of
// them take about a millisecond.
func pairsOfLetters(name string, known []string) (n int) {
	limit := 2 + max(1, len(name)/3)
	for _, k := range known {
		if max(len(name)-len(k), len(k)-len(name)) < limit {
			n += len(name) * len(k)
		}
	}
	return n
}

// editDistance returns how many letters must be changed, inserted, deleted or swapped with
// their neighbour to turn a into b, but at most limit.
func editDistance(a, b string, limit int) int {
	if max(len(a)-len(b), len(b)-len(a)) >= limit {
		return limit
	}
	var older []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], older[j-2]+1)
			}
		}
		older, row = row, next
	}
	return min(row[len(b)], limit)
}
