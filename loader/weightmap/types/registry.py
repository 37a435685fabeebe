"""Every stored type that is known, in one list.

To read a new type: write its class beside its kin and add it to `BUILT_IN`. A package of its own brings a type by naming
it under the entry point group `weightmap.types`, a script by calling `register`.
"""

from __future__ import annotations

from weightmap.types import (
    bits,
    eights,
    float8,
    fp4,
    iq1,
    iq2,
    iq3,
    iq4,
    k_quants,
    k_quants_16,
    nibbles,
    packed,
    plain,
    ternary,
)
from weightmap.types.base import StoredType
from weightmap.types.byteorder import big_endian
from weightmap.types.lookup import Registry

__all__ = ["BUILT_IN", "all_types", "big_endian", "by_dtype", "by_id", "by_name", "plugin_problems", "register"]

BUILT_IN: tuple[StoredType, ...] = (
    # ggml, by number
    plain.F32(),
    plain.F16(),
    nibbles.Q4_0(),
    nibbles.Q4_1(),
    nibbles.Q5_0(),
    nibbles.Q5_1(),
    eights.Q8_0(),
    eights.Q8_1(),
    k_quants_16.Q2_K(),
    k_quants_16.Q3_K(),
    k_quants.Q4_K(),
    k_quants.Q5_K(),
    k_quants_16.Q6_K(),
    eights.Q8_K(),
    iq2.IQ2_XXS(),
    iq2.IQ2_XS(),
    iq3.IQ3_XXS(),
    iq1.IQ1_S(),
    iq4.IQ4_NL(),
    iq3.IQ3_S(),
    iq2.IQ2_S(),
    iq4.IQ4_XS(),
    plain.I8(),
    plain.I16(),
    plain.I32(),
    plain.I64(),
    plain.F64(),
    iq1.IQ1_M(),
    plain.BF16(),
    ternary.TQ1_0(),
    ternary.TQ2_0(),
    fp4.MXFP4(),
    fp4.NVFP4(),
    bits.Q1_0(),
    bits.Q2_0(),
    # dtypes of safetensors that ggml does not have
    plain.Bool(),
    plain.U8(),
    plain.U16(),
    plain.U32(),
    plain.U64(),
    plain.C64(),
    float8.F8_E4M3(),
    float8.F8_E5M2(),
    float8.F8_E4M3FNUZ(),
    float8.F8_E5M2FNUZ(),
    float8.F8_E8M0(),
    packed.F6_E2M3(),
    packed.F6_E3M2(),
    packed.F4(),
)

_registry = Registry(BUILT_IN)
by_id, by_name, by_dtype = _registry.by_id, _registry.by_name, _registry.by_dtype
all_types, register, plugin_problems = _registry.all_types, _registry.register, _registry.plugin_problems
