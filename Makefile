# Each target sets up what it needs (.venv, Qt's libraries) and is quick the second time. Nothing else has to be installed
# than Python 3.11 or newer with its venv module, and make. `make run MODEL=file.gguf` opens that file.

MODEL ?= app/tensorloupe/sample/minilm-sample.gguf
PY := .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help run test test-extras bench lint bundle screenshots clean

help:
	@echo "make run          open the sample in Tensorloupe (MODEL=file opens another file)"
	@echo "make test         run all tests, offscreen"
	@echo "make test-extras  run the tests of weightmap beside optional packages, in an environment of their own"
	@echo "make bench        measure weightmap beside other packages (ARGS=\"--quick\", ARGS=file.gguf)"
	@echo "make lint         check style, types and which part may import which"
	@echo "make screenshots  draw the README's pictures into assets/"
	@echo "make bundle       make a self-contained folder for this platform in dist/, and try it"
	@echo "make clean        remove .venv and caches"

run:
	@sh scripts/run.sh "$(MODEL)"

test:
	@sh scripts/environment.sh test
	@$(PY) scripts/qt_libraries.py offscreen
	@QT_QPA_PLATFORM=offscreen $(PY) -m pytest $(ARGS)

# EXTRAS_LIMIT: how long the tests may take, installing apart; a test that hangs is a failing test
test-extras:
	@sh scripts/environment.sh extras
	@.venv-extras/bin/python scripts/install_extras.py --missing
	@$$(command -v timeout >/dev/null && echo timeout -k 10 $${EXTRAS_LIMIT:-900}) .venv-extras/bin/python -m pytest tests/extras $(ARGS)

bench:
	@sh scripts/environment.sh test
	@.venv/bin/weightmap bench $(ARGS)

lint:
	@sh scripts/environment.sh lint
	@status=0; for check in "ruff check ." "ruff format --check ." mypy lint-imports; do \
		echo "$$check"; .venv/bin/$$check || status=1; done; exit $$status

bundle:
	@sh scripts/environment.sh run
	@$(PY) scripts/qt_libraries.py offscreen
	@$(PY) scripts/bundle.py --try

screenshots:
	@sh scripts/screenshots.sh "$(MODEL)"

clean:
	rm -rf .venv .venv-extras build dist screenshots .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
