// Small matrix products, included once per instruction set inside a namespace. Uses nothing from
// the standard library; see network_kernels.inl.

typedef float Vector __attribute__((vector_size(32)));
typedef int IntVector __attribute__((vector_size(32)));

template <class V> inline V load_as(const float *p) {
    V v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

inline Vector load(const float *p) { return load_as<Vector>(p); }

inline void store(float *p, Vector v) { __builtin_memcpy(p, &v, sizeof v); }

// During its lifetime, denormal numbers count as zero. Processors are a hundred times slower with
// them, and the weights of a softmax are often that small.
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

// The widest vector of the instruction set, and how many rows of two of them fill the registers.
#if defined(__AVX512F__)
typedef float Widest __attribute__((vector_size(64)));
constexpr int tile_rows = 12;
#else
typedef Vector Widest;
constexpr int tile_rows = 6;
#endif

enum class Write { Set, SetRelu, Add };

// One tile: ROWS rows of A (element (i, k) is a[i * row + k * step]) times NV vectors of columns of
// B, which are `apart` floats apart.
template <class V, int ROWS, int NV, Write WRITE>
inline void tile(int depth, const float *a, std::ptrdiff_t row, std::ptrdiff_t step, const float *b,
                 std::ptrdiff_t ldb, std::ptrdiff_t apart, float *c, std::ptrdiff_t ldc,
                 const float *bias) {
    constexpr int lanes = sizeof(V) / sizeof(float);
    V sum[ROWS][NV];
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < NV; ++j) sum[i][j] = bias ? load_as<V>(bias + lanes * j) : V{};
    for (int k = 0; k < depth; ++k) {
        V right[NV];
        for (int j = 0; j < NV; ++j) right[j] = load_as<V>(b + k * ldb + apart * j);
        for (int i = 0; i < ROWS; ++i) {
            const float left = a[i * row + k * step];
            for (int j = 0; j < NV; ++j) sum[i][j] += left * right[j];
        }
    }
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < NV; ++j) {
            float *out = c + i * ldc + lanes * j;
            V value = sum[i][j];
            if (WRITE == Write::SetRelu) value = value > 0.0f ? value : V{};
            if (WRITE == Write::Add) value += load_as<V>(out);
            __builtin_memcpy(out, &value, sizeof value);
        }
}

// As many tiles of ROWS rows as possible, then tiles of fewer rows for the rest.
template <class V, int ROWS, int NV, Write WRITE>
void columns(int rows, int depth, const float *a, std::ptrdiff_t row, std::ptrdiff_t step,
             const float *b, std::ptrdiff_t ldb, std::ptrdiff_t apart, float *c, std::ptrdiff_t ldc,
             const float *bias) {
    int i = 0;
    for (; i + ROWS <= rows; i += ROWS)
        tile<V, ROWS, NV, WRITE>(depth, a + i * row, row, step, b, ldb, apart, c + i * ldc, ldc,
                                 bias);
    constexpr int fewer = ROWS > 4 ? 4 : ROWS / 2;
    if constexpr (fewer > 0)
        if (i < rows)
            columns<V, fewer, NV, WRITE>(rows - i, depth, a + i * row, row, step, b, ldb, apart,
                                         c + i * ldc, ldc, bias);
}

// C (rows x width) = A B, width a multiple of 8. Columns p * 16 ... of B begin at b + p * panel.
template <Write WRITE>
void multiply(int rows, int width, int depth, const float *a, std::ptrdiff_t row,
              std::ptrdiff_t step, const float *b, std::ptrdiff_t ldb, std::ptrdiff_t panel,
              float *c, std::ptrdiff_t ldc, const float *bias = nullptr) {
    constexpr bool is_panel_wide = sizeof(Widest) == 16 * sizeof(float);
    const auto from = [bias](int j) { return bias ? bias + j : nullptr; };
    int j = 0;
    if (is_panel_wide)
        for (; j + 32 <= width; j += 32)
            columns<Widest, tile_rows, 2, WRITE>(rows, depth, a, row, step, b + (j / 16) * panel,
                                                 ldb, panel, c + j, ldc, from(j));
    for (; j + 16 <= width; j += 16) {
        const float *right = b + (j / 16) * panel;
        if (is_panel_wide)
            columns<Widest, tile_rows, 1, WRITE>(rows, depth, a, row, step, right, ldb, 0, c + j,
                                                 ldc, from(j));
        else
            columns<Vector, tile_rows, 2, WRITE>(rows, depth, a, row, step, right, ldb, 8, c + j,
                                                 ldc, from(j));
    }
    if (j < width)
        columns<Vector, tile_rows, 1, WRITE>(rows, depth, a, row, step, b + (j / 16) * panel, ldb,
                                             0, c + j, ldc, from(j));
}

// The same with a plain row-major B (depth x ...), whose rows are `ldb` apart.
template <Write WRITE>
void multiply_plain(int rows, int width, int depth, const float *a, std::ptrdiff_t row,
                    const float *b, std::ptrdiff_t ldb, float *c, std::ptrdiff_t ldc) {
    multiply<WRITE>(rows, width, depth, a, row, 1, b, ldb, 16, c, ldc);
}
