package base

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"mybot/drivers/base/protocol"
	"mybot/robot"
)

const (
	// maxUnread is how old an unread scan may be.
	maxUnread = time.Second
	// maxUnreadScans is how many may wait: four lidars at 50 scans a second.
	maxUnreadScans = 200
	// maxShift is by how much the clock of a base may be off after a gap and still
	// count as the same clock.
	maxShift = 500 * time.Millisecond
	// partDisorder is by how many ms the lines of a part's sensors may be out of
	// order.
	partDisorder = 1000
)

// errRestarted says that the clock or the totals of a base have restarted.
var errRestarted = errors.New("the base has restarted")

// A translator converts the lines of one base to readings. It is pure: the time
// comes with the line.
type translator struct {
	desc     robot.Description
	clock    clock
	odometer odometer
	gyro     gyro
	senses   senses
	scans    []robot.Scan // since the last reading
	newest   time.Time    // Time of the last reading
	rolled   robot.Wheels // m, in the last reading, by the wheels alone
	gap      bool         // the line was interrupted since the last reading
}

func newTranslator(desc robot.Description) *translator {
	return &translator{desc: desc, senses: newSenses(desc)}
}

// interrupt notes that lines may have been lost, and that the base may be another
// process now.
func (t *translator) interrupt() { t.gap, t.scans = true, nil }

// restart forgets the clock and the totals of the base.
func (t *translator) restart() {
	t.clock, t.odometer, t.gyro, t.senses = clock{}, odometer{}, gyro{}, newSenses(t.desc)
	t.interrupt()
	t.gap = false
}

// convertReading converts a reading line that arrived at a time. The error is
// errRestarted, after which the caller must call restart, or the fault of the line.
func (t *translator) convertReading(m protocol.Reading, arrived time.Time) (robot.Reading, error) {
	first := t.clock.epoch.IsZero()
	switch {
	case first:
	case m.At < t.clock.newest, t.gap && t.odometer.isAnew(m.Totals), t.gap && t.clock.lateBy(m.At, arrived).Abs() > maxShift:
		return robot.Reading{}, errRestarted
	case m.At == t.clock.newest:
		return robot.Reading{}, fmt.Errorf("the clock of the base stands still at %d ms; ms must grow from reading to reading", m.At)
	}
	if err := t.senses.checkLine(m.Senses); err != nil {
		return robot.Reading{}, err
	}
	took := m.At - t.clock.newest
	gap := t.gap
	t.gap = false
	travel, err := t.odometer.advance(t.desc, m.Totals)
	if !first {
		if fastest := t.desc.MaxTravel(took.Duration().Seconds()); err == nil && max(math.Abs(travel.Left), math.Abs(travel.Right)) > fastest {
			if gap {
				return robot.Reading{}, errRestarted
			}
			err = explainJump(m, t.desc, travel, took, fastest)
		}
	}
	t.clock.compare(m.At, arrived)
	if err = cmp.Or(err, t.clock.pace.fault()); err != nil {
		return robot.Reading{}, err
	}
	t.senses.mergeLine(m.Senses)
	t.rolled = travel
	if t.desc.TurnFromIMU {
		travel = t.gyro.correctTravel(t.desc.Drivetrain, travel, m.Yaw)
	}
	at := t.clock.time(m.At)
	if at = maxTime(at, t.newest.Add(time.Millisecond)); at.After(arrived) {
		at = maxTime(arrived, t.newest.Add(1))
	}
	t.newest = at
	r := robot.Reading{Time: at, Travel: travel, Scans: t.scans}
	t.scans = nil
	t.senses.fillReading(&r)
	return r, nil
}

// convertPart converts a line of a part that arrived at a time to a reading without
// travel; the error is as for convertReading.
func (t *translator) convertPart(m protocol.FromBase, arrived time.Time) (robot.Reading, error) {
	var at protocol.Millis
	var senses protocol.Senses
	scan, isScan := m.(protocol.Scan)
	switch m := m.(type) {
	case protocol.Reading:
		at, senses = m.At, m.Senses
	case protocol.More:
		at, senses = m.At, m.Senses
	case protocol.Scan:
		at = m.At + protocol.Millis(m.Lasts)
	}
	if !t.clock.epoch.IsZero() && (at < t.clock.newest-partDisorder || t.gap && t.clock.lateBy(at, arrived).Abs() > maxShift) {
		return robot.Reading{}, errRestarted
	}
	if err := t.senses.checkLine(senses); err != nil {
		return robot.Reading{}, err
	}
	t.gap = false
	t.clock.compare(at, arrived)
	if err := t.clock.pace.fault(); err != nil {
		return robot.Reading{}, err
	}
	if isScan {
		if err := t.storeScan(scan); err != nil {
			return robot.Reading{}, err
		}
	}
	t.senses.mergeLine(senses)
	r := robot.Reading{Time: arrived, Scans: t.scans}
	t.scans = nil
	t.senses.fillReading(&r)
	return r, nil
}

// takeMore takes measurements of other sensors.
func (t *translator) takeMore(m protocol.More) error {
	if err := t.senses.checkLine(m.Senses); err != nil {
		return err
	}
	t.senses.mergeLine(m.Senses)
	if t.desc.TurnFromIMU {
		t.gyro.takeYaw(m.Yaw)
	}
	return nil
}

// storeScan stores a scan for the next reading. Package robot/scan checks its beams
// and its time.
func (t *translator) storeScan(m protocol.Scan) error {
	if t.clock.epoch.IsZero() {
		return nil // without a reading its time cannot be converted
	}
	scan := robot.Scan{Lidar: m.Lidar, Time: t.clock.time(m.At), Lasts: time.Duration(m.Lasts) * time.Millisecond}
	if m.Lidar >= len(t.desc.Lidars) {
		return fmt.Errorf("the base sends a scan of lidar %d, but its description has %d lidars; they are numbered from 0", m.Lidar, len(t.desc.Lidars))
	}
	var err error
	if scan.Ranges, err = readBeams(m.Ranges, t.desc.Lidars[m.Lidar]); err != nil {
		return fmt.Errorf("lidar %d: %w", m.Lidar, err)
	}
	t.scans = append(recentScans(t.scans, scan.Time), scan)
	return nil
}

// recentScans returns the scans that are recent enough to be useful, oldest first,
// and at most maxUnreadScans of them, because the base could claim any time.
func recentScans(scans []robot.Scan, now time.Time) []robot.Scan {
	for len(scans) > maxUnreadScans || len(scans) > 0 && now.Sub(scans[0].Time) > maxUnread {
		scans = scans[1:]
	}
	return scans
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
