"""The verbs: each chains the stages from text to report. The command line only calls these."""
