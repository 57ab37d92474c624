"""What Python actions see of the service. Actions import `svc.actions`; the other modules belong to the runner."""
