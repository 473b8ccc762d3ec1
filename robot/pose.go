package robot

import "math"

// A Point is a point in the plane, in metres.
type Point struct {
	X float64 `json:"x"` // m
	Y float64 `json:"y"` // m
}

// Sub returns the vector from q to p.
func (p Point) Sub(q Point) Point { return Point{p.X - q.X, p.Y - q.Y} }

// Add returns p moved by the vector q.
func (p Point) Add(q Point) Point { return Point{p.X + q.X, p.Y + q.Y} }

// Norm returns the length of p as a vector, in metres.
func (p Point) Norm() float64 { return math.Hypot(p.X, p.Y) }

// A Pose is a rigid transform of the plane, SE(2): the origin and direction of one frame in
// another.
type Pose struct {
	X     float64 `json:"x"`     // m
	Y     float64 `json:"y"`     // m
	Theta float64 `json:"theta"` // rad in (-pi, pi], counter-clockwise from +x
}

// Compose returns the transform that applies q first and p after it: aFromC =
// aFromB.Compose(bFromC).
func (p Pose) Compose(q Pose) Pose {
	sin, cos := math.Sincos(p.Theta)
	return Pose{
		X:     p.X + cos*q.X - sin*q.Y,
		Y:     p.Y + sin*q.X + cos*q.Y,
		Theta: WrapAngle(p.Theta + q.Theta),
	}
}

// Inverse returns the inverse transform: bFromA = aFromB.Inverse().
func (p Pose) Inverse() Pose {
	sin, cos := math.Sincos(p.Theta)
	return Pose{
		X:     -cos*p.X - sin*p.Y,
		Y:     sin*p.X - cos*p.Y,
		Theta: WrapAngle(-p.Theta),
	}
}

// Apply transforms a point from the source frame to the target frame.
func (p Pose) Apply(q Point) Point {
	sin, cos := math.Sincos(p.Theta)
	return Point{p.X + cos*q.X - sin*q.Y, p.Y + sin*q.X + cos*q.Y}
}

// Point returns the position without the heading.
func (p Pose) Point() Point { return Point{p.X, p.Y} }

// MeanAngle returns the circular mean of angles, in rad; NaN if there are none or they
// cancel out. It ignores NaN.
func MeanAngle(angles []float64) float64 {
	var sum Point
	n := 0.0
	for _, a := range angles {
		if !math.IsNaN(a) {
			sin, cos := math.Sincos(a)
			sum, n = sum.Add(Point{X: cos, Y: sin}), n+1
		}
	}
	if !(sum.Norm() > 1e-6*n) {
		return math.NaN()
	}
	return math.Atan2(sum.Y, sum.X)
}

// WrapAngle returns the angle equal to a, in rad, in (-pi, pi].
func WrapAngle(a float64) float64 {
	if a > -math.Pi && a <= math.Pi {
		return a
	}
	a = math.Mod(a, 2*math.Pi)
	switch {
	case a > math.Pi:
		a -= 2 * math.Pi
	case a <= -math.Pi:
		a += 2 * math.Pi
	}
	return a
}

// Radians converts degrees to radians.
func Radians(d float64) float64 { return d * math.Pi / 180 }

// Degrees converts radians to degrees, for text that people read.
func Degrees(r float64) float64 { return r * 180 / math.Pi }

// A Covariance is the part of a pose's 3x3 covariance that the estimators compute: x and y
// with their correlation, and the heading.
type Covariance struct {
	XX float64 `json:"xx"` // m2
	XY float64 `json:"xy"` // m2
	YY float64 `json:"yy"` // m2
	TT float64 `json:"tt"` // rad2
}

// Position returns the standard deviations along the main axes of the error ellipse, in m,
// the larger first, and the direction of the larger one, in rad.
func (c Covariance) Position() (major, minor, angle float64) {
	mean, diff := (c.XX+c.YY)/2, (c.XX-c.YY)/2
	root := math.Hypot(diff, c.XY)
	return math.Sqrt(mean + root), math.Sqrt(math.Max(0, mean-root)), math.Atan2(c.XY, diff) / 2
}
