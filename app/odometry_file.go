package app

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mybot/localization"
	"mybot/robot"
)

// OdometryFile is the file of what the localizer has learned about the robot's odometry, in
// the state directory.
const OdometryFile = "odometry.json"

// odometryTolerance is the difference, in rad per metre or as a share, from which learned
// errors are saved again.
const odometryTolerance = 0.005

// An odometryMemory holds what the localizers have learned about the robot's odometry, from
// floor to floor and across restarts. Any goroutine may call its methods.
type odometryMemory struct {
	mu     sync.Mutex // never held while anything waits
	errors localization.OdometryErrors
	known  bool
}

func (o *odometryMemory) set(e localization.OdometryErrors) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.errors, o.known = e, true
}

func (o *odometryMemory) get() (e localization.OdometryErrors, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.errors, o.known
}

// An OdometryBasis is the part of a robot's description from which its odometry is computed.
// Errors that were learned with another one are not those of the robot.
type OdometryBasis struct {
	WheelBase   float64 `json:"wheel_base_m"`
	AxleOffset  float64 `json:"axle_offset_m"`
	WheelRadius float64 `json:"wheel_radius_m,omitempty"` // 0 = the base reports metres
	Ticks       int     `json:"ticks_per_turn,omitempty"`
	TurnFromIMU bool    `json:"turn_from_imu,omitempty"`
}

func odometryBasis(d robot.Description) OdometryBasis {
	return OdometryBasis{d.Drivetrain.WheelBase, d.Drivetrain.AxleOffset, d.Encoder.WheelRadius, d.Encoder.Ticks, d.TurnFromIMU}
}

// A savedOdometry is the content of the file.
type savedOdometry struct {
	Basis  OdometryBasis `json:"description"`
	Curve  float64       `json:"missing_turn_deg_per_m"`
	Spin   float64       `json:"missing_turn_share"`
	Length float64       `json:"missing_distance_share"`
	At     time.Time     `json:"at"`
}

// LoadOdometry returns what was learned about the robot's odometry before it was switched
// off, and from what the odometry was computed. ok is false without a directory or a readable
// file.
func LoadOdometry(dir string) (e localization.OdometryErrors, basis OdometryBasis, ok bool) {
	if dir == "" {
		return e, basis, false
	}
	data, err := os.ReadFile(filepath.Join(dir, OdometryFile))
	var k savedOdometry
	if err != nil || json.Unmarshal(data, &k) != nil || k.Basis.WheelBase == 0 {
		return e, basis, false
	}
	return localization.OdometryErrors{Curve: robot.Radians(k.Curve), Spin: k.Spin, Length: k.Length}, k.Basis, true
}

// loadOdometry returns what was learned about the odometry of a robot of this description.
func loadOdometry(dir string, desc robot.Description) *odometryMemory {
	o := new(odometryMemory)
	if e, basis, ok := LoadOdometry(dir); ok && basis == odometryBasis(desc) {
		o.set(e)
	}
	return o
}

// run saves what is learned while it changes, until ctx ends, and once more at the end.
func (o *odometryMemory) run(ctx context.Context, dir string, desc robot.Description, log *slog.Logger) error {
	last, saved := o.get()
	return saveRegularly(ctx, log, "what was learned about the robot's odometry cannot be saved", func() error {
		e, ok := o.get()
		if !ok || saved && math.Abs(e.Curve-last.Curve) < odometryTolerance && math.Abs(e.Spin-last.Spin) < odometryTolerance && math.Abs(e.Length-last.Length) < odometryTolerance {
			return nil
		}
		err := writeJSON(filepath.Join(dir, OdometryFile), savedOdometry{odometryBasis(desc), robot.Degrees(e.Curve), e.Spin, e.Length, time.Now()})
		if err == nil {
			last, saved = e, true
		}
		return err
	})
}
