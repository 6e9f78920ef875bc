// Small matrix products, included once for each instruction set inside a namespace.
// Uses nothing of the standard library, lest the linker share an AVX2 function with the rest.

typedef float Vector __attribute__((vector_size(32)));
typedef int IntVector __attribute__((vector_size(32)));

inline Vector load(const float *p) {
    Vector v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

inline void store(float *p, Vector v) { __builtin_memcpy(p, &v, sizeof v); }

// While one of these lives, numbers too small for full precision count as zero: processors take
// a hundred times as long for them, and the weights of a softmax are often such.
struct FlushTiny {
#if defined(__SSE__)
    FlushTiny() : kept(__builtin_ia32_stmxcsr()) { __builtin_ia32_ldmxcsr(kept | 0x8040u); }
    ~FlushTiny() { __builtin_ia32_ldmxcsr(kept); }
    FlushTiny(const FlushTiny &) = delete;
    FlushTiny &operator=(const FlushTiny &) = delete;

    unsigned kept;
#endif
};

inline Vector all(float x) { return Vector{x, x, x, x, x, x, x, x}; }

inline Vector larger(Vector a, Vector b) { return a > b ? a : b; }

// e^x for x <= 0, to a few units in the last place: 2^n times a polynomial on [-ln2/2, ln2/2].
inline Vector exp_of_negative(Vector x) {
    x = larger(x, all(-87.0f));
    const Vector shifted = x * 1.44269504f + 12582912.0f;  // rounds to a whole number
    const Vector n = shifted - 12582912.0f;
    Vector f = x - n * 0.693359375f;
    f = f + n * 2.12194440e-4f;
    Vector p = all(1.9875691500e-4f);
    p = p * f + 1.3981999507e-3f;
    p = p * f + 8.3334519073e-3f;
    p = p * f + 4.1665795894e-2f;
    p = p * f + 1.6666665459e-1f;
    p = p * f + 5.0000001201e-1f;
    p = p * f * f + f + 1.0f;
    const IntVector exponent = (__builtin_convertvector(n, IntVector) + 127) << 23;
    Vector power;
    __builtin_memcpy(&power, &exponent, sizeof power);
    return p * power;
}

enum class Write { Set, SetRelu, Add };

// One tile: ROWS rows of A (element (i, k) at a[i * row + k * step]) times NV * 8 columns of B.
template <int ROWS, int NV, Write WRITE>
inline void tile(int depth, const float *a, std::ptrdiff_t row, std::ptrdiff_t step, const float *b,
                 std::ptrdiff_t ldb, float *c, std::ptrdiff_t ldc, const float *bias) {
    Vector sum[ROWS][NV];
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < NV; ++j) sum[i][j] = bias ? load(bias + 8 * j) : all(0);
    for (int k = 0; k < depth; ++k) {
        Vector right[NV];
        for (int j = 0; j < NV; ++j) right[j] = load(b + k * ldb + 8 * j);
        for (int i = 0; i < ROWS; ++i) {
            const Vector left = all(a[i * row + k * step]);
            for (int j = 0; j < NV; ++j) sum[i][j] += left * right[j];
        }
    }
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < NV; ++j) {
            float *out = c + i * ldc + 8 * j;
            if (WRITE == Write::SetRelu) store(out, larger(sum[i][j], all(0)));
            else if (WRITE == Write::Add) store(out, load(out) + sum[i][j]);
            else store(out, sum[i][j]);
        }
}

template <int NV, Write WRITE>
void columns(int rows, int depth, const float *a, std::ptrdiff_t row, std::ptrdiff_t step,
             const float *b, std::ptrdiff_t ldb, float *c, std::ptrdiff_t ldc, const float *bias) {
    int i = 0;
    for (; i + 6 <= rows; i += 6)
        tile<6, NV, WRITE>(depth, a + i * row, row, step, b, ldb, c + i * ldc, ldc, bias);
    const float *rest = a + i * row;
    float *out = c + i * ldc;
    switch (rows - i) {
    case 5: tile<5, NV, WRITE>(depth, rest, row, step, b, ldb, out, ldc, bias); break;
    case 4: tile<4, NV, WRITE>(depth, rest, row, step, b, ldb, out, ldc, bias); break;
    case 3: tile<3, NV, WRITE>(depth, rest, row, step, b, ldb, out, ldc, bias); break;
    case 2: tile<2, NV, WRITE>(depth, rest, row, step, b, ldb, out, ldc, bias); break;
    case 1: tile<1, NV, WRITE>(depth, rest, row, step, b, ldb, out, ldc, bias); break;
    default: break;
    }
}

// C (rows x width) = A B, width a multiple of 8. Columns p * 16 ... of B begin at b + p * panel.
template <Write WRITE>
void multiply(int rows, int width, int depth, const float *a, std::ptrdiff_t row,
              std::ptrdiff_t step, const float *b, std::ptrdiff_t ldb, std::ptrdiff_t panel,
              float *c, std::ptrdiff_t ldc, const float *bias = nullptr) {
    for (int j = 0; j < width; j += 16) {
        const float *right = b + (j / 16) * panel;
        const float *start = bias ? bias + j : nullptr;
        if (j + 16 <= width)
            columns<2, WRITE>(rows, depth, a, row, step, right, ldb, c + j, ldc, start);
        else columns<1, WRITE>(rows, depth, a, row, step, right, ldb, c + j, ldc, start);
    }
}

// The same with B (depth x ...) plain and row-major, its rows `ldb` apart.
template <Write WRITE>
void multiply_plain(int rows, int width, int depth, const float *a, std::ptrdiff_t row,
                    const float *b, std::ptrdiff_t ldb, float *c, std::ptrdiff_t ldc) {
    multiply<WRITE>(rows, width, depth, a, row, 1, b, ldb, 16, c, ldc);
}
