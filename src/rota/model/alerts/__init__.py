"""Alerts: the rules, the channels that reach people, and the incidents that people are told of."""
