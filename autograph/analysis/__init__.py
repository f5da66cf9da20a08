"""Facts about user code: names and scopes, liveness, definite assignment. Side tables, no marks on nodes."""
