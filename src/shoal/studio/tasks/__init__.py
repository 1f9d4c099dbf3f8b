"""What the studio's processes do: functions that take plain arguments and return what pages show."""
