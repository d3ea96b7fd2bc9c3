"""What the papers published, asked of our tables: queries, verdicts and the scoreboard."""
