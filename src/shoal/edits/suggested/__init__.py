"""Rules found in the data: sums, ratios, orders, conditions and bounds that every record keeps, to choose from."""

from shoal.edits.suggested.finding import suggested_rules
from shoal.edits.suggested.suggestion import SuggestedRule, SuggestionKind

__all__ = ["SuggestedRule", "SuggestionKind", "suggested_rules"]
