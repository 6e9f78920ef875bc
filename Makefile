# Everything works from a fresh clone: each target sets up .venv when it is missing or stale.
PYTHON ?= python3
TORCH  ?= torch==2.13.0
VENV   := .venv
BIN    := $(VENV)/bin
FUZZ_SEED ?= 0
STAMP  := $(VENV)/.installed
NATIVE := $(wildcard src/sil/_native/*/*.cpp src/sil/_native/*/*.h src/sil/_native/*/*.inl)

.DEFAULT_GOAL := help
.PHONY: help install demo serve test fuzz fuzz-serve sanitize lint format hooks bench stubs wheels clean

##@ Start here

help:           ## list all targets
	@awk -F ':.*## ' '/^##@ / {print "\n" substr($$0, 5)} \
	  /^[a-zA-Z0-9_-]+:.*## / {printf "  %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(STAMP)  ## create .venv with the package and everything that the tests need

$(VENV)/.dependencies: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  "$(TORCH)" "scikit-build-core>=0.10" "nanobind>=2.4" "cmake>=3.18" ninja
	touch $@

# The order of prerequisites matters: PyTorch first, so that the extra [train] is already satisfied.
$(STAMP): $(VENV)/.dependencies CMakeLists.txt $(NATIVE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation \
	  --config-settings=cmake.define.SIL_WERROR=ON --editable ".[dev,plot,serve,train]"
	touch $@

demo: install   ## solve a problem with 10,000 nodes and draw the solution
	@mkdir -p demo
	$(BIN)/sil generate cvrp --size 10000 --seed 1 --out demo/cvrp10k.npz
	$(BIN)/sil solve demo/cvrp10k.npz --max-runtime 20 \
	  --out demo/cvrp10k.sol --plot demo/cvrp10k.png
	$(BIN)/sil check demo/cvrp10k.npz demo/cvrp10k.sol
	@echo "The picture is demo/cvrp10k.png."

serve: install  ## start the service and its page on http://127.0.0.1:8000
	$(BIN)/sil serve

##@ Check

test: install   ## run the tests with coverage
	$(BIN)/python -m pytest -n 2 --cov --cov-report=term:skip-covered -q

lint: install   ## check style and types: ruff, mypy and clang-format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(NATIVE)

fuzz: install   ## attack the program with 10,000 bad inputs; FUZZ_SEED=N for others
	$(BIN)/python -m tests.fuzz --cases 10000 --seed $(FUZZ_SEED)

fuzz-serve: install  ## attack the service with 2,000 hostile requests and 100 kills
	$(BIN)/python -m tests.fuzz.hostile --requests 2000 --seed $(FUZZ_SEED)
	$(BIN)/python -m tests.fuzz.kills --what serve --kills 100 --seed $(FUZZ_SEED)

sanitize: install  ## run the native tests under AddressSanitizer, UBSan and ThreadSanitizer
	.ci/sanitize

bench: install  ## measure the speed of the hot paths, as ratios
	$(BIN)/python -m benchmarks

##@ Change

format: install  ## format all Python and C++ files
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(NATIVE)

hooks: install  ## run the checks before every commit from now on
	$(BIN)/pre-commit install

stubs: install  ## write the typed stub of the native module again
	$(BIN)/python -m nanobind.stubgen -m sil._native -o src/sil/_native.pyi
	$(BIN)/ruff format src/sil/_native.pyi

##@ Release

wheels:         ## build wheels for this platform into dist/; needs Docker on Linux
	.ci/wheels

clean:          ## remove everything that was built
	rm -rf $(VENV) build dist demo .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis
