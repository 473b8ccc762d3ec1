// Runs the firmware of base.ino in simavr, an emulator of the ATmega328P. Its serial
// port is this program's standard input and output, or a pseudo terminal to which a
// second argument becomes a link, and its motors turn two simulated wheels with encoders.
// Time passes as on a real board, or more slowly on a busy computer.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <simavr/avr_ioport.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>
#include <simavr/sim_io.h>
#include <simavr/sim_time.h>

enum { PORTD = 0x2B, TCCR0A = 0x44, OCR0A = 0x47, OCR0B = 0x48 };  // addresses of registers
enum { STEP_US = 100 };

static const double TOP = 0.5, LAG = 0.05;                       // m/s with full PWM; s
static const double TICK = 2 * 3.14159265 * 0.033 / 960;         // m

// A wheel is a motor with its encoder.
struct wheel {
  int direction, pwm;        // bits of port D
  int compare, connected;    // register with the duty cycle; bit of TCCR0A that joins it to the pin
  double speed, rolled;      // m/s, m
};

static struct wheel wheels[2] = {
  {4, 5, OCR0B, 5},
  {7, 6, OCR0A, 7},
};
static int accepts = 1;      // whether the serial port takes another byte

// set_inputs sets two neighbouring pins of a port from outside, against their pull-ups.
static void set_inputs(avr_t *avr, char port, int first, int bits) {
  avr_ioport_external_t pins = {.name = port, .mask = 3 << first, .value = bits << first};
  avr_ioctl(avr, AVR_IOCTL_IOPORT_SET_EXTERNAL(port), &pins);
  for (int i = 0; i < 2; i++) avr_raise_irq(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ(port), first + i), bits >> i & 1);
}

// turn_wheels moves the wheels by a step and sets the pins of their encoders.
static avr_cycle_count_t turn_wheels(avr_t *avr, avr_cycle_count_t when, void *unused) {
  int a = 0, b = 0;          // the channels of the encoders
  for (int i = 0; i < 2; i++) {
    struct wheel *w = &wheels[i];
    double duty = avr->data[PORTD] >> w->pwm & 1;
    if (avr->data[TCCR0A] >> w->connected & 1) duty = avr->data[w->compare] / 255.0;
    if (avr->data[PORTD] >> w->direction & 1) duty = -duty;
    w->speed += (duty * TOP - w->speed) * (STEP_US / 1e6) / LAG;
    w->rolled += w->speed * (STEP_US / 1e6);
    int phase = (int64_t)floor(2 * w->rolled / TICK) & 3;
    a |= (phase == 1 || phase == 2) << i;
    b |= (phase < 2) << i;
  }
  set_inputs(avr, 'B', 0, b);
  set_inputs(avr, 'D', 2, a);
  return when + avr_usec_to_cycles(avr, STEP_US);
}

// A byte that nobody takes is lost, as on a cable.
static void write_byte(avr_irq_t *irq, uint32_t value, void *unused) {
  char byte = value;
  if (write(1, &byte, 1) < 0 && errno != EAGAIN) _exit(0);
}
static void accept_more(avr_irq_t *irq, uint32_t value, void *unused) { accepts = 1; }
static void accept_none(avr_irq_t *irq, uint32_t value, void *unused) { accepts = 0; }

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

// open_port makes standard input and output a pseudo terminal. Its other end stays open
// here, so that it lives on when Mybot closes it, as a serial port does.
static int open_port(const char *link) {
  int port = posix_openpt(O_RDWR | O_NOCTTY);
  if (port < 0 || grantpt(port) || unlockpt(port)) return -1;
  int other = open(ptsname(port), O_RDWR | O_NOCTTY);
  struct termios settings;
  if (other < 0 || tcgetattr(other, &settings)) return -1;
  cfmakeraw(&settings);
  unlink(link);
  return tcsetattr(other, TCSANOW, &settings) || symlink(ptsname(port), link) || dup2(port, 0) < 0 || dup2(port, 1) < 0;
}

int main(int argc, char **argv) {
  elf_firmware_t firmware = {0};
  if (argc < 2 || elf_read_firmware(argv[1], &firmware) || (argc > 2 && open_port(argv[2]))) {
    fprintf(stderr, "simulate: it takes the firmware, and perhaps where its port shall be: simulate build/firmware.elf /tmp/uno\n");
    return 2;
  }
  avr_t *avr = avr_make_mcu_by_name("atmega328p");
  avr_init(avr);
  avr->log = LOG_ERROR;
  avr_load_firmware(avr, &firmware);
  avr->frequency = 16000000;
  uint32_t flags = 0;        // simavr would print the lines itself, and sleep
  avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
  avr_irq_t *input = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
  avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), write_byte, 0);
  avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XON), accept_more, 0);
  avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XOFF), accept_none, 0);
  avr_cycle_timer_register_usec(avr, STEP_US, turn_wheels, 0);
  fcntl(1, F_SETFL, fcntl(1, F_GETFL) | O_NONBLOCK);

  unsigned char bytes[256];
  int length = 0, used = 0;
  double began = seconds();
  for (;;) {
    for (int i = 0; i < 4000; i++) {
      int state = avr_run(avr);
      if (state == cpu_Done || state == cpu_Crashed) return 1;
    }
    struct pollfd from = {0, POLLIN};
    if (used == length && poll(&from, 1, 0) > 0) {
      used = 0;
      if ((length = read(0, bytes, sizeof bytes)) <= 0) return 0;  // Mybot is gone
    }
    while (accepts && used < length) avr_raise_irq(input, bytes[used++]);
    double ahead = avr->cycle / 16e6 - (seconds() - began);
    if (ahead > 0.001) usleep(ahead * 1e6);
    if (ahead < -0.1) began -= ahead;                              // it does not hurry afterwards
  }
}
