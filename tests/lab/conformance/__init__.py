"""Every operation case on OpenVINO's CPU plugin, and the scoreboard that is made from its answers."""
