"""The First World War (rule ids FWW-…)."""
