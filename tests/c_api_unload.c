/* Load, call from threads, unload, load again: nothing is left behind that crashes, nor taken away that is in use. usage:
 * c_api_unload LIBRARY */
#define _XOPEN_SOURCE 500
#include <axiscast/c_api.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void* library;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int called, unloaded;

static void* symbol(const char* name) {
  void* const found = dlsym(library, name);
  if (found != NULL) return found;
  fprintf(stderr, "no symbol %s\n", name);
  exit(1);
}

/* Calls that keep a plan, and a message, for the thread. */
static void call(int64_t n) {
  /* As POSIX has it: ISO C knows no cast from an object's pointer to a function's. */
  int32_t (*find)(const axiscast_registry*, const char*, const axiscast_op**);
  int32_t (*apply)(const axiscast_op*, const axiscast_tensor*, int64_t, const axiscast_tensor*, const axiscast_options*,
                   const axiscast_execute_options*);
  const char* (*last_message)(void);
  static const float ones[64] = {1, 1, 1, 1, 1, 1, 1, 1};
  float out[64] = {0};
  const axiscast_op* op = NULL;
  axiscast_tensor operands[2] = {{0}}, result = {0};
  *(void**)&find = symbol("axiscast_op_find");
  *(void**)&apply = symbol("axiscast_apply");
  *(void**)&last_message = symbol("axiscast_last_message");
  operands[0].struct_size = sizeof(operands[0]);
  operands[0].data = (void*)ones;
  operands[0].dtype = AXISCAST_FLOAT32;
  operands[0].rank = 1;
  operands[0].shape = &n;
  operands[1] = result = operands[0];
  result.data = out;
  if (find(NULL, "add", &op) != AXISCAST_OK || apply(op, operands, 2, &result, NULL, NULL) != AXISCAST_OK || out[0] != 2) {
    fprintf(stderr, "a call failed: %s\n", last_message());
    exit(1);
  }
  if (apply(NULL, operands, 2, &result, NULL, NULL) == AXISCAST_OK ||
      strcmp(last_message(), "axiscast_apply: the op is null") != 0) {
    fprintf(stderr, "no message\n");
    exit(1);
  }
}

/* Calls that threads share, one after the other: their helpers stay a little. */
static void call_with_helpers(void) {
  int32_t (*find)(const axiscast_registry*, const char*, const axiscast_op**);
  int32_t (*apply)(const axiscast_op*, const axiscast_tensor*, int64_t, const axiscast_tensor*, const axiscast_options*,
                   const axiscast_execute_options*);
  static float ones[1 << 20], out[1 << 20];
  const int64_t n = 1 << 20;
  const axiscast_op* op = NULL;
  axiscast_tensor operands[2] = {{0}};
  int i;
  *(void**)&find = symbol("axiscast_op_find");
  *(void**)&apply = symbol("axiscast_apply");
  operands[0].struct_size = sizeof(operands[0]);
  operands[0].data = ones;
  operands[0].dtype = AXISCAST_FLOAT32;
  operands[0].rank = 1;
  operands[0].shape = &n;
  operands[1] = operands[0];
  operands[1].data = out;
  for (i = 0; i < n; ++i) ones[i] = 1;
  if (find(NULL, "negative", &op) != AXISCAST_OK) exit(1);
  for (i = 0; i < 200; ++i) {
    if (apply(op, operands, 1, &operands[1], NULL, NULL) != AXISCAST_OK || out[i] != -1 || out[n - 1] != -1) exit(1);
  }
}

static void* call_and_end(void* unused) {
  call(8);
  return unused;
}

/* Ends when the library is gone. What it has kept is lost. */
static void* call_and_outlive(void* unused) {
  call(4);
  pthread_mutex_lock(&mutex);
  called = 1;
  pthread_cond_broadcast(&changed);
  while (!unloaded) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

/* The pthread keys that the process can still have: a library that leaves some behind cannot be loaded again for ever. */
static int keys_left(void) {
  static pthread_key_t keys[4096];
  int count = 0, i;
  while (count < 4096 && pthread_key_create(&keys[count], NULL) == 0) ++count;
  for (i = 0; i < count; ++i) pthread_key_delete(keys[i]);
  return count;
}

int main(int argc, char** argv) {
  const int keys = keys_left();
  int round, i;
  pthread_t threads[8], late;
  if (argc != 2) return 2;
  for (round = 0; round < 3; ++round) {
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    for (i = 0; i < 8; ++i) {
      if (pthread_create(&threads[i], NULL, &call_and_end, NULL) != 0) return 1;
    }
    for (i = 0; i < 8; ++i) pthread_join(threads[i], NULL);
    call(16);
    called = unloaded = 0;
    if (pthread_create(&late, NULL, &call_and_outlive, NULL) != 0) return 1;
    pthread_mutex_lock(&mutex);
    while (!called) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    if (dlclose(library) != 0) return 1;
    if (dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) != NULL) {
      fprintf(stderr, "the library is still loaded\n");
      return 1;
    }
    pthread_mutex_lock(&mutex);
    unloaded = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(late, NULL);
    if (keys_left() != keys) {
      fprintf(stderr, "round %d left %d pthread keys behind\n", round, keys - keys_left());
      return 1;
    }
  }
  /* Threads that were called to help may come later: the library stays. */
  for (round = 0; round < 3; ++round) {
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return 1;
    call_with_helpers();
    if (dlclose(library) != 0) return 1;
    usleep(1000 * round);
  }
  printf("ok\n");
  return 0;
}
