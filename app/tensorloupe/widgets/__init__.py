"""Controls, tables and layouts that panels and views share; they know nothing of models."""
