"""The charts that chapters and readers draw: functions from a tidy frame to an Altair chart."""
