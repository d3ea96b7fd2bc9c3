"""The papers' claims, checked against our tables: publications, evidence, verdicts and the scoreboard."""
