# Each target does its own set-up. PYTHON and VENV may be set: make PYTHON=python3.12 test
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test test-gpu sanitize-gpu setup bench lint clean

demo: setup  ## real GATK on real reads, stock beside the shim
	$(BIN)/gkl-shim demo

test: setup  ## all tests
	$(BIN)/pytest

# Both want CuPy in $(VENV), and write what they found to RECORD, if that is given.
test-gpu: setup  ## all tests that a CUDA device has a part in
	$(BIN)/python tests/gpu/record.py $(RECORD)

sanitize-gpu: setup  ## the CUDA kernels under compute-sanitizer
	$(BIN)/python tests/gpu/sanitize.py $(RECORD)

bench: setup  ## PairHMM on this machine, beside GKL
	$(BIN)/gkl-shim bench pairhmm

setup: $(BIN)/python  ## build and install into $(VENV)
	$(BIN)/python -m pip install --quiet '.[test]'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

lint: setup
	$(BIN)/python -m pip install --quiet '.[lint]'
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

clean:
	rm -rf build $(VENV)
