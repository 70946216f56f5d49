# Each target does its own set-up. PYTHON and VENV may be set: make PYTHON=python3.12 test
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test sanitize test-gpu sanitize-gpu bench check-wheel install setup lint clean

demo: install  ## real GATK on real reads, stock beside the shim
	$(BIN)/gkl-shim demo

test: setup  ## all tests
	$(BIN)/pytest

sanitize: setup  ## the library under ASan, UBSan and TSan; part of all tests
	$(BIN)/pytest tests/sanitizers

# Both want CuPy in $(VENV), and write what they found to RECORD, if that is given.
test-gpu: setup  ## all tests that a CUDA device has a part in
	$(BIN)/python tests/gpu/record.py $(RECORD)

sanitize-gpu: setup  ## the CUDA kernels under compute-sanitizer
	$(BIN)/python tests/gpu/sanitize.py $(RECORD)

bench: install  ## PairHMM on this machine, beside GKL
	$(BIN)/gkl-shim bench pairhmm

check-wheel:  ## a wheel in an environment of its own
	PYTHON=$(PYTHON) tests/build/check_wheel

install: $(BIN)/python  ## build and install into $(VENV)
	$(BIN)/python -m pip install --quiet .

setup: $(BIN)/python  ## the same with what the tests use
	$(BIN)/python -m pip install --quiet '.[test]'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

lint: $(BIN)/python  ## formats, style and types
	$(BIN)/python -m pip install --quiet --group lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	git ls-files 'kernels/*' 'tests/*' | grep -E '\.(h|c|cpp|inc|cu)$$' \
	  | xargs $(BIN)/clang-format --dry-run --Werror

clean:
	rm -rf build $(VENV)
