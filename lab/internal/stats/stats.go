// Package stats summarizes the measurements of experiments: percentiles, means and rounded
// numbers. It is pure.
package stats

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Quantile returns the smallest value that the fraction q of the values does not exceed; 0 if
// there are no values. It sorts the values.
func Quantile[T cmp.Ordered](values []T, q float64) (value T) {
	if len(values) == 0 {
		return value
	}
	slices.Sort(values)
	return values[max(0, int(math.Ceil(q*float64(len(values))))-1)]
}

// Mean returns the mean of the values; 0 if there are none.
func Mean(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total / max(1, float64(len(values)))
}

// MeanAndP99 returns the mean and the 99th percentile, which is one rank above that of Quantile
// if 100 divides the count. It sorts the values.
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

// SpreadOf returns the spread of the values. It sorts them.
func SpreadOf(values []float64) Spread { return Spread{Quantile(values, 0.5), Quantile(values, 0.95)} }

// Shares describes a distribution by three quantiles.
type Shares struct {
	P5     float64 `json:"p5"`
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
}

// SharesOf returns the quantiles of the values. It sorts them.
func SharesOf(values []float64) Shares {
	return Shares{Quantile(values, 0.05), Quantile(values, 0.5), Quantile(values, 0.95)}
}

// Round rounds x to multiples of 1/parts: 100 gives hundredths.
func Round(x, parts float64) float64 { return math.Round(parts*x) / parts }

// Milliseconds returns a time in ms, rounded to hundredths.
func Milliseconds(d time.Duration) float64 { return math.Round(d.Seconds()*1e5) / 100 }

// Count adds one to n if so is true.
func Count[T int | float64](n *T, so bool) {
	if so {
		*n++
	}
}
