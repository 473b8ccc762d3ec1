// Package stats sums up what experiments measured: percentiles, means and
// rounded numbers. It is pure.
package stats

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Quantile returns the smallest of the values that the share q of them does
// not exceed; 0 of none. It sorts them.
func Quantile[T cmp.Ordered](values []T, q float64) (value T) {
	if len(values) == 0 {
		return value
	}
	slices.Sort(values)
	return values[max(0, int(math.Ceil(q*float64(len(values))))-1)]
}

// Mean returns the mean of the values; 0 of none.
func Mean(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total / max(1, float64(len(values)))
}

// MeanAndP99 returns the mean and the value at 99 of 100 places, one place above
// that of Quantile where 100 divides the count. It sorts the values.
func MeanAndP99(values []float64) (mean, p99 float64) {
	if len(values) == 0 {
		return 0, 0
	}
	slices.Sort(values)
	for _, v := range values {
		mean += v / float64(len(values))
	}
	return mean, values[min(len(values)-1, len(values)*99/100)]
}

// Spread is the median and the 95th percentile.
type Spread struct {
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
}

// SpreadOf sorts the values.
func SpreadOf(values []float64) Spread { return Spread{Quantile(values, 0.5), Quantile(values, 0.95)} }

// Shares is how something is distributed.
type Shares struct {
	P5     float64 `json:"p5"`
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
}

// SharesOf sorts the values.
func SharesOf(values []float64) Shares {
	return Shares{Quantile(values, 0.05), Quantile(values, 0.5), Quantile(values, 0.95)}
}

// Round rounds to so many parts of one: 100 gives hundredths.
func Round(x, parts float64) float64 { return math.Round(parts*x) / parts }

// Milliseconds returns a time in ms, rounded to hundredths.
func Milliseconds(d time.Duration) float64 { return math.Round(d.Seconds()*1e5) / 100 }

// Count adds one to n where something is so.
func Count[T int | float64](n *T, so bool) {
	if so {
		*n++
	}
}
