"""Where models and corpora come from, and the clients that fetch them."""
