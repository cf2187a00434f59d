"""The questions: each chains the stages from text to report. All front doors only ask these."""
