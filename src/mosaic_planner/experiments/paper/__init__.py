"""The paper's own figures, and its tables and figures as experiments of ours."""
