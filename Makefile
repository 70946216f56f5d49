# Each target does its own set-up. PYTHON and VENV may be set: make PYTHON=python3.12 test
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test test-gpu setup bench lint clean

demo: setup  ## real GATK on real reads, stock beside the shim
	$(BIN)/gkl-shim demo

test: setup  ## all tests
	$(BIN)/pytest

test-gpu: setup  ## tests that need a CUDA device, with CuPy installed for it
	GKL_SHIM_TEST_GPU=1 $(BIN)/pytest tests/gpu

bench: setup  ## PairHMM beside Intel's GKL
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
