# Each target installs what it needs. Set PYTHON and VENV to choose them: make PYTHON=python3.12 test
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

# If python3 -m venv fails, as on a Debian without python3-venv, it leaves a Python without pip.
.DELETE_ON_ERROR:

.PHONY: demo test sanitize fuzz test-install test-pipelines test-docker test-gpu sanitize-gpu bench wheels check-wheels pins sbom audit validate-ours \
        install setup lint clean

demo: install  ## compare GATK with and without the shim on real reads
	$(BIN)/gkl-shim demo

# Tests of one file share GATK's runs, so one process runs them all. The longest files come first
# (tests/conftest.py), not those of the most tests. WHEEL may name a wheel to test.
test: setup  ## all tests, except whole pipelines, an installation and sanitizers
	$(BIN)/pytest --numprocesses auto --maxprocesses 8 --dist loadfile --no-loadscope-reorder

sanitize: setup  ## the library under ASan, UBSan and TSan
	$(BIN)/pytest -m sanitizers tests/sanitizers

# SECONDS is a variable of bash, so a shell does not pass it on unless it is given to make. RECORD may
# name a JSON file with totals, which grow.
fuzz: setup  ## random input for every target under ASan and UBSan, SECONDS=60 each; needs clang
	$(BIN)/python tests/fuzz/run.py $(or $(SECONDS),60) $(TARGETS) $(if $(RECORD),--record $(RECORD))

test-install: setup  ## the library as a distribution builds and installs it, used from C
	$(BIN)/pytest -m build

test-pipelines: setup  ## whole pipelines: the Snakemake workflow, a Spark cluster; 10 to 20 minutes
	$(BIN)/pytest -m pipeline

# Both need CuPy in $(VENV). If RECORD is set, they write their results there.
test-gpu: setup  ## all tests that use a CUDA device
	$(BIN)/python tests/gpu/record.py $(RECORD)

sanitize-gpu: setup  ## the CUDA kernels under compute-sanitizer
	$(BIN)/python tests/gpu/sanitize.py $(RECORD)

# Needs buildah and debootstrap, and root. WHEELS may name a folder with a wheel to use.
test-docker: setup  ## build docker/Dockerfile on a stand-in for GATK's image, and run GATK in it
	GKL_SHIM_TEST_DOCKER=1 GKL_SHIM_TEST_WHEELS='$(abspath $(WHEELS))' $(BIN)/pytest tests/docker

bench: install  ## compare PairHMM with GKL on this machine
	$(BIN)/gkl-shim bench pairhmm

# The libraries are compiled for glibc 2.17 (cmake/zig.cmake), hence the tag. check-wheels checks it.
wheels: $(BIN)/python  ## build the wheels of a release and the source archive in dist/
	rm -rf dist
	$(BIN)/python -m pip install --quiet 'pip>=26.1'  # the first that takes versions and checksums from constraints
	for machine in x86_64 aarch64; do \
	  GKL_SHIM_RELEASE=1 $(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist . \
	    --build-constraint cmake/release-pins.txt \
	    --config-settings cmake.define.GKL_SHIM_WHEEL_ARCH=$$machine \
	    --config-settings wheel.tags=py3-none-manylinux_2_17_$$machine || exit; \
	done
	$(BIN)/python -m pip install --quiet --group release
	PIP_CONSTRAINT=cmake/release-pins.txt $(BIN)/python -m build --sdist

# Two steps: pip-compile knows hashes only for requirements that are all listed.
pins: $(BIN)/python  ## write the versions and checksums of the packages that a release is built with
	$(BIN)/python -m pip install --quiet pip-tools
	mkdir -p build
	GKL_SHIM_RELEASE=1 $(BIN)/pip-compile --quiet --no-header --strip-extras --all-build-deps --only-build-deps \
	  --no-emit-options --output-file build/release-pins.in pyproject.toml
	$(BIN)/pip-compile --quiet --no-header --strip-extras --upgrade --no-annotate --generate-hashes \
	  --no-emit-options --output-file cmake/release-pins.txt build/release-pins.in

# Environment with the wheel for this machine and what pip installs with it.
build/release: wheels
	rm -rf $@
	$(BIN)/python -m venv --without-pip $@
	$(BIN)/python -m pip --python $@ install --quiet dist/*_$$(uname -m).whl

sbom: build/release  ## list the packages that a user installs in build/gkl-shim.cdx.json, a CycloneDX bill of materials
	$(BIN)/python -m pip install --quiet 'cyclonedx-bom>=7'
	$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --mc-type library --output-reproducible \
	  --output-file build/gkl-shim.cdx.json build/release/bin/python

# It asks PyPI, which knows each package's advisories. --strict: a package that it does not know is an error.
audit: build/release  ## look up known vulnerabilities of the packages that build or accompany a release
	$(BIN)/python -m pip install --quiet pip-audit
	$(BIN)/python -m pip --python build/release freeze --exclude gkl-shim >build/release-packages.txt
	$(BIN)/pip-audit --strict --disable-pip --no-deps --requirement build/release-packages.txt
	$(BIN)/pip-audit --strict --disable-pip --require-hashes --requirement cmake/release-pins.txt

# To try several: make check-wheels PYTHONS='python3.10 python3.13'.
check-wheels: wheels  ## check the wheels, and try one with each of PYTHONS in an empty environment
	$(BIN)/python tests/build/check_wheels.py dist
	for python in $(or $(PYTHONS),$(PYTHON)); do $$python tests/build/try_wheel.py dist --gatk || exit; done

# SEQUENCE names a FASTA file of 810 kb of real sequence or more, GIAB the truth of chr22. Takes hours.
validate-ours: setup  ## compare stock GATK and gkl-shim on all data, for docs/equivalence.md
	$(BIN)/python -m benchmarks.validate_ours build/validation $(if $(GIAB),--giab $(GIAB)) \
	  $(if $(SEQUENCE),--sequence $(SEQUENCE))

install: $(BIN)/python  ## build and install into $(VENV)
	$(BIN)/python -m pip install --quiet .

# pip skips a wheel whose version is installed, so the installed package is removed first.
setup: $(BIN)/python  ## build and install for tests and benchmarks, with the packages they need
	$(if $(WHEEL),$(BIN)/python -m pip uninstall --quiet --yes gkl-shim)
	$(BIN)/python -m pip install --quiet '$(or $(WHEEL),.)[test]'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

lint: $(BIN)/python  ## check formatting, style and types
	$(BIN)/python -m pip install --quiet 'pip>=25.1'  # the first that knows --group
	$(BIN)/python -m pip install --quiet --group lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/hadolint docker/Dockerfile tests/docker/Dockerfile
	sh -n docker/install
	git ls-files 'kernels/*' 'tests/*' | grep -E '\.(h|c|cpp|inc|cu)$$' \
	  | xargs $(BIN)/clang-format --dry-run --Werror

clean:
	rm -rf build dist $(VENV)
