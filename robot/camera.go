package robot

import (
	"context"
	"math"
	"time"
)

// A Frame is a picture in YUV 4:2:0, BT.601 limited range, as encoders expect it: planes
// without padding, first row at the top.
type Frame struct {
	Width, Height int        // pixels, even
	Y             []byte     // Width x Height
	U, V          []byte     // (Width/2) x (Height/2) each
	Taken         time.Time  // time of exposure
	Head          HeadAngles // head angles at that time
}

// Resize sets the size in pixels, both even, and reuses the planes if they are large
// enough.
func (f *Frame) Resize(width, height int) {
	f.Width, f.Height = width, height
	f.Y = resizePlane(f.Y, width*height)
	f.U = resizePlane(f.U, width*height/4)
	f.V = resizePlane(f.V, width*height/4)
}

func resizePlane(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// A Camera delivers pictures at its own rate. A driver may implement it, or a separate
// camera. Only one goroutine at a time may use it.
type Camera interface {
	// Next blocks until the next picture and writes it into f, whose planes it may reuse.
	// It returns ctx.Err() if ctx ends first, and ErrClosed if there will be no more
	// pictures.
	Next(ctx context.Context, f *Frame) error
}

// A Point3 is a point or vector in space, z up, in metres.
type Point3 struct{ X, Y, Z float64 }

// Add returns p moved by the vector q.
func (p Point3) Add(q Point3) Point3 { return Point3{p.X + q.X, p.Y + q.Y, p.Z + q.Z} }

// Sub returns the vector from q to p.
func (p Point3) Sub(q Point3) Point3 { return Point3{p.X - q.X, p.Y - q.Y, p.Z - q.Z} }

// Times returns p scaled by k.
func (p Point3) Times(k float64) Point3 { return Point3{k * p.X, k * p.Y, k * p.Z} }

// Dot returns the inner product, in m2.
func (p Point3) Dot(q Point3) float64 { return p.X*q.X + p.Y*q.Y + p.Z*q.Z }

// Cross returns the vector product, in m2.
func (p Point3) Cross(q Point3) Point3 {
	return Point3{p.Y*q.Z - p.Z*q.Y, p.Z*q.X - p.X*q.Z, p.X*q.Y - p.Y*q.X}
}

// A View is a pinhole camera with a pose. Pixel coordinates start at the upper left corner
// of the picture, so the centre of the first pixel is (0.5, 0.5), and the optical axis
// passes through the centre of the picture.
type View struct {
	Eye                  Point3  // the pinhole
	Right, Down, Forward Point3  // unit vectors: the picture's axes and the optical axis
	Focal                float64 // pixels
	Width, Height        int     // pixels
}

// View returns the camera in base_link with the head at the angles a. The tilt axis passes
// through the pinhole, so tilting turns the camera without moving it.
func (h *Head) View(a HeadAngles) View {
	sinP, cosP := math.Sincos(a.Pan)
	sinT, cosT := math.Sincos(a.Tilt)
	o := h.Camera
	v := View{
		Eye:     Point3{h.X + o.Forward*cosP, o.Forward * sinP, h.Z},
		Right:   Point3{sinP, -cosP, 0},
		Forward: Point3{cosP * cosT, sinP * cosT, sinT},
		Focal:   float64(o.Width) / 2 / math.Tan(o.FieldOfView/2),
		Width:   o.Width, Height: o.Height,
	}
	v.Down = v.Forward.Cross(v.Right)
	return v
}

// In transforms the view from base_link to map; mapFromBase is the pose of base_link in
// map.
func (v View) In(mapFromBase Pose) View {
	sin, cos := math.Sincos(mapFromBase.Theta)
	turn := func(p Point3) Point3 { return Point3{cos*p.X - sin*p.Y, sin*p.X + cos*p.Y, p.Z} }
	v.Eye = turn(v.Eye).Add(Point3{mapFromBase.X, mapFromBase.Y, 0})
	v.Right, v.Down, v.Forward = turn(v.Right), turn(v.Down), turn(v.Forward)
	return v
}

// projectPoint projects the point p to pixel coordinates, which may lie outside the
// picture. ok is false if p is not in front of the pinhole.
func (v View) projectPoint(p Point3) (x, y float64, ok bool) {
	d := p.Sub(v.Eye)
	depth := d.Dot(v.Forward)
	if !(depth > 1e-6) {
		return 0, 0, false
	}
	k := v.Focal / depth
	return float64(v.Width)/2 + k*d.Dot(v.Right), float64(v.Height)/2 + k*d.Dot(v.Down), true
}

// Project projects a point in base_link to pixel coordinates, as View.projectPoint does,
// with the head at the angles a.
func (h *Head) Project(a HeadAngles, p Point3) (x, y float64, ok bool) {
	return h.View(a).projectPoint(p)
}
