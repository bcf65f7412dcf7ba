// SPDX-License-Identifier: Apache-2.0
//
// Runs commands in a guest of the lab, with input, output and exit status passed through.
//
//   lab_shell serve PORT TOKEN_FILE              in the guest, as its process 1 or as a service
//   lab_shell run PORT TOKEN_FILE COMMAND...     on the build machine, through a forwarded port
//
// Why not ssh: looking up addresses and accounts asks rtnetlink, which blocks while a driver holds
// RTNL, and the lab makes drivers do that. Here nothing but sockets, pipes and fork is used.
//
// One connection is one command. Both ways it carries frames: a byte that says what it is, four
// bytes of length (big endian), then the content. The client's first frame is the token, the second
// the command. A client that goes away takes its command with it; a command that ends leaves behind
// whatever it has put into a session of its own.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum frame_type {
  FRAME_TOKEN = 'T',
  FRAME_COMMAND = 'C',       // arguments, each ended by a zero byte
  FRAME_INPUT = 'I',         // for the command's standard input
  FRAME_INPUT_END = 'Z',     // standard input is at its end
  FRAME_OUTPUT = 'O',        // from the command's standard output
  FRAME_ERROR_OUTPUT = 'E',  // from the command's standard error
  FRAME_EXIT = 'X',          // one byte: the exit status, or 128 + signal
};

enum {
  HEADER_BYTES = 5,
  CHUNK_BYTES = 32 * 1024,     // the content of one data frame, at most
  COMMAND_BYTES = 128 * 1024,  // the longest frame: a command with all its arguments
  // A buffer that has no room for a whole frame any more is not filled further: that is the flow
  // control.
  BUFFER_BYTES = 4 * (COMMAND_BYTES + HEADER_BYTES),
  KILL_AFTER_MS = 2000,    // from the hang-up a deserted command gets to the kill
  LEAVE_WITHIN_MS = 5000,  // how long a client may take to read its exit status
  STATUS_LOST = 255,       // as ssh: the connection failed, not the command
  STATUS_NOT_RUN = 127,    // as a shell: no such command
};

static void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("lab_shell: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(STATUS_LOST);
}

// ---- a byte queue -----------------------------------------------------------------------------

struct buffer {
  size_t start, end;
  uint8_t bytes[BUFFER_BYTES];
};

static size_t buffer_used(const struct buffer *buffer) { return buffer->end - buffer->start; }

static size_t buffer_room(struct buffer *buffer) {
  if (buffer->start > 0) {
    memmove(buffer->bytes, buffer->bytes + buffer->start, buffer_used(buffer));
    buffer->end -= buffer->start;
    buffer->start = 0;
  }
  return BUFFER_BYTES - buffer->end;
}

static bool has_room_for_a_frame(struct buffer *buffer) {
  return buffer_room(buffer) >= COMMAND_BYTES + HEADER_BYTES;
}

static void append_frame(struct buffer *buffer, enum frame_type type, const void *content,
                         size_t bytes) {
  const uint32_t length = htonl((uint32_t)bytes);
  if (buffer_room(buffer) < HEADER_BYTES + bytes) abort();
  buffer->bytes[buffer->end] = (uint8_t)type;
  memcpy(buffer->bytes + buffer->end + 1, &length, sizeof(length));
  if (bytes > 0) memcpy(buffer->bytes + buffer->end + HEADER_BYTES, content, bytes);
  buffer->end += HEADER_BYTES + bytes;
}

struct frame {
  enum frame_type type;
  const uint8_t *content;
  size_t bytes;
};

// Takes the next whole frame off the queue; its content stays valid until the queue is filled
// again.
static bool take_frame(struct buffer *buffer, struct frame *frame) {
  uint32_t length;
  if (buffer_used(buffer) < HEADER_BYTES) return false;
  memcpy(&length, buffer->bytes + buffer->start + 1, sizeof(length));
  frame->bytes = ntohl(length);
  if (frame->bytes > COMMAND_BYTES) die("a frame of %zu bytes: not our protocol", frame->bytes);
  if (buffer_used(buffer) < HEADER_BYTES + frame->bytes) return false;
  frame->type = buffer->bytes[buffer->start];
  frame->content = buffer->bytes + buffer->start + HEADER_BYTES;
  buffer->start += HEADER_BYTES + frame->bytes;
  return true;
}

// Both return false when the descriptor is at its end or broken; "not now" is true.
static bool fill_from(struct buffer *buffer, int fd) {
  const size_t room = buffer_room(buffer);
  const ssize_t got = read(fd, buffer->bytes + buffer->end, room);
  if (got > 0) buffer->end += (size_t)got;
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool drain_to(struct buffer *buffer, int fd) {
  const ssize_t put = write(fd, buffer->bytes + buffer->start, buffer_used(buffer));
  if (put > 0) buffer->start += (size_t)put;
  return put >= 0 || errno == EAGAIN || errno == EINTR;
}

// Reads once from a pipe into a frame; false when the pipe is at its end.
static bool frame_from_pipe(struct buffer *buffer, enum frame_type type, int fd, bool *got_some) {
  uint8_t chunk[CHUNK_BYTES];
  const ssize_t got = read(fd, chunk, sizeof(chunk));
  *got_some = got > 0;
  if (got > 0) append_frame(buffer, type, chunk, (size_t)got);
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

static void set_nonblocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

static void close_and_forget(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

static size_t read_token(const char *path, char *token, size_t size) {
  FILE *file = fopen(path, "re");
  if (file == NULL) die("cannot read %s: %s", path, strerror(errno));
  const size_t bytes = fread(token, 1, size, file);
  fclose(file);
  if (bytes == 0) die("%s is empty", path);
  return bytes;
}

// ---- the client -------------------------------------------------------------------------------

struct client {
  int socket;
  int input;  // our standard input, -1 after its end
  struct buffer to_guest;
  struct buffer from_guest;
};

static int connect_to(const char *port) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)atoi(port)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const int yes = 1;
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
    die("cannot reach the guest at loopback port %s: %s", port, strerror(errno));
  }
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  set_nonblocking(fd);
  return fd;
}

static void append_command(struct buffer *buffer, char **arguments) {
  static char joined[COMMAND_BYTES];
  size_t bytes = 0;
  for (; *arguments != NULL; arguments++) {
    const size_t length = strlen(*arguments) + 1;
    if (bytes + length > sizeof(joined)) die("the command is too long");
    memcpy(joined + bytes, *arguments, length);
    bytes += length;
  }
  append_frame(buffer, FRAME_COMMAND, joined, bytes);
}

static void write_all(int fd, const uint8_t *bytes, size_t count) {
  while (count > 0) {
    const ssize_t put = write(fd, bytes, count);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) {  // somebody else made our standard output non-blocking
      struct pollfd ready = {.fd = fd, .events = POLLOUT};
      poll(&ready, 1, -1);
      continue;
    }
    if (put < 0) exit(STATUS_LOST);  // nobody reads our output any more
    bytes += put;
    count -= (size_t)put;
  }
}

static void client_handle_frames(struct client *client) {
  struct frame frame;
  while (take_frame(&client->from_guest, &frame)) {
    switch (frame.type) {
      case FRAME_OUTPUT:
        write_all(STDOUT_FILENO, frame.content, frame.bytes);
        break;
      case FRAME_ERROR_OUTPUT:
        write_all(STDERR_FILENO, frame.content, frame.bytes);
        break;
      case FRAME_EXIT:
        exit(frame.bytes == 1 ? frame.content[0] : STATUS_LOST);
      default:
        die("the guest sent a frame of type %d", frame.type);
    }
  }
}

static void client_main(const char *port, const char *token_path, char **arguments) {
  static struct client client;
  char token[128];
  const size_t token_bytes = read_token(token_path, token, sizeof(token));
  client.socket = connect_to(port);
  client.input = STDIN_FILENO;
  append_frame(&client.to_guest, FRAME_TOKEN, token, token_bytes);
  append_command(&client.to_guest, arguments);
  for (;;) {
    const bool take_input = client.input >= 0 && has_room_for_a_frame(&client.to_guest);
    const bool have_output = buffer_used(&client.to_guest) > 0;
    struct pollfd ready[] = {
        {.fd = client.socket, .events = POLLIN | (have_output ? POLLOUT : 0)},
        {.fd = take_input ? client.input : -1, .events = POLLIN},
    };
    if (poll(ready, 2, -1) < 0 && errno != EINTR) die("poll: %s", strerror(errno));
    if (ready[1].revents != 0) {
      bool got_some;
      if (!frame_from_pipe(&client.to_guest, FRAME_INPUT, client.input, &got_some)) {
        append_frame(&client.to_guest, FRAME_INPUT_END, NULL, 0);
        client.input = -1;
      }
    }
    // A guest that refuses us closes at once: look at what it said before complaining of the write.
    if ((ready[0].revents & POLLOUT) != 0) drain_to(&client.to_guest, client.socket);
    if ((ready[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
      const bool open = fill_from(&client.from_guest, client.socket);
      client_handle_frames(&client);
      if (!open) die("the connection to the guest is lost");
    }
  }
}

// ---- the server -------------------------------------------------------------------------------

struct session {
  int socket;
  int child_events;                 // a signalfd: the command has ended
  int input, output, error_output;  // our ends of the command's pipes, -1 when closed
  bool input_ended;                 // the client has no more input; close when all is handed on
  pid_t command;
  struct buffer from_client;
  struct buffer to_client;
  struct buffer to_command;
};

static char *next_argument(char *argument) { return argument + strlen(argument) + 1; }

static void start_command(struct session *session, const struct frame *frame) {
  static char joined[COMMAND_BYTES + 1];
  char *arguments[4096];
  size_t count = 0;
  int input[2], output[2], error_output[2];

  memcpy(joined, frame->content, frame->bytes);  // the byte after it is zero
  for (char *argument = joined; argument < joined + frame->bytes && count < 4095;
       argument = next_argument(argument)) {
    arguments[count++] = argument;
  }
  arguments[count] = NULL;
  if (count == 0) die("no command");
  if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0 ||
      pipe2(error_output, O_CLOEXEC) != 0) {
    die("pipe: %s", strerror(errno));
  }
  session->command = fork();
  if (session->command < 0) die("fork: %s", strerror(errno));
  if (session->command == 0) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    setsid();
    dup2(input[0], STDIN_FILENO);
    dup2(output[1], STDOUT_FILENO);
    dup2(error_output[1], STDERR_FILENO);
    execvp(arguments[0], arguments);
    dprintf(STDERR_FILENO, "%s: %s\n", arguments[0], strerror(errno));
    _exit(STATUS_NOT_RUN);
  }
  close(input[0]);
  close(output[1]);
  close(error_output[1]);
  session->input = input[1];
  session->output = output[0];
  session->error_output = error_output[0];
  set_nonblocking(session->input);
  set_nonblocking(session->output);
  set_nonblocking(session->error_output);
}

static void handle_client_frames(struct session *session, const char *token, size_t token_bytes,
                                 bool *trusted) {
  struct frame frame;
  // Input waits in from_client while the command is slow to take it.
  while (has_room_for_a_frame(&session->to_command) && take_frame(&session->from_client, &frame)) {
    if (frame.type == FRAME_TOKEN) {
      *trusted = frame.bytes == token_bytes && memcmp(frame.content, token, token_bytes) == 0;
    } else if (!*trusted) {
      die("a client without the token");
    } else if (frame.type == FRAME_COMMAND && session->command == 0) {
      start_command(session, &frame);
    } else if (frame.type == FRAME_INPUT && session->input >= 0) {
      memcpy(session->to_command.bytes + session->to_command.end, frame.content, frame.bytes);
      session->to_command.end += frame.bytes;
    } else if (frame.type == FRAME_INPUT_END) {
      session->input_ended = true;
    }
  }
}

static void pass_input_on(struct session *session) {
  if (session->input < 0) return;
  const bool open =
      buffer_used(&session->to_command) == 0 || drain_to(&session->to_command, session->input);
  if (!open || (session->input_ended && buffer_used(&session->to_command) == 0)) {
    close_and_forget(&session->input);
    session->to_command.start = session->to_command.end = 0;
  }
}

static void pass_output_on(struct session *session, int *fd, enum frame_type type) {
  bool got_some = false;
  if (*fd >= 0 && has_room_for_a_frame(&session->to_client) &&
      !frame_from_pipe(&session->to_client, type, *fd, &got_some)) {
    close_and_forget(fd);
  }
}

// The command has ended, but the pipes may still hold some of what it said. They need not come to
// their end: a daemon it started may have inherited them.
static void drain_output(struct session *session, int fd, enum frame_type type) {
  bool got_some = fd >= 0;
  while (got_some) {
    while (!has_room_for_a_frame(&session->to_client)) {
      struct pollfd ready = {.fd = session->socket, .events = POLLOUT};
      poll(&ready, 1, -1);
      if (!drain_to(&session->to_client, session->socket)) return;
    }
    frame_from_pipe(&session->to_client, type, fd, &got_some);
  }
}

// Closing a socket that still holds input would reset the connection and could cost the client the
// exit status that is on its way.
static void wait_for_client_to_leave(struct session *session) {
  struct pollfd ready = {.fd = session->socket, .events = POLLIN};
  shutdown(session->socket, SHUT_WR);
  do {
    session->from_client.start = session->from_client.end = 0;
  } while (poll(&ready, 1, LEAVE_WITHIN_MS) > 0 &&
           fill_from(&session->from_client, session->socket));
}

static void finish_session(struct session *session, int wait_status) {
  const uint8_t status =
      (uint8_t)(WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status));
  drain_output(session, session->output, FRAME_OUTPUT);
  drain_output(session, session->error_output, FRAME_ERROR_OUTPUT);
  append_frame(&session->to_client, FRAME_EXIT, &status, 1);
  while (buffer_used(&session->to_client) > 0) {
    struct pollfd ready = {.fd = session->socket, .events = POLLOUT};
    poll(&ready, 1, -1);
    if (!drain_to(&session->to_client, session->socket)) exit(0);
  }
  wait_for_client_to_leave(session);
  exit(0);
}

static void abandon_command(struct session *session) {
  struct pollfd ended = {.fd = session->child_events, .events = POLLIN};
  if (session->command == 0) exit(0);
  kill(-session->command, SIGHUP);
  poll(&ended, 1, KILL_AFTER_MS);
  kill(-session->command, SIGKILL);
  exit(0);
}

static void session_main(int socket, const char *token, size_t token_bytes) {
  static struct session session;
  bool trusted = false;
  sigset_t child_signal;
  int wait_status;

  sigemptyset(&child_signal);
  sigaddset(&child_signal, SIGCHLD);
  signal(SIGPIPE, SIG_IGN);
  session.socket = socket;
  session.child_events = signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK);
  session.input = session.output = session.error_output = -1;
  set_nonblocking(socket);
  for (;;) {
    const bool take_frames = has_room_for_a_frame(&session.from_client);
    const bool take_output = has_room_for_a_frame(&session.to_client);
    struct pollfd ready[] = {
        {.fd = socket,
         .events =
             (take_frames ? POLLIN : 0) | (buffer_used(&session.to_client) > 0 ? POLLOUT : 0)},
        {.fd = session.child_events, .events = POLLIN},
        {.fd = take_output ? session.output : -1, .events = POLLIN},
        {.fd = take_output ? session.error_output : -1, .events = POLLIN},
        {.fd = buffer_used(&session.to_command) > 0 ? session.input : -1, .events = POLLOUT},
    };
    if (poll(ready, 5, -1) < 0 && errno != EINTR) die("poll: %s", strerror(errno));
    if ((ready[0].revents & POLLOUT) != 0) drain_to(&session.to_client, socket);
    if ((ready[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0 &&
        !fill_from(&session.from_client, socket)) {
      abandon_command(&session);
    }
    handle_client_frames(&session, token, token_bytes, &trusted);
    pass_input_on(&session);
    if (ready[2].revents != 0) pass_output_on(&session, &session.output, FRAME_OUTPUT);
    if (ready[3].revents != 0) pass_output_on(&session, &session.error_output, FRAME_ERROR_OUTPUT);
    if (session.command > 0 && waitpid(session.command, &wait_status, WNOHANG) > 0) {
      finish_session(&session, wait_status);
    }
    if (ready[1].revents != 0) {
      struct signalfd_siginfo info;
      while (read(session.child_events, &info, sizeof(info)) > 0) {
      }
    }
  }
}

static int listen_on(const char *port) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)atoi(port)),
                                .sin_addr.s_addr = htonl(INADDR_ANY)};
  const int yes = 1;
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
      listen(fd, 64) != 0) {
    die("cannot listen on port %s: %s", port, strerror(errno));
  }
  return fd;
}

static void server_main(const char *port, const char *token_path) {
  char token[128];
  const size_t token_bytes = read_token(token_path, token, sizeof(token));
  const int listener = listen_on(port);
  const int yes = 1;
  sigset_t child_signal;
  sigemptyset(&child_signal);
  sigaddset(&child_signal, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child_signal, NULL);
  const int child_events = signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK);
  for (;;) {
    struct pollfd ready[] = {{.fd = listener, .events = POLLIN},
                             {.fd = child_events, .events = POLLIN}};
    poll(ready, 2, -1);
    if (ready[1].revents != 0) {
      struct signalfd_siginfo info;
      while (read(child_events, &info, sizeof(info)) > 0) {
      }
      // Sessions, and as process 1 also what daemons left behind.
      while (waitpid(-1, NULL, WNOHANG) > 0) {
      }
    }
    if (ready[0].revents != 0) {
      const int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
      if (connection < 0) continue;
      if (fork() == 0) {
        close(listener);
        close(child_events);
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
        session_main(connection, token, token_bytes);
      }
      close(connection);
    }
  }
}

int main(int argc, char **argv) {
  if (argc >= 5 && strcmp(argv[1], "run") == 0) client_main(argv[2], argv[3], argv + 4);
  if (argc == 4 && strcmp(argv[1], "serve") == 0) server_main(argv[2], argv[3]);
  fputs("usage: lab_shell serve PORT TOKEN_FILE | run PORT TOKEN_FILE COMMAND...\n", stderr);
  return 64;
}
