/* An emulator of Intel's AMX on Linux, for processors with AVX-512: LD_PRELOAD=amx_emulator.so python ...
 *
 * Instructions of AMX raise SIGILL. The handler computes them on tiles of the thread, which then continues behind them.
 * Other illegal instructions go to the handler of the program. Three functions of C are replaced: `dlopen` opens this
 * library in place of the one that tells what the processor has, `syscall` grants tiles as Linux does, and `sigaction`
 * keeps the handler. Until tiles are granted, instructions are illegal; wrong operands abort the process.
 *
 * Intel's manual defines the products: numbers of bf16 and sums below 2**-126 are zeros, sums are rounded to nearest
 * even. Products of even and of odd numbers are added up separately by fused multiply-add; then both sums are added,
 * and the result is added to the tile.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <dlfcn.h>
#include <errno.h>
#include <immintrin.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { TILES = 8, ROWS = 16, ROW = 64, WORDS = ROW / 4, PLACES = 16 };
enum { REQUEST = 0x1023, TILE_DATA = 18, FRAME = 11008 };
enum { NONE, P66, PF3, PF2 }; /* Prefixes, as VEX encodes them. */

/* As `ldtilecfg` reads it, and `sttilecfg` writes it. */
typedef struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t columns[PLACES];
    uint8_t rows[PLACES];
} Sizes;

typedef struct {
    uint32_t words[ROWS][WORDS];
} Tile;
typedef int Sigaction(int, const struct sigaction *, struct sigaction *);

/* The places of registers in a context, by their numbers in instructions. */
static const int REGISTERS[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

static __thread Sizes sizes;
static __thread Tile tiles[TILES];
static __thread int has_data;
static volatile int is_granted;
static long executed;
static struct sigaction wanted;

/* The state of this thread that is in use, as bits 17 and 18 of what `xgetbv` returns. */
uint32_t amx_state(void) {
    return (uint32_t)(sizes.palette != 0) << 17 | (uint32_t)has_data << 18;
}

/* The number of instructions that this process has emulated. */
long amx_executed(void) {
    return __atomic_load_n(&executed, __ATOMIC_RELAXED);
}

/* Execute `cpuid`, and add the bits of AMX. */
void irrun_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t *out) {
    __cpuid_count(leaf, subleaf, out[0], out[1], out[2], out[3]);
    if (leaf == 7 && subleaf == 0)
        out[3] |= 1u << 22 | 1u << 24 | 1u << 25;
}

/* Return the registers that the system saves, with those of tiles. */
uint32_t irrun_xgetbv(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low | 3u << 17;
}

static void require(int is_right, const char *what) {
    if (is_right)
        return;
    fprintf(stderr, "emulator of AMX: %s\n", what);
    abort();
}

static void configure(const uint8_t *memory) {
    memcpy(&sizes, memory, sizeof sizes);
    require(sizes.palette <= 1, "the palette is unknown");
    for (int i = 0; sizes.palette == 1 && i < PLACES; i++) {
        int rows = sizes.rows[i], columns = sizes.columns[i];
        require(i >= 14 || sizes.reserved[i] == 0, "a reserved byte of sizes is not 0");
        require(rows <= ROWS && columns <= ROW && !rows == !columns, "a tile has a wrong size");
        require(i < TILES || rows == 0, "there are no such tiles");
    }
    memset(&sizes, 0, sizes.palette == 0 ? sizeof sizes : 0);
    memset(tiles, 0, sizeof tiles);
    has_data = 0;
}

static Tile *tile(int number) {
    require(sizes.palette == 1, "tiles are not configured");
    require(number < TILES && sizes.rows[number] > 0, "a tile has no size");
    return &tiles[number];
}

static void load(int number, const uint8_t *memory, int64_t stride) {
    Tile *out = tile(number);
    memset(out, 0, sizeof *out);
    for (int row = 0; row < sizes.rows[number]; row++)
        memcpy(out->words[row], memory + row * stride, sizes.columns[number]);
    has_data = 1;
}

static void store(int number, uint8_t *memory, int64_t stride) {
    const Tile *x = tile(number);
    for (int row = 0; row < sizes.rows[number]; row++)
        memcpy(memory + row * stride, x->words[row], sizes.columns[number]);
}

static float real(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* To be called with numbers below 2**-126 set to zero. */
__attribute__((noinline)) static void multiply_bf16(Tile *sum, const Tile *a, const Tile *b, int rows, int depth) {
    for (int row = 0; row < rows; row++) {
        float even[WORDS] = {0}, odd[WORDS] = {0}, sums[WORDS];
        for (int k = 0; k < depth; k++) {
            const uint32_t pair = a->words[row][k], *others = b->words[k];
            for (int n = 0; n < WORDS; n++) {
                even[n] = __builtin_fmaf(real(pair << 16), real(others[n] << 16), even[n]);
                odd[n] = __builtin_fmaf(real(pair & 0xFFFF0000), real(others[n] & 0xFFFF0000), odd[n]);
            }
        }
        memcpy(sums, sum->words[row], sizeof sums);
        for (int n = 0; n < WORDS; n++)
            sums[n] = sums[n] + (even[n] + odd[n]);
        memcpy(sum->words[row], sums, sizeof sums);
    }
}

static int32_t byte(uint32_t word, int place, int has_sign) {
    return has_sign ? (int8_t)(word >> 8 * place) : (uint8_t)(word >> 8 * place);
}

static void multiply_bytes(Tile *sum, const Tile *a, const Tile *b, int rows, int depth, int a_sign, int b_sign) {
    for (int row = 0; row < rows; row++)
        for (int k = 0; k < depth; k++)
            for (int n = 0; n < WORDS; n++)
                for (int place = 0; place < 4; place++)
                    sum->words[row][n] += (uint32_t)(byte(a->words[row][k], place, a_sign) *
                                                     byte(b->words[k][n], place, b_sign));
}

static void multiply(int opcode, int prefix, int c, int a, int b) {
    Tile *sum = tile(c), *left = tile(a), *right = tile(b);
    int rows = sizes.rows[c], depth = sizes.columns[a] / 4;
    require(c != a && a != b && b != c, "two operands of a product are the same tile");
    require(sizes.columns[c] % 4 == 0 && sizes.columns[a] % 4 == 0, "a row is not of whole words");
    require(rows == sizes.rows[a] && depth == sizes.rows[b], "rows of tiles do not fit together");
    require(sizes.columns[c] == sizes.columns[b], "columns of tiles do not fit together");
    if (opcode == 0x5C) {
        unsigned int modes = _mm_getcsr();
        _mm_setcsr(0x9FC0);
        multiply_bf16(sum, left, right, rows, depth);
        _mm_setcsr(modes);
    } else
        multiply_bytes(sum, left, right, rows, depth, prefix & 2, prefix == PF2 || prefix == P66);
    has_data = 1;
}

/* The address of a memory operand. Moves `at` behind it. `index` is the register and the scale of the stride, or -1. */
static int64_t address(const greg_t *registers, const uint8_t **at, int modrm, int x, int b, int *index) {
    int mode = modrm >> 6, base = modrm & 7, has_sib = base == 4, sib = has_sib ? *(*at)++ : 0;
    base = has_sib ? sib & 7 : base;
    *index = (sib >> 3 & 7) | x << 3 | (sib >> 6) << 4;
    if (!has_sib || (*index & 15) == 4)
        *index = -1;
    int is_bare = mode == 0 && base == 5, size = mode == 1 ? 1 : mode == 2 || is_bare ? 4 : 0;
    int32_t offset = 0;
    memcpy(&offset, *at, size);
    *at += size;
    if (mode == 1)
        offset = (int8_t)offset;
    if (!is_bare)
        return offset + registers[REGISTERS[base | b << 3]];
    return has_sib ? offset : offset + (int64_t)*at;
}

/* Do the instruction at an address; return the address of the next one, or NULL if it is none of AMX. */
static const uint8_t *execute(const uint8_t *at, const greg_t *registers) {
    if (at[0] != 0xC4 || (at[1] & 0x1F) != 2 || at[2] & 0x84)
        return NULL;
    int x = ~at[1] >> 6 & 1, b = ~at[1] >> 5 & 1, third = ~at[2] >> 3 & 15, prefix = at[2] & 3;
    int is_extended = ~at[1] & 0x80, opcode = at[3], modrm = at[4], reg = modrm >> 3 & 7, index;
    at += 5;
    int is_product = opcode == 0x5E || (opcode == 0x5C && prefix == PF3);
    if (is_product && modrm >= 0xC0 && !is_extended) {
        multiply(opcode, prefix, reg, (modrm & 7) | b << 3, third);
        return at;
    }
    if ((opcode != 0x49 && opcode != 0x4B) || is_extended || third != 0)
        return NULL;
    if (modrm >= 0xC0) {
        int is_release = prefix == NONE && reg == 0;
        if (opcode != 0x49 || (modrm & 7) != 0 || b || (prefix != PF2 && !is_release))
            return NULL;
        if (is_release)
            memset(&sizes, 0, sizeof sizes);
        else
            memset(tile(reg), 0, sizeof(Tile));
        has_data = !is_release;
        return at;
    }
    if (opcode == 0x49 ? reg != 0 || prefix > P66 : (modrm & 7) != 4 || prefix == NONE)
        return NULL;
    uint8_t *memory = (uint8_t *)address(registers, &at, modrm, x, b, &index);
    int64_t stride = index < 0 ? 0 : (int64_t)((uint64_t)registers[REGISTERS[index & 15]] << (index >> 4));
    if (opcode == 0x49 && prefix == NONE)
        configure(memory);
    else if (opcode == 0x49)
        memcpy(memory, &sizes, sizeof sizes);
    else if (prefix == PF3)
        store(reg, memory, stride);
    else
        load(reg, memory, stride);
    return at;
}

static Sigaction *next_sigaction(void) {
    return (Sigaction *)dlsym(RTLD_NEXT, "sigaction");
}

static void handle(int signal, siginfo_t *info, void *context) {
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const uint8_t *next = NULL;
    if (is_granted && info->si_code > 0)
        next = execute((const uint8_t *)registers[REG_RIP], registers);
    __atomic_fetch_add(&executed, next != NULL, __ATOMIC_RELAXED);
    if (next != NULL)
        registers[REG_RIP] = (greg_t)next;
    else if (wanted.sa_flags & SA_SIGINFO)
        wanted.sa_sigaction(signal, info, context);
    else if (wanted.sa_handler == SIG_DFL || wanted.sa_handler == SIG_IGN)
        next_sigaction()(signal, &wanted, NULL);
    else
        wanted.sa_handler(signal);
}

__attribute__((constructor)) static void start(void) {
    struct sigaction own = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_NODEFER};
    next_sigaction()(SIGILL, &own, &wanted);
}

int sigaction(int signal, const struct sigaction *action, struct sigaction *before) {
    if (signal != SIGILL)
        return next_sigaction()(signal, action, before);
    struct sigaction given = action == NULL ? wanted : *action;
    if (before != NULL)
        *before = wanted;
    wanted = given;
    return 0;
}

/* Refuse tiles to a thread whose stack for signals is smaller than the FRAME that Linux saves there. */
long syscall(long number, ...) {
    long a[6], result;
    va_list given;
    va_start(given, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(given, long);
    va_end(given);
    if (number == SYS_arch_prctl && (int)a[0] == REQUEST && (int)a[1] == TILE_DATA) {
        stack_t stack;
        sigaltstack(NULL, &stack);
        int is_small = !(stack.ss_flags & SS_DISABLE) && stack.ss_size < FRAME;
        result = is_small ? -ENOSPC : 0;
        is_granted |= !is_small;
    } else {
        register long fourth __asm__("r10") = a[3], fifth __asm__("r8") = a[4], sixth __asm__("r9") = a[5];
        __asm__ volatile("syscall"
                         : "=a"(result)
                         : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(fourth), "r"(fifth), "r"(sixth)
                         : "rcx", "r11", "memory");
    }
    if (result >= 0 || result <= -4096)
        return result;
    errno = (int)-result;
    return -1;
}

void *dlopen(const char *path, int mode) {
    void *(*next)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    Dl_info own;
    if (path != NULL && strstr(path, "/irrun_kernels/libraries/processor.") && dladdr((void *)handle, &own))
        path = own.dli_fname;
    return next(path, mode);
}
