// A base for Mybot on an Arduino with an ATmega328P (Uno, Nano): two motors behind a
// driver with a PWM and a DIR input each, and two encoders with channels A and B.
const byte PWM_PINS[] = {5, 6}, DIR_PINS[] = {4, 7}, A_PINS[] = {2, 3}, B_PINS[] = {8, 9};  // left, right
const float WHEEL_BASE = 0.16, WHEEL_RADIUS = 0.033, TOP = 0.5;  // m, m, m/s with full PWM
const int TICKS = 960;                                           // of channel A in a turn, both edges
const float METRES = 2 * PI * WHEEL_RADIUS / TICKS;              // a tick
const unsigned long PERIOD = 20, HOLDS = 100;                    // ms
const float P = 0.5, I = 0.1;                                    // of the speed control

// A wheel that turns forward but counts backward: exchange its A and B.
volatile long ticks[2];
void tickLeft() { ticks[0] += digitalRead(A_PINS[0]) == digitalRead(B_PINS[0]) ? 1 : -1; }
void tickRight() { ticks[1] += digitalRead(A_PINS[1]) == digitalRead(B_PINS[1]) ? 1 : -1; }

float wanted[2], sum[2];
long counted[2];
void drive(float left, float right) {
  wanted[0] = constrain(left, -TOP, TOP);
  wanted[1] = constrain(right, -TOP, TOP);
}

// A wheel that turns backward when it should turn forward: exchange its motor's wires.
void motor(byte i, float effort) {
  digitalWrite(DIR_PINS[i], effort < 0);
  analogWrite(PWM_PINS[i], min(255, 255 * fabs(effort)));
}

// control is called once a PERIOD, and leaves in counted what the encoders say.
void control() {
  for (byte i = 0; i < 2; i++) {
    noInterrupts(); long now = ticks[i]; interrupts();
    float error = wanted[i] - (now - counted[i]) * METRES * 1000 / PERIOD;
    counted[i] = now;
    sum[i] = wanted[i] == 0 ? 0 : constrain(sum[i] + I * error, -TOP, TOP);
    motor(i, wanted[i] == 0 ? 0 : (wanted[i] + P * error + sum[i]) / TOP);
  }
}

char line[100];              // that is heard
byte used;
bool tooLong, greeted, moving, panicked, malformed;
unsigned long got, ends, due;  // number of the newest drive line that was executed; ms

unsigned int addToChecksum(unsigned int crc, byte b) {
  crc ^= (unsigned int)b << 8;
  for (byte i = 0; i < 8; i++) crc = crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1;
  return crc;
}

// out writes a line, and at its end the checksum.
struct : public Print {
  unsigned int crc = 0xFFFF;
  size_t write(uint8_t b) { crc = addToChecksum(crc, b); return Serial.write(b); }
  void end() {
    char text[8];
    snprintf(text, sizeof text, "~%04X\n", crc); Serial.print(text);
    crc = 0xFFFF;
  }
} out;

void stop() {
  moving = false;
  drive(0, 0); motor(0, 0); motor(1, 0);
}

void describe() {
  out.print(F("{\"t\":\"describe\",\"protocol\":1,\"base\":\"base.ino 1\",\"robot\":{\"name\":\"Uno\","
    "\"body\":{\"length_m\":0.2,\"width_m\":0.2,\"height_m\":0.1,\"mass_kg\":1.2},\"drivetrain\":{\"axle_offset_m\":0,\"wheel_base_m\":"));
  out.print(WHEEL_BASE, 4); out.print(F("},\"encoder\":{\"wheel_radius_m\":")); out.print(WHEEL_RADIUS, 4);
  out.print(F(",\"ticks_per_turn\":")); out.print(TICKS); out.print(F("},\"hardware\":{\"linear_m_s\":0.5,\"angular_deg_s\":180,\"linear_acceleration_m_s2\":2,\"angular_acceleration_deg_s2\":720},"
    "\"safe\":{\"linear_m_s\":0.3,\"angular_deg_s\":60,\"linear_acceleration_m_s2\":0.6,\"angular_acceleration_deg_s2\":120},"
    "\"rate_hz\":50,\"holds_s\":0.1}}"));
  out.end();
}

// whole reads the number behind a key, and real one with a point; false = there is none.
bool whole(const char *key, unsigned long &number) {
  char *at = strstr(line, key), *end;
  if (!at || !isdigit(*(at += strlen(key)))) return false;
  number = strtoul(at, &end, 10);
  return *end == ',' || *end == '}';
}
bool real(const char *key, float &number) {
  char *at = strstr(line, key), *end;
  if (!at) return false;
  number = strtod(at += strlen(key), &end);
  return end > at && (*end == ',' || *end == '}') && fabs(number) <= 100;  // not NaN either
}

bool isKind(const char *kind) { return strstr(line, kind); }

// obey executes the line. It returns false when the line is malformed.
bool obey() {
  char *mark = strrchr(line, '~'), *end;
  unsigned int crc = 0xFFFF;
  for (char *c = line; c < mark; c++) crc = addToChecksum(crc, *c);
  if (!mark || strlen(mark) != 5 || strtoul(mark + 1, &end, 16) != crc || *end || *line != '{' || mark[-1] != '}') return false;
  unsigned long n, until, id, now = millis();
  float v, w;
  if (isKind("\"t\":\"hello\"")) { stop(); greeted = true; got = 0; describe(); }
  if (isKind("\"t\":\"panic\"")) { stop(); panicked = true; }
  if (isKind("\"t\":\"clear\"")) panicked = false;
  if (isKind("\"t\":\"ping\"")) {
    if (!whole("\"id\":", id) || (long)id <= 0) return false;
    out.print(F("{\"t\":\"pong\",\"id\":")); out.print(id); out.print(F(",\"ms\":")); out.print(now); out.print('}'); out.end();
  }
  if (!isKind("\"t\":\"drive\"")) return true;
  if (!whole("\"n\":", n) || !whole("\"until\":", until) || !real("\"v\":", v) || !real("\"w\":", w)) return false;
  if (!greeted || panicked || (long)n <= (long)got || (long)(until - now) <= 0) return true;
  got = n; ends = now + min(HOLDS, until - now); moving = true;
  drive(v - w * WHEEL_BASE / 2, v + w * WHEEL_BASE / 2);
  return true;
}

void hear(char c) {
  if (c != '\n' && used < sizeof line - 1) { line[used++] = c; return; }
  if (c != '\n') { tooLong = true; return; }
  line[used] = 0;
  if (tooLong || (used && !obey())) malformed = true;
  used = tooLong = 0;
}

void report(unsigned long now) {
  out.print(F("{\"t\":\"reading\",\"ms\":")); out.print(now);
  out.print(F(",\"ticks\":[")); out.print(counted[0]); out.print(','); out.print(counted[1]);
  out.print(F("],\"got\":")); out.print(got);
  out.print(panicked ? F(",\"refuses\":\"Stopped by panic.\"}") : F(",\"refuses\":\"\"}")); out.end();
  if (malformed) { malformed = false; out.print(F("{\"t\":\"error\",\"text\":\"a line was malformed\"}")); out.end(); }
}

void setup() {
  Serial.begin(115200);
  for (byte i = 0; i < 2; i++) {
    pinMode(PWM_PINS[i], OUTPUT); pinMode(DIR_PINS[i], OUTPUT);
    pinMode(A_PINS[i], INPUT_PULLUP); pinMode(B_PINS[i], INPUT_PULLUP);
  }
  attachInterrupt(digitalPinToInterrupt(A_PINS[0]), tickLeft, CHANGE);
  attachInterrupt(digitalPinToInterrupt(A_PINS[1]), tickRight, CHANGE);
}

void loop() {
  while (Serial.available()) hear(Serial.read());
  unsigned long now = millis();
  if (moving && (long)(now - ends) >= 0) stop();  // the watchdog
  if ((long)(now - due) < 0) return;
  due = max(due + PERIOD, now + 1);
  control();
  if (greeted) report(now);
}
