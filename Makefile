# Everything works from a fresh clone: each target sets up .venv when it is missing or stale.
PYTHON ?= python3
TORCH  ?= torch==2.13.0
VENV   := .venv
BIN    := $(VENV)/bin
FUZZ_SEED ?= 0
STAMP  := $(VENV)/.installed
NATIVE := $(wildcard src/sil/_native/*.cpp src/sil/_native/*.h src/sil/_native/*.inl)

.PHONY: help install demo test fuzz lint bench sanitize stubs clean

help:           ## list the targets
	@grep -hE '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

install: $(STAMP)  ## make .venv with the package and all that tests need

$(VENV)/.dependencies: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  "$(TORCH)" "scikit-build-core>=0.10" "nanobind>=2.4" "cmake>=3.18" ninja
	touch $@

# The order of prerequisites matters: PyTorch first, so that the extra [train] is already satisfied.
$(STAMP): $(VENV)/.dependencies CMakeLists.txt $(NATIVE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation \
	  --config-settings=cmake.define.SIL_WERROR=ON --editable ".[dev,plot,train]"
	touch $@

demo: install   ## solve a 10,000-node problem with the shipped weights and draw it
	@mkdir -p demo
	$(BIN)/sil generate cvrp --size 10000 --seed 1 --out demo/cvrp10k.npz
	$(BIN)/sil solve demo/cvrp10k.npz --max-runtime 20 \
	  --out demo/cvrp10k.sol --plot demo/cvrp10k.png
	$(BIN)/sil check demo/cvrp10k.npz demo/cvrp10k.sol
	@echo "The picture is demo/cvrp10k.png."

test: install   ## run the tests
	$(BIN)/python -m pytest -n 2 --cov --cov-report=term:skip-covered -q

fuzz: install   ## attack the program with 10,000 bad inputs; FUZZ_SEED=N for others
	$(BIN)/python -m tests.fuzz --cases 10000 --seed $(FUZZ_SEED)

lint: install   ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: install  ## speed of the hot paths, as ratios
	$(BIN)/python -m benchmarks

sanitize: install  ## run the native tests under AddressSanitizer, UBSan and ThreadSanitizer
	.ci/sanitize

stubs: install  ## write the typed stub of the native module anew
	$(BIN)/python -m nanobind.stubgen -m sil._native -o src/sil/_native.pyi
	$(BIN)/ruff format src/sil/_native.pyi

clean:          ## remove what was built
	rm -rf $(VENV) build dist demo .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis
