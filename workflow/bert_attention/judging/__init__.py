"""The papers' claims, checked against our tables: evidence, verdicts and the scoreboard."""
